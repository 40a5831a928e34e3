#include "app/jobs/rows/row_job.h"

#include <iostream>
#include <memory>
#include <ostream>

#include <nlohmann/json.hpp>

#include "app/input/url_inputs.h"
#include "app/jobs/notes.h"
#include "app/jobs/process.h"
#include "app/jobs/rows/row_fields.h"
#include "app/jobs/rows/row_server.h"
#include "app/jobs/rows/row_supervisor.h"
#include "app/jobs/rows/text_options.h"
#include "app/model_store/ensure_model.h"
#include "app/options/exit_code.h"
#include "app/system/checksums.h"
#include "app/system/signals.h"
#include "app/system/url.h"
#include "models/kernels/vectors/blas.h"

namespace wnpu::app {
namespace {

// Sends the other side what the end is of all rows; a row's own failure is its answer.
class EngineForRows {
 public:
  EngineForRows(const Options& options, const std::string& model_sha256)
      : options_(options), model_sha256_(model_sha256) {}

  void serve(Channel& channel) {
    Messages messages(std::cerr, options_.verbosity, false);
    kernels::use_gemm(options_.gemm);
    const Model model(options_.model, {options_.model_dir, options_.device, options_.threads});
    model.check(options_.transcribe);
    if (model_sha256_.empty()) {
      note_device(model.device(), model.threads(), options_, messages);
      model_sha256_ = sha256_of_model(model.info(), [] { return received_signal() != 0; });
    }
    Session session(model);
    channel.send_now({{kReady, model_sha256_}});
    is_ready_ = true;
    const Serving serving{options_.rows, options_.transcribe.word_timestamps, options_.each_audio,
                          [&](const Transcript& transcript) { note_end(transcript, messages); },
                          [&](const std::string& url, const std::function<bool()>& is_hung_up) {
                            return std::make_unique<FetchedRecording>(
                                fetch_request(options_, url, shown_url(url), is_hung_up),
                                std::cerr);
                          }};
    serve_rows(channel, serving, [&](std::size_t n_together, const RecordingCallbacks& callbacks) {
      session.transcribe_each(n_together, options_.transcribe, callbacks);
    });
  }

  bool is_ready() const { return is_ready_; }

 private:
  const Options& options_;
  std::string model_sha256_;
  bool is_ready_ = false;
};

void serve_or_tell(const Options& options, const std::string& model_sha256, Channel& channel) {
  EngineForRows engine(options, model_sha256);
  try {
    engine.serve(channel);
  } catch (const std::exception& error) {
    // Before it is ready no row is at work whose error it might be.
    if (!engine.is_ready() || !is_of_one_file(error))
      channel.send_now({{kEnd, exit_code_of(error)}});
    throw;
  }
}

// The engine for rows: a model, loaded once, and a session. `model_sha256` is computed once: it
// holds what the first process has said.
ServeRows engine_for_rows(const Options& options, std::shared_ptr<const std::string> model_sha256) {
  return [&options, model_sha256](Channel& channel) {
    return exit_code_after([&] {
      serve_or_tell(options, *model_sha256, channel);
      return static_cast<int>(ExitCode::ok);
    });
  };
}

}  // namespace

int do_rows(const Options& asked, const Environment& environment, const RowJob& job) {
  Options options = asked;
  check_row_urls(options);
  Messages messages(*environment.err, options.verbosity, false);
  ensure_model(options, messages);
  const auto model_sha256 = std::make_shared<std::string>();
  RowOrigin origin{"", options_sha256(options)};
  const auto on_ready = [&](const std::string& sha256) {
    *model_sha256 = origin.model_sha256 = sha256;
    job.on_ready(origin);
    keep_results_when_stopped();
  };
  const auto take = [&](const RowResult& result) {
    RowResult whole = result;
    whole.fields["model_sha256"] = origin.model_sha256;
    whole.fields["options_sha256"] = origin.options_sha256;
    job.take(whole, result_line(whole.row, whole.fields));
  };
  return run_rows({.limits = options.rows,
                   .is_isolated = options.isolation != Isolation::off,
                   .input = job.input,
                   .input_name = job.input_name,
                   .output = job.output,
                   .reader = job.reader,
                   .is_wanted = job.is_wanted,
                   .serve = engine_for_rows(options, model_sha256),
                   .on_ready = on_ready,
                   .take = take,
                   .stop_signal = environment.stop_signal,
                   .messages = messages});
}

}  // namespace wnpu::app
