#include <algorithm>
#include <utility>

#include "app/engine/available_cpus.h"
#include "app/engine/error.h"
#include "app/engine/model_path.h"
#include "app/engine/option_check.h"
#include "app/engine/session/model_state.h"
#include "models/base/stage_timer.h"
#include "npu/probe.h"

namespace wnpu {

namespace {

void load(const std::string& name_or_path, Model::State& state) {
  const ModelOptions& options = state.options;
  app::check_options(options.device);
  state.setup.emplace(options.device);
  app::ChosenDevice chosen = app::choose_device(*state.setup, npu::probe(), state.threads);
  const std::filesystem::path path =
      app::find_model(name_or_path, options.folder.empty() ? app::model_folder()
                                                           : std::filesystem::path(options.folder));
  const auto start = models::Clock::now();
  const auto loaded = std::make_shared<const app::LoadedModel>(
      path, app::cpu_precision(options.device), state.threads);
  if (chosen.devices) {
    chosen.devices->prepare(*loaded);
  } else {
    loaded->cpu_layers();
  }
  state.loaded = loaded;
  state.load_s = models::seconds_since(start);
  state.device = std::move(chosen.info);
  state.opened = std::move(chosen.devices);
  const models::PackedOrigin* const origin = loaded->file().origin();
  state.info = {.name = name_or_path,
                .path = path.string(),
                .format = std::string(loaded->file().format()),
                .sha256 = origin == nullptr ? "" : origin->source_sha256,
                .quantization = std::string(loaded->file().main_dtype())};
}

}  // namespace

std::unique_ptr<app::EncoderSet> Model::State::take_devices() {
  if (app::find_backend(device.used)->open == nullptr) return nullptr;
  const std::lock_guard lock(mutex);
  if (opened) return std::move(opened);
  app::DeviceSetup same = *setup;
  if (options.device.requested == app::kAutoDevice) same.request(device.used);
  return app::choose_device(same, npu::probe(), threads).devices;
}

Model::Model(const std::string& name_or_path, const ModelOptions& options)
    : state_(std::make_shared<State>()) {
  const unsigned most = app::available_cpus();
  state_->options = options;
  state_->threads = options.threads == 0 ? most : std::min(options.threads, most);
  app::with_errors(name_or_path, [&] { load(name_or_path, *state_); });
}

const ModelInfo& Model::info() const { return state_->info; }

const DeviceInfo& Model::device() const { return state_->device; }

unsigned Model::threads() const { return state_->threads; }

bool Model::is_multilingual() const { return state_->loaded->vocabulary().is_multilingual(); }

void Model::check(const TranscribeOptions& options) const {
  app::check_options(options);
  const models::Vocabulary& vocabulary = state_->loaded->vocabulary();
  const std::string& name = state_->info.name;
  const bool english_only = !vocabulary.is_multilingual();
  if (options.task == Task::translate && english_only) {
    throw Error("task",
                " translate: the model " + name + " is English-only; a multilingual one is needed");
  }
  const auto last = static_cast<models::TokenId>(vocabulary.size()) - 1;
  for (const models::TokenId token : options.suppress_tokens) {
    if (token >= -1 && token <= last) continue;
    throw Error("suppress_tokens", ": expected -1 or ids up to " + std::to_string(last) +
                                       ", the last of the model " + name + ", found " +
                                       std::to_string(token));
  }
  const std::string& language = options.language;
  if (language.empty()) return;
  const bool known =
      english_only ? language == "en" : vocabulary.language_token(language).has_value();
  if (!known) {
    throw Error("language", " " + language + ": the model " + name +
                                (english_only ? " is English-only" : " does not know it"));
  }
}

}  // namespace wnpu
