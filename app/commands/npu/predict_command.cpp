#include <array>
#include <optional>
#include <stdexcept>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/commands/npu/calls.h"
#include "app/commands/npu/npu_command.h"
#include "app/jobs/rows/line_splitter.h"
#include "app/options/exit_code.h"
#include "app/options/kernels/kernel_table.h"
#include "app/options/option_values.h"
#include "app/output/written_file.h"
#include "app/system/output_file.h"
#include "app/system/write_all.h"
#include "npu/plans/plan.h"
#include "npu/time_model/prediction.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kLongestDesign = 1 << 16;  // bytes of a line
constexpr std::array<std::string_view, 2> kPredictedPlans{"fused", "batched"};

struct DesignQuestion {
  npu::Depth depth = npu::Depth::bound;
  CallChoice choice;
  std::string preset;  // empty: the array's usual one
  std::string kernel_table;
  bool simulates = false;
  std::string trace;
  bool overwrites = false;
  bool json = false;
};

// Design of the options: the only one, or the one that lines change.
npu::PlanFile design_of(const CallChoice& choice) {
  if (!choice.plan_file.empty()) {
    const CallChoice usual;
    if (choice.plan != usual.plan || choice.precision != usual.precision) {
      throw UsageError("--plan-file says plan and precision: expected neither beside it");
    }
    npu::PlanFile file = npu::read_plan_file(choice.plan_file);
    require_made_for(file, *npu::find_target(choice.target), layer_shape(choice.size));
    return file;
  }
  return {npu::find_target(choice.target),
          npu::find_precision(choice.precision).value(),
          layer_shape(choice.size),
          {{}, npu::layer_calls(npu::find_plan(choice.plan).value())}};
}

class Answers {
 public:
  explicit Answers(const DesignQuestion& question)
      : depth_(question.simulates ? npu::Depth::simulate : question.depth),
        usual_(design_of(question.choice)),
        measured_(read_measured_table(question.kernel_table)),
        preset_(question.preset) {}

  const npu::PlanFile& usual() const { return usual_; }
  // `asked`: in the place of the options'; empty: none.
  npu::HardwareModel preset_of(const npu::PlanFile& design, const std::string& asked = {}) const {
    if (!asked.empty()) return npu::find_preset(asked);
    if (measured_) return measured_->preset;
    return npu::find_preset(preset_.empty() ? npu::usual_preset(*design.target) : preset_);
  }

  npu::Prediction predict(const npu::PlanFile& design, const npu::HardwareModel& preset) const {
    if (depth_ != npu::Depth::check && design.target != preset.target) {
      throw std::invalid_argument("target: expected " + std::string(preset.target->name) +
                                  ", whose times are modelled, found " +
                                  std::string(design.target->name));
    }
    return npu::predict(design, preset, depth_);
  }

  // True where the line is a design that fits.
  bool answer(const Line& line) const {
    const std::string name = "line " + std::to_string(line.number);
    nlohmann::ordered_json fault{{"line", line.number}};
    try {
      if (line.is_too_long) {
        throw std::invalid_argument(name + ": expected at most " + std::to_string(kLongestDesign) +
                                    " bytes, found more");
      }
      const npu::DesignLine asked = npu::parse_design_line(line.text, name, usual_);
      if (!asked.id.empty()) fault["id"] = asked.id;
      const npu::Prediction found = predict(asked.design, preset_of(asked.design, asked.preset));
      print_report(npu::prediction_json(found, asked.id) + "\n");
      return found.problems.empty();
    } catch (const std::invalid_argument& error) {
      const std::string what = error.what();
      fault["error"] = what.starts_with(name) ? what : name + ": " + what;
    }
    print_report(fault.dump() + "\n");
    return false;
  }

 private:
  npu::Depth depth_;
  npu::PlanFile usual_;
  std::optional<npu::MeasuredTable> measured_;
  std::string preset_;
};

// Answers each line as soon as it is whole: who asks may wait for it.
bool answer_stdin(const Answers& answers) {
  bool all_fit = true;
  const auto take = [&](const Line& line) {
    if (!line.text.empty() || line.is_too_long) all_fit = answers.answer(line) && all_fit;
  };
  read_lines(STDIN_FILENO, "stdin", kLongestDesign, take);
  return all_fit;
}

int exit_of(bool all_fit) {
  return static_cast<int>(all_fit ? ExitCode::ok : ExitCode::some_failed);
}

int answer_question(const DesignQuestion& question) {
  if (question.json && !question.trace.empty()) {
    throw UsageError("--trace: expected one design, found --json, which reads them from stdin");
  }
  require_free_file(question.trace, question.overwrites);
  const Answers answers(question);
  if (question.json) return exit_of(answer_stdin(answers));
  const npu::PlanFile& design = answers.usual();
  const npu::HardwareModel preset = answers.preset_of(design);
  const npu::Prediction found = answers.predict(design, preset);
  const bool fits = found.problems.empty();
  write_and_report(
      [&] {
        if (question.trace.empty() || !fits) return;
        const auto calls = npu::designs_of(design.layer(), design.plan.calls);
        write_file(question.trace, npu::trace_plan(calls, preset), !question.overwrites);
      },
      npu::prediction_text(found));
  return exit_of(fits);
}

void add_design_options(CLI::App& app, DesignQuestion& question) {
  add_name(app, "--target", kTargetNames, question.choice.target, "The array");
  add_layer_options(app, question.choice.size, question.choice.precision);
  add_name(app, "--plan", kPredictedPlans, question.choice.plan,
           "The layer as one call, or as one an operation");
  app.add_option("--plan-file", question.choice.plan_file,
                 "A layer plan for the size, in the place of --plan and --precision")
      ->type_name("FILE");
  app.add_flag("--json", question.json,
               "Designs on stdin, a JSON object a line, which say what differs from the options; "
               "an answer a line by prediction.schema.json (in share/whisper-npu/schemas)");
}

void add_time_options(CLI::App& app, DesignQuestion& question) {
  add_preset(app, question.preset,
             "Whose times are modelled: CLOCK/KERNELS; by rule the array's usual ones");
  app.add_option("--kernel-table", question.kernel_table,
                 "What npu first-light measured on an NPU, in the place of the preset")
      ->type_name("FILE");
  app.add_flag("--simulate", question.simulates,
               "The simulator's time as well; without it times are lower bounds");
  app.add_option("--trace", question.trace, "File for a trace of every tile, as Perfetto reads it")
      ->type_name("FILE");
  app.add_flag("--overwrite", question.overwrites, "Replace a file that is there");
}

void add_predict_options(CLI::App& app, DesignQuestion& question) {
  add_design_options(app, question);
  add_time_options(app, question);
}

void add_check_options(CLI::App& app, DesignQuestion& question) {
  question.depth = npu::Depth::check;
  add_design_options(app, question);
}

int run_question(const DesignQuestion& question, const std::vector<std::string>& /*files*/) {
  try {
    return answer_question(question);
  } catch (const std::invalid_argument& error) {  // of the options' design
    throw UsageError(error.what());
  }
}

}  // namespace

Subcommand predict_action() {
  return subcommand("predict", "How long a layer's design takes, by the time model",
                    add_predict_options, run_question);
}

Subcommand check_action() {
  return subcommand("check", "Whether the array can run a layer's design, or why not",
                    add_check_options, run_question);
}

}  // namespace wnpu::app
