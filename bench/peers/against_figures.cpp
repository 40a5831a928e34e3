#include <algorithm>
#include <filesystem>
#include <string>

#include "bench/core/figure.h"
#include "bench/core/text_table.h"
#include "bench/peers/against.h"

namespace wnpu::bench {
namespace {

// "faster-whisper 1.2.1", "whisper-npu"
std::string versioned(const PeerRun& run) {
  return run.version.empty() ? run.peer : run.peer + " " + run.version;
}

std::vector<Heard> heard_by(const Contender& one, const std::vector<HeardFile>& files) {
  std::vector<Heard> heard;
  for (std::size_t i = 0; i < files.size(); ++i) {
    heard.push_back({one.name, files[i].name, files[i].audio_s, one.last[i].text, {}, {}});
  }
  return heard;
}

void add_figure(Figure figure, const Contender& one, Results& results) {
  figure.labels = {{"program", one.name}};
  if (!one.last.front().version.empty()) {
    figure.labels.emplace_back("version", one.last.front().version);
  }
  figure.labels.emplace_back("precision", one.last.front().precision);
  results.figures.push_back(std::move(figure));
}

void add_times(const Contender& one, const Contender& ours, double audio_s, Results& results) {
  std::vector<double> rtf = one.seconds;
  for (double& value : rtf) value /= audio_s;
  std::vector<double> speed = one.seconds;
  for (double& value : speed) value = audio_s / value;
  add_figure(figure_of_runs("total", "s", one.seconds), one, results);
  add_figure(figure_of_runs("real-time factor", "", rtf), one, results);
  add_figure(figure_of_runs("speed", "x", speed), one, results);
  add_figure(figure_of_runs("time of whisper-npu's", "", pair_ratios(one.seconds, ours.seconds)),
             one, results);
  add_figure(figure_of_value("model load", "s", one.last.front().load_seconds), one, results);
  const auto largest = std::ranges::max_element(one.last, {}, &PeerRun::peak_rss_bytes);
  add_figure(figure_of_value("peak memory", "bytes", static_cast<double>(largest->peak_rss_bytes)),
             one, results);
}

std::string with_spread(const Summary& runs, int digits) {
  return fixed(runs.median, digits) + " (" + fixed(runs.p10, digits) + " to " +
         fixed(runs.p90, digits) + ")";
}

void add_row(const Contender& one, const Contender& ours, double audio_s, const Scores& scores,
             TextTable& table) {
  const Summary times = summarize(one.seconds);
  const auto rate = [](const std::vector<ErrorCounts>& counts) {
    return counts.empty() ? "-" : percent(total(counts).rate());
  };
  const auto largest = std::ranges::max_element(one.last, {}, &PeerRun::peak_rss_bytes);
  table.add({versioned(one.last.front()), one.last.front().precision, human_seconds(times.median),
             human_seconds(times.p10), human_seconds(times.p90), fixed(times.median / audio_s, 4),
             fixed(audio_s / times.median, 1) + "x",
             with_spread(summarize(pair_ratios(one.seconds, ours.seconds)), 2), rate(scores.words),
             rate(scores.characters), human_bytes(static_cast<double>(largest->peak_rss_bytes))});
}

std::string texts(const Results& results) {
  constexpr std::size_t kShownFiles = 3;
  TextTable table({"file", "program", "text"});
  std::vector<std::string> files;
  for (const Heard& heard : results.heard) {
    if (std::ranges::find(files, heard.file) == files.end()) files.push_back(heard.file);
  }
  for (std::size_t i = 0; i < std::min(files.size(), kShownFiles); ++i) {
    for (const Heard& heard : results.heard) {
      if (heard.file != files[i]) continue;
      table.add({std::filesystem::path(heard.file).filename().string(), heard.program,
                 first_characters(heard.text, 80)});
    }
  }
  return table.text();
}

}  // namespace

void add_contenders(const std::vector<Contender>& contenders, const std::vector<HeardFile>& files,
                    const References& references, Results& results) {
  double audio_s = 0;
  for (const HeardFile& file : files) audio_s += file.audio_s;
  const Contender& ours = contenders.front();
  TextTable table({"program", "precision", "median", "p10", "p90", "RTF", "speed",
                   "times ours (p10 to p90)", "WER", "CER", "memory"});
  for (const Contender& one : contenders) {
    if (!one.is_in()) {
      results.notes.push_back(one.name + " is left out: " + one.failure);
      continue;
    }
    const Scores scores = add_heard(heard_by(one, files), references, results);
    add_times(one, ours, audio_s, results);
    for (Figure& rate : error_rates(scores)) add_figure(std::move(rate), one, results);
    add_row(one, ours, audio_s, scores, table);
  }
  results.text = table.text() +
                 "\nRTF: processing time / audio time. Speed: audio time / processing time. Times "
                 "ours: above 1 whisper-npu is faster, pair by pair of interleaved runs.\n\n" +
                 texts(results);
}

}  // namespace wnpu::bench
