// A model from the hub into the models' folder, whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

#include "app/model_store/hub/hub_model.h"
#include "app/options/options.h"

namespace wnpu::app {

struct PullRequest {
  const HubModel* model = nullptr;
  std::filesystem::path folder;  // of all models
  std::string format;            // one of kHubFormats; empty: the first that there is
  std::string mirror;            // in place of all hosts; empty: WHISPER_NPU_HUB, or none
  Verbosity verbosity = Verbosity::normal;
  std::function<bool()> should_stop = {};  // ends it with models::Stopped
};

// Pulls the model, or the detector of speech (catalogue.h), and returns its path, in the folder of
// its name. Nothing is pulled if that is there already; an interrupted pull is resumed. Files are
// verified (catalogue.h, pins.h) and the model opened before it gets its name. Throws ModelError,
// OutputError, LibraryError.
std::filesystem::path pull_model(const PullRequest& order, std::ostream& err);

// Mirror's URL: --source, else WHISPER_NPU_HUB; empty: neither. Throws UsageError for no HTTP URL.
std::string hub_mirror(const std::string& source);

// "148 MB from Systran/faster-whisper-base (CTranslate2, MIT)".
std::string offer_text(const HubSource& source);

}  // namespace wnpu::app
