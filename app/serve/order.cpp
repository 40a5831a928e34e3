#include "app/serve/order.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/options/settings.h"
#include "app/options/work_options.h"
#include "app/serve/http/api_error.h"
#include "models/base/closest_name.h"

namespace wnpu::serve {
namespace {

// Options of the command line that a client has no say in: files and libraries of this machine, and
// what the endpoint says.
constexpr std::array<std::string_view, 4> kNotClients = {"task", "vad-model", "speaker-model",
                                                         "batch-size"};
constexpr std::array<std::string_view, 6> kGroups = {
    "Language and prompts",         "Words",  "Speakers",
    "Speech detection and batches", "Search", "Subtitles"};
// Names of TranscribeOptions, or of OpenAI, that the command line has others for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherNames{
    {{"prompt", "initial-prompt"},
     {"without_timestamps", "no-timestamps"},
     {"sample_len", "max-tokens"}}};

constexpr std::array<std::pair<std::string_view, ResponseFormat>, 6> kResponseFormats{
    {{"json", ResponseFormat::json},
     {"text", ResponseFormat::text},
     {"srt", ResponseFormat::srt},
     {"vtt", ResponseFormat::vtt},
     {"verbose_json", ResponseFormat::verbose_json},
     {"diarized_json", ResponseFormat::diarized_json}}};

[[noreturn]] void refuse_value(const Field& field, const std::string& expected) {
  throw ApiError(400, field.name + ": expected " + expected + ", found " + field.value, field.name,
                 "invalid_value");
}

bool read_bool(const Field& field) {
  const std::string lower = CLI::detail::to_lower(field.value);
  if (lower == "true" || lower == "1") return true;
  if (lower != "false" && lower != "0") refuse_value(field, "true or false");
  return false;
}

ResponseFormat read_format(const Field& field) {
  for (const auto& [name, format] : kResponseFormats) {
    if (name == field.value) return format;
  }
  refuse_value(field, "json, text, srt, vtt, verbose_json or diarized_json");
}

// The options of a request, read as the command line reads them: by the same names and ranges, with
// what one of them turns on.
class OptionFields {
 public:
  explicit OptionFields(const app::Options& usual) : options_(usual) {
    if (options_.transcribe.vad.enabled) options_.vad = true;
    options_.choices.optimize_for.clear();  // what it chose is in the options
    options_.manifest.file = "-";           // windows of several requests are decoded together
    app::add_work_options(app_, options_);
    options_.transcribe.vad.weights = usual.transcribe.vad.weights;  // which that has set
    options_.transcribe.speakers.weights = usual.transcribe.speakers.weights;
    app::add_group(app_, "Subtitles",
                   [&] { app::add_layout_options(app_, options_.layout, app::RulesFrom::names); });
    for (CLI::Option* option : app_.get_options()) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->allow_extra_args(false);
    }
  }

  // False: there is no such option.
  bool add(const Field& field) {
    const CLI::Option* const option = find(field.name);
    if (option == nullptr) return false;
    if (!app::takes_value(*option)) {
      if (read_bool(field)) words_.push_back(app::long_name(*option));
    } else if (!field.value.empty() && !is_automatic(field)) {
      words_.push_back(app::long_name(*option));
      words_.push_back(option->get_type_name() == "[True|False]"
                           ? (read_bool(field) ? "True" : "False")
                           : field.value);
    }
    return true;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app_.get_options()) {
      if (is_clients(*option)) names.push_back(with_underscores(app::long_name(*option).substr(2)));
    }
    return names;
  }

  const app::Options& read() {
    std::ranges::reverse(words_);
    try {
      app_.parse(std::move(words_));
    } catch (const CLI::ParseError& error) {
      refuse(error.what());
    } catch (const app::UsageError& error) {
      refuse(error.what());
    }
    return options_;
  }

 private:
  static std::string with_underscores(std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
  }

  // OpenAI's clients may say that a language is to be detected.
  static bool is_automatic(const Field& field) {
    return field.name == "language" && field.value == "auto";
  }

  static bool is_clients(const CLI::Option& option) {
    if (std::ranges::find(kGroups, option.get_group()) == kGroups.end()) return false;
    return std::ranges::none_of(
        kNotClients, [&](std::string_view name) { return option.check_lname(std::string(name)); });
  }

  const CLI::Option* find(const std::string& name) const {
    std::string wanted = name;
    for (const auto& [theirs, ours] : kOtherNames) {
      if (name == theirs) wanted = ours;
    }
    const CLI::Option* const option = app_.get_option_no_throw("--" + app::with_dashes(wanted));
    return option != nullptr && is_clients(*option) ? option : nullptr;
  }

  // "--beam-size: expected ..." as a field: "beam_size: expected ...".
  [[noreturn]] static void refuse(const std::string& message) {
    std::string text;
    std::string first;
    for (std::size_t i = 0; i < message.size();) {
      if (message.compare(i, 2, "--") != 0) {
        text += message[i++];
        continue;
      }
      const std::size_t end =
          std::min(message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", i + 2), message.size());
      const std::string name = with_underscores(message.substr(i + 2, end - i - 2));
      if (first.empty()) first = name;
      text += name;
      i = end;
    }
    throw ApiError(400, text, first, "invalid_option");
  }

  app::Options options_;
  CLI::App app_;
  std::vector<std::string> words_;
};

