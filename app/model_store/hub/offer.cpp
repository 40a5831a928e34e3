#include "app/model_store/hub/offer.h"

#include <algorithm>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <unistd.h>

#include "app/engine/devices/device_choice.h"
#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/model_store/hub/pull.h"
#include "app/system/progress.h"
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

// Missing model, where it was looked for, and how the command that pulls it goes on.
struct Missing {
  const HubModel* model;
  std::string asked;
  fs::path folder;
  std::string more;
};

std::string missing_text(const Missing& missing) {
  const bool is_helper = missing.model == &hub_detector() || missing.model == &hub_speakers();
  return missing.asked + ": expected " + (is_helper ? "its weights" : "a model") + " in " +
         missing.folder.string() + ", found nothing";
}

// "whisper-npu models pull tiny fetches 75 MB from ..."
std::string remedy_text(const Missing& missing) {
  return "whisper-npu models pull " + std::string(missing.model->name) + missing.more +
         " fetches " + offer_text(missing.model->sources.front());
}

[[noreturn]] void refuse_offline(const Missing& missing, const std::string& offline) {
  throw models::ModelError(missing_text(missing) + ", and " + offline +
                           " keeps it from being pulled (" + remedy_text(missing) + ")");
}

void pull_missing(const Missing& missing, const Options& options, std::istream& in,
                  std::ostream& err) {
  if (options.offline) refuse_offline(missing, "--offline");
  const std::string question = std::string(missing.model->name) +
                               " is not here: " + offer_text(missing.model->sources.front()) +
                               "\nPull it now?";
  if (!may_fetch(options, question, in, err)) {
    throw models::ModelError(missing_text(missing) + " (" + remedy_text(missing) +
                             "; so does --yes here)");
  }
  PullRequest order;
  order.model = missing.model;
  order.folder = missing.folder;
  order.verbosity = options.verbosity;
  pull_model(order, err);
}

// As find_model; its ModelError names what is published by nearly this name.
fs::path find_here(const std::string& model, const fs::path& folder) {
  try {
    return find_model(model, folder);
  } catch (const models::ModelError& error) {
    const std::string text = error.what();
    const bool has_close = text.find("did you mean") != std::string::npos;
    if (has_close || model.find('/') != std::string::npos) throw;
    throw models::ModelError(text + models::suggestion(model, hub_names()));
  }
}

// Published model of a name, if nothing is there by it; nullptr: it is there, or not published.
const HubModel* missing_model(const std::string& name_or_path, const fs::path& folder) {
  std::error_code error;
  const bool is_here = fs::exists(name_or_path, error) || !find_name(name_or_path, folder).empty();
  return is_here ? nullptr : find_hub_model(name_or_path);
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
  if (const HubModel* const model = missing_model(options.model, folder)) {
    (void)choose_device(options.device, npu::probe(), 1);  // what cannot run needs no model
    const std::string more = options.model_dir.empty() ? "" : " --model-dir " + options.model_dir;
    pull_missing({model, options.model, folder, more}, options, in, err);
  } else {
    (void)find_here(options.model, folder);
  }
  const fs::path weights = vad_weights_file();
  if (options.transcribe.vad.enabled && options.transcribe.vad.weights == weights.string() &&
      !fs::exists(weights, error)) {
    pull_missing({&hub_detector(), "--vad True", model_folder(), ""}, options, in, err);
  }
  const fs::path networks = speaker_model_folder();
  if (options.transcribe.speakers.enabled &&
      options.transcribe.speakers.weights == networks.string() && !fs::exists(networks, error)) {
    pull_missing({&hub_speakers(), "--speakers", model_folder(), ""}, options, in, err);
  }
}

fs::path named_model(const std::string& name_or_path, PullRequest order, const std::string& offline,
                     std::ostream& err) {
  order.model = missing_model(name_or_path, order.folder);
  if (order.model == nullptr) return find_here(name_or_path, order.folder);
  const bool is_usual = order.folder == model_folder();
  const std::string more = is_usual ? "" : " --model-dir " + order.folder.string();
  if (!offline.empty()) refuse_offline({order.model, name_or_path, order.folder, more}, offline);
  return pull_model(order, err);
}

}  // namespace wnpu::app
