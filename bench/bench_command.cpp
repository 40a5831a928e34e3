#include "bench/bench_command.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/work_options.h"
#include "app/system/sha256.h"
#include "app/system/write_all.h"
#include "bench/core/bench_options.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"

namespace wnpu::bench {
namespace {

std::string file_text(const std::string& path) {
  constexpr std::size_t kDigits = 16;
  std::filesystem::path named(path);
  if (!named.has_filename()) named = named.parent_path();
  std::string text = named.filename().string();
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    text += " " + app::sha256_of_file(path).substr(0, kDigits);
  }
  return text;
}

std::string name_of_option(const CLI::Option& option) {
  std::string name = option.get_lnames().front();
  std::ranges::replace(name, '-', '_');
  return name;
}

// Value of an option that was given: the last of several counts, but lists keep all.
void note(const CLI::Option& option, const std::string& value, GivenOptions& given) {
  const std::string name = name_of_option(option);
  const std::string type = option.get_type_name();
  const bool is_path = type == "FILE" || type == "PATH" || type == "DIR";
  const bool is_list = option.get_items_expected_max() > 1;
  if (!is_list) std::erase_if(given, [&](const auto& one) { return one.first == name; });
  if (value == option.get_default_str()) return;
  const std::string text = is_path ? file_text(value) : value;
  const auto before = std::ranges::find(given, name, &GivenOptions::value_type::first);
  if (before == given.end()) {
    given.emplace_back(name, text);
  } else {
    before->second += " " + text;
  }
}

struct Command {
  BenchOptions options;
  std::vector<const Mode*> chosen;  // more than one is an error
  bool has_model = false;           // --model was given
  bool has_size = false;
};

CLI::Option* add_mode_option(CLI::App& app, const Mode& mode, Command& command) {
  if (mode.value_name.empty()) {
    return app.add_flag_callback(
        mode.option, [&command, &mode] { command.chosen.push_back(&mode); }, mode.help);
  }
  const auto choose = [&command, &mode](const std::string& value) {
    command.chosen.push_back(&mode);
    command.options.mode_value = value;
  };
  return app.add_option_function<std::string>(mode.option, choose, mode.help)
      ->type_name(mode.value_name);
}

void add_mode_options(CLI::App& app, Command& command) {
  for (const Mode& mode : modes()) {
    add_mode_option(app, mode, command)->group("What is measured (one of these)");
  }
}

void add_shape_options(CLI::App& app, Command& command) {
  app.add_option("--size", command.options.size,
                 "A model by its shapes, with random weights where it is not in the "
                 "cache folder; --model takes its place")
      ->type_name("tiny|base|small|medium|large-v3-turbo|large-v3")
      ->capture_default_str()
      ->each([&command](const std::string&) { command.has_size = true; })
      ->group("What --plans and --kernels cover");
  app.add_option("--kernel-table", command.options.kernel_table,
                 "--plans as well by what npu first-light measured on an NPU")
      ->type_name("FIRST_LIGHT.json")
      ->group("What --plans and --kernels cover");
}

constexpr std::string_view kPlans = "--plans";

void add_options(CLI::App& app, Command& command) {
  BenchOptions& options = command.options;
  app.add_option("files", options.work.inputs,
                 "Audio files; the quickstart's sample speech if not given");
  add_mode_options(app, command);
  const std::string group = "How it is measured and printed";
  app.add_option("--runs", options.runs, "Measurements, after one that warms up")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  app.add_option("--references", options.references,
                 "Word and character error rates against this list of files and what is said in "
                 "them; without files, all of its files")
      ->type_name("MANIFEST.tsv")
      ->group(group);
  app.add_flag("--json", options.json,
               "JSON on stdout instead of tables, by "
               "bench.schema.json (in share/whisper-npu/schemas)")
      ->group(group);
  app.add_flag("--yes", options.work.yes, "Install missing programs of --against without asking")
      ->group(group);
  add_shape_options(app, command);
  const std::size_t n_own = app.get_options().size();
  app::add_work_options(app, options.work);
  const std::vector<CLI::Option*> all = app.get_options();
  for (std::size_t i = n_own; i < all.size(); ++i) note_given(*all[i], options.given);
  app.get_option("--model")->each([&command](const std::string&) { command.has_model = true; });
}

int run(Command& command) {
  if (command.chosen.size() > 1) {
    throw app::UsageError(command.chosen[0]->option + " and " + command.chosen[1]->option +
                          " exclude each other");
  }
  if (command.has_model && !command.has_size) command.options.size.clear();
  const Mode& mode = command.chosen.empty() ? modes().front() : *command.chosen.front();
  if (!command.options.kernel_table.empty() && mode.option != kPlans) {
    throw app::UsageError("--kernel-table does nothing without " + std::string(kPlans));
  }
  const Results results = mode.run(command.options);
  const app::Machine machine = app::describe_machine();
  app::print_report(command.options.json ? results_json(results, machine)
                                         : results_text(results, machine));
  return results.exit_code;
}

}  // namespace

void note_given(CLI::Option& option, GivenOptions& given) {
  option.each([&option, &given](const std::string& value) { note(option, value, given); });
}

app::Subcommand bench_command() {
  const auto command = std::make_shared<Command>();
  return {"bench", "How fast transcribe is here, and compared with what",
          [command](CLI::App& app) { add_options(app, *command); },
          [command](std::vector<std::string> files) {
            command->options.work.inputs = std::move(files);
            return run(*command);
          }};
}

std::span<const Mode> modes() {
  static const auto kModes = std::to_array<Mode>({
      {"--rtf", "", "Time of every stage, real-time factor, memory, word errors; the default",
       measure_rtf},
      {"--advise", "",
       "What to take on this machine: precisions, beams, batches and threads with their speed, "
       "word "
       "errors and memory, the best marked",
       measure_advice},
      {"--baseline", "", "What --check compares with: with --json, its file", measure_baseline},
      {"--check", "BASELINE.json",
       "Fails (exit code 1) where a kernel or a stage is slower than in the baseline, relative to "
       "fixed work",
       measure_check},
      {"--against", "PEER,...",
       "The same files and weights by faster-whisper, faster-whisper-batched, whisper.cpp, "
       "openai-whisper, in turn with transcribe",
       measure_against},
      {"--plans", "", "Every way to run the encoder's layers, beside what was published",
       measure_plans},
      {"--kernels", "", "Each kernel alone, on the CPU and on the simulated array",
       measure_kernels},
      {"--report", "FILE.html", "One page: --rtf, --plans, --kernels and one window, as bars",
       write_report},
      {"--trace", "FILE.json", "One window for Perfetto or chrome://tracing", write_trace},
  });
  return kModes;
}

}  // namespace wnpu::bench
