#include "bench/search/search_page.h"

#include "app/system/build_info.h"
#include "bench/core/text_table.h"
#include "bench/report/report_html.h"

namespace wnpu::bench {
namespace {

// Most variants looked at that the page draws, so that it stays small.
constexpr std::size_t kMostSeen = 500;

std::string limit_or_none(const std::optional<double>& limit, const char* unit) {
  return limit ? fixed(*limit, 1) + unit : std::string("none");
}

std::string member_text(const npu::Member& member) {
  return fixed(member.exact.ms, 1) + " ms, " + fixed(member.exact.memory_mb(), 1) + " MB, keeps " +
         percent(member.kept) + ": " + npu::variant_text(member.variant);
}

TradeOff by_loss(const npu::SearchReport& report) {
  const bool has_states = report.objective == npu::SearchObjective::states;
  TradeOff chart;
  chart.title = "What is lost, and how long it takes";
  chart.explanation = "Each numbered encoder is beaten by no other in time, memory and ";
  chart.explanation +=
      has_states ? "the error of its states in one window, measured with the model's weights cut"
                 : "what is left of its multiply-adds, which says nothing of what it still hears";
  chart.explanation += "; pale ones were looked at, their times by the predictor.";
  chart.x_name = "ms a window, all layers";
  chart.y_name = has_states ? "% error of states" : "% of work gone";
  chart.most_x = report.options.most_ms;
  const auto& front = report.result.front;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const std::string name = std::to_string(i + 1);
    chart.points.push_back({name, name + ": " + member_text(front[i]), front[i].exact.ms,
                            100 * front[i].loss, Origin::kModelled});
  }
  const auto& seen = report.result.seen;
  const std::size_t stride = seen.size() / kMostSeen + 1;
  for (std::size_t i = 0; i < seen.size(); i += stride) {
    chart.others.emplace_back(seen[i][0], 100 * seen[i][2]);
  }
  return chart;
}

TradeOff by_words(const npu::SearchReport& report) {
  TradeOff chart{"What it still hears",
                 "Word error rates on " + std::to_string(report.n_recordings) +
                     " recordings, measured with the variant cut out of the model's weights and "
                     "nothing trained again; times are modelled.",
                 "ms a window, all layers",
                 "% word error rate",
                 {},
                 {},
                 report.options.most_ms};
  for (std::size_t i = 0; i < report.quality.size(); ++i) {
    const npu::Member& member = report.result.front[i];
    const double wer = report.quality[i].wer();
    const std::string name = std::to_string(i + 1);
    chart.points.push_back({name, name + ": " + percent(wer) + ", " + member_text(member),
                            member.exact.ms, 100 * wer, Origin::kMeasured});
  }
  if (!chart.points.empty() && report.whole_quality) {
    const double wer = report.whole_quality->wer();
    chart.points.push_back({"whole", "whole: " + percent(wer), report.result.whole.exact.ms,
                            100 * wer, Origin::kMeasured});
  }
  return chart;
}

}  // namespace

std::string search_page(const npu::SearchReport& report) {
  const npu::VariantSearchOptions& o = report.options;
  Report page;
  page.title = "whisper-npu: encoders for " + std::string(o.preset.target->name) + ", made of " +
               report.encoder;
  page.facts = {
      {"program", std::string("whisper-npu ") + app::kVersion + " (" + app::kGitCommit + ", " +
                      app::kBuildType + ")"},
      {"NPU", "modelled: there was none, and nothing was compared with one"},
      {"times", o.preset.name + ", predictor " + std::string(o.predictor->name)},
      {"limits",
       "time " + limit_or_none(o.most_ms, " ms") + ", memory " + limit_or_none(o.most_mb, " MB")},
      {"search", std::string(npu::method_name(o.method)) + ", seed " + std::to_string(o.seed) +
                     ", " + std::to_string(report.result.n_looked_at) + " variants looked at"},
      {"whole encoder", member_text(report.result.whole)}};
  const auto& front = report.result.front;
  for (std::size_t i = 0; i < front.size(); ++i) {
    page.facts.emplace_back(std::to_string(i + 1), member_text(front[i]));
  }
  if (report.result.nearest) {
    page.facts.emplace_back("nothing meets the limits",
                            "nearest: " + member_text(*report.result.nearest));
  }
  for (const std::string& note : report.notes) page.facts.emplace_back("note", note);
  page.trade_offs = {by_loss(report), by_words(report)};
  return report_html(page);
}

}  // namespace wnpu::bench