class OrderReader {
 public:
  OrderReader(Task task, const app::Options& usual) : options_(usual) {
    order_.transcribe.task = task;
  }

  void add(const Field& field) {
    if (field.name == "model") {
      order_.model = field.value;
    } else if (field.name == "response_format") {
      order_.format = read_format(field);
    } else if (field.name == "stream") {
      order_.is_streamed = read_bool(field);
    } else if (field.name == "url") {
      order_.url = field.value;
    } else if (field.name == "timestamp_granularities[]" ||
               field.name == "timestamp_granularities") {
      add_granularity(field);
    } else if (field.name == "chunking_strategy") {
      chunk(field);
    } else if (!options_.add(field)) {
      refuse_field(field);
    }
    tells_speakers_ |= field.name == "speakers" || field.name == "channels";
  }

  Order read() {
    check();
    if (wants_vad_) options_.add({"vad", "true"});
    if (granularity_words_) options_.add({"word_timestamps", "true"});
    const bool is_diarized = order_.format == ResponseFormat::diarized_json;
    if (is_diarized && !tells_speakers_) options_.add({"speakers", "auto"});
    const app::Options& options = options_.read();
    const Task task = order_.transcribe.task;
    order_.transcribe = options.transcribe;
    order_.transcribe.task = task;
    order_.layout = options.layout;
    // The words of our own option are asked for as well.
    order_.wants_words = granularity_words_ || options.transcribe.word_timestamps;
    order_.wants_segments = granularity_segments_ || !granularity_words_;
    if (order_.transcribe.vad.enabled && !std::filesystem::exists(order_.transcribe.vad.weights)) {
      throw ApiError(400, "vad: this server has no detector of speech", "vad", "unsupported_value");
    }
    check_speakers();
    return std::move(order_);
  }

 private:
  void add_granularity(const Field& field) {
    if (field.value == "word") {
      granularity_words_ = true;
    } else if (field.value == "segment") {
      granularity_segments_ = true;
    } else {
      refuse_value(field, "word or segment");
    }
  }

  void check_speakers() const {
    const SpeakerOptions& speakers = order_.transcribe.speakers;
    const bool is_diarized = order_.format == ResponseFormat::diarized_json;
    if (is_diarized && !speakers.enabled && order_.transcribe.channels == Channels::mix) {
      throw ApiError(400, "response_format: diarized_json needs speakers or channels=separate",
                     "response_format", "invalid_value");
    }
    if (speakers.enabled && !std::filesystem::exists(speakers.weights)) {
      throw ApiError(400,
                     "speakers: this server has no networks that tell speakers apart "
                     "(whisper-npu models pull speakers)",
                     is_diarized ? "response_format" : "speakers", "unsupported_value");
    }
  }

  // "auto" finds speech and leaves out what is none, as `vad` does.
  void chunk(const Field& field) {
    if (field.value != "auto") {
      throw ApiError(400,
                     "chunking_strategy: expected auto; vad_threshold and the fields of that kind "
                     "say more",
                     field.name, "unsupported_value");
    }
    wants_vad_ = true;
  }

  [[noreturn]] void refuse_field(const Field& field) const {
    std::vector<std::string> names = options_.names();
    for (const char* name : {"file", "model", "prompt", "response_format", "stream", "url",
                             "timestamp_granularities[]", "chunking_strategy"}) {
      names.emplace_back(name);
    }
    throw ApiError(
        400, field.name + ": this server has no such field" + models::suggestion(field.name, names),
        field.name, "unknown_field");
  }

  void check() const {
    const bool has_granularity = granularity_words_ || granularity_segments_;
    if (has_granularity && order_.format != ResponseFormat::verbose_json && !order_.is_streamed) {
      throw ApiError(400, "timestamp_granularities[]: expected response_format verbose_json",
                     "timestamp_granularities[]", "invalid_value");
    }
    const bool is_subtitles =
        order_.format == ResponseFormat::srt || order_.format == ResponseFormat::vtt;
    const bool is_diarized = order_.format == ResponseFormat::diarized_json;
    if ((is_subtitles || is_diarized) && order_.is_streamed) {
      throw ApiError(400, "stream: expected response_format json, text or verbose_json", "stream",
                     "invalid_value");
    }
  }

  OptionFields options_;
  Order order_;
  bool granularity_words_ = false;
  bool granularity_segments_ = false;
  bool wants_vad_ = false;
  bool tells_speakers_ = false;
};

}  // namespace

Order read_order(const std::vector<Field>& fields, Task task, const app::Options& usual) {
  OrderReader reader(task, usual);
  for (const Field& field : fields) reader.add(field);
  return reader.read();
}

}  // namespace wnpu::serve
