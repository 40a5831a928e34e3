#include "app/hub/offer.h"

#include <algorithm>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <unistd.h>

#include "app/batch/progress.h"
#include "app/engine/devices/device_choice.h"
#include "app/engine/model_path.h"
#include "app/hub/catalogue.h"
#include "app/hub/pull.h"
#include "models/base/closest_name.h"
#include "models/base/error.h"
#include "npu/probe.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

bool can_ask(const Options& options) {
  const bool is_taken = std::ranges::find(options.inputs, "-") != options.inputs.end();
  const bool is_for_people = log_format() == LogFormat::text;
  return !is_taken && is_for_people && options.verbosity != Verbosity::quiet &&
         ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0;
}

// What is missing, where it was looked for, and how the command that pulls it goes on.
struct Missing {
  const HubModel* model;
  std::string asked;
  fs::path folder;
  std::string more;
};

void pull_missing(const Missing& missing, const Options& options, std::istream& in,
                  std::ostream& err) {
  const std::string name(missing.model->name);
  const std::string text = missing.asked + ": expected " +
                           (missing.model == &hub_detector() ? "its weights" : "a model") + " in " +
                           missing.folder.string() + ", found nothing";
  const std::string command = "whisper-npu models pull " + name + missing.more;
  const std::string offer = offer_text(missing.model->sources.front());
  if (options.offline) {
    throw models::ModelError(text + ", and --offline keeps it from being pulled (" + command +
                             " fetches " + offer + ")");
  }
  if (!may_fetch(options, name + " is not here: " + offer + "\nPull it now?", in, err)) {
    throw models::ModelError(text + " (" + command + " fetches " + offer + "; so does --yes here)");
  }
  PullOrder order;
  order.model = missing.model;
  order.folder = missing.folder;
  order.verbosity = options.verbosity;
  pull_model(order, err);
}

// Throws ModelError, with the catalogue's name that is close, where nothing of that name is here.
void check_there(const std::string& model, const fs::path& folder) {
  try {
    (void)find_model(model, folder);
  } catch (const models::ModelError& error) {
    const std::string text = error.what();
    const bool has_close = text.find("did you mean") != std::string::npos;
    if (has_close || model.find('/') != std::string::npos) throw;
    throw models::ModelError(text + models::suggestion(model, hub_names()));
  }
}

}  // namespace

bool may_fetch(const Options& options, const std::string& question, std::istream& in,
               std::ostream& err) {
  if (options.yes) return true;
  if (!can_ask(options)) return false;
  err << "whisper-npu: " << question << " [Y/n] " << std::flush;
  std::string answer;
  if (!std::getline(in, answer)) return false;
  return answer.empty() || answer[0] == 'y' || answer[0] == 'Y';
}

void pull_missing_model(const Options& options, std::istream& in, std::ostream& err) {
  if (options.dry_run) return;
  std::error_code error;
  const fs::path folder = options.model_dir.empty() ? model_folder() : fs::path(options.model_dir);
  const HubModel* const model = find_hub_model(options.model);
  if (model != nullptr && !fs::exists(options.model, error) &&
      find_name(options.model, folder).empty()) {
    (void)choose_device(options.device, npu::probe(), 1);  // what cannot run needs no model
    const std::string more = options.model_dir.empty() ? "" : " --model-dir " + options.model_dir;
    pull_missing({model, options.model, folder, more}, options, in, err);
  }
  if (model == nullptr) check_there(options.model, folder);
  const fs::path weights = vad_weights_file();
  if (options.transcribe.vad.enabled && options.transcribe.vad.weights == weights.string() &&
      !fs::exists(weights, error)) {
    pull_missing({&hub_detector(), "--vad True", model_folder(), ""}, options, in, err);
  }
}

}  // namespace wnpu::app
