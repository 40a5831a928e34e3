// Working memory, threads and devices of a session or a service.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "app/engine/available_cpus.h"
#include "app/engine/session/listeners.h"
#include "app/engine/session/model_state.h"
#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recognizer.h"

namespace wnpu {

struct __attribute__((visibility("hidden"))) Session::State {
  State(const Model& of_model, Model::State& shared, unsigned n_threads)
      : model(of_model),
        model_load_s(shared.load_s),
        threads(n_threads == 0 ? shared.threads : std::min(n_threads, app::available_cpus())),
        devices(shared.take_devices()),
        recognizer(shared.loaded, threads, devices.get(),
                   app::cpu_share_of(shared.options.device)) {}

  // For a file, or files, with up to n_together windows at work at once.
  app::Listeners begin(const TranscribeOptions& options, std::size_t n_together);
  void transcribe_together(std::size_t n_together, const TranscribeOptions& options,
                           const RecordingCallbacks& callbacks);
  // Adds what was not known without the session.
  void describe(Transcript& transcript, std::size_t n_together);

  Model model;
  double model_load_s;
  unsigned threads;  // that were asked for
  std::unique_ptr<app::EncoderSet> devices;
  app::Recognizer recognizer;
  double load_s = 0;
  app::ListenerSet listeners;
};

}  // namespace wnpu
