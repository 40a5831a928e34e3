#include "app/serve/serve_command.h"

#include <csignal>
#include <iostream>

#include "app/engine/model_path.h"
#include "app/jobs/notes.h"
#include "app/model_store/ensure_model.h"
#include "app/options/exit_code.h"
#include "app/serve/api.h"
#include "app/serve/http/server.h"
#include "app/serve/http/service_manager.h"
#include "app/serve/serve_options.h"
#include "app/system/signals.h"
#include "models/kernels/vectors/blas.h"

namespace wnpu::serve {
namespace {

// Each is there, or is fetched now; the first is loaded, so that what is wrong with it is told.
LoadedModelPtr prepare(ServeOptions& options, app::Messages& messages) {
  for (const std::string& name : options.models) {
    app::Options work = options.work;
    work.model = name;
    app::ensure_model(work, messages);
    app::find_model(
        name, work.model_dir.empty() ? app::model_folder() : std::filesystem::path(work.model_dir));
  }
  auto first = std::make_shared<LoadedModel>(options.models.front(), options);
  first->model.check(options.work.transcribe);
  app::note_device(first->model.device(), first->model.threads(), options.work, messages);
  return first;
}

RealtimeOptions realtime_options(const ServeOptions& options) {
  RealtimeOptions live{.transcribe = options.work.transcribe,
                       .threads = options.work.threads,
                       .most_sessions = options.realtime_sessions};
  if (live.transcribe.vad.weights.empty()) live.transcribe.vad.weights = app::vad_weights_file();
  live.transcribe.vad.enabled = false;  // a detector of blocks is asked
  return live;
}

int serve(const ServeOptions& asked, const std::vector<std::string>& /*files*/) {
  ServeOptions options = asked;
  if (options.models.empty()) options.models = {options.work.model};
  app::use_log_format(options.work.log_format);
  app::Messages messages(std::cerr, options.work.verbosity, false);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a disk that is full
  kernels::use_gemm(options.work.gemm);
  ApiKeys keys = read_api_keys(options.api_keys);
  HttpServer server(options.place, options.limits);
  LoadedModelPtr first = prepare(options, messages);
  const auto load = [&](const std::string& name) {
    return std::make_shared<LoadedModel>(name, options);
  };
  Models models(options.models, load, server.post(), server.in_background());
  models.put(options.models.front(), std::exchange(first, nullptr));
  Admission admission(options.limits);
  Metrics metrics;
  Log log(messages, options.work.verbosity == app::Verbosity::quiet);
  RealtimeRoom realtime(realtime_options(options));
  Shared shared{options,
                server.post(),
                server.in_background(),
                models,
                admission,
                metrics,
                std::make_shared<SpoolRoom>(options.spool_dir, options.limits.spool_bytes),
                realtime,
                log,
                keys};
  Api api(shared, [&] { return server.n_connections(); });
  const auto keep_alive = std::chrono::duration_cast<Models::Clock::duration>(
      std::chrono::duration<double>(options.keep_alive_s));
  app::keep_results_when_stopped();
  messages.note("listening at " + server.address());
  tell_manager("READY=1");
  server.run({api, app::received_signal, [&] {
                if (options.keep_alive_s > 0) {
                  models.unload_idle(Models::Clock::now(), keep_alive);
                }
              }});
  models.clear();
  return static_cast<int>(app::ExitCode::ok);
}

}  // namespace

app::Subcommand serve_command() {
  return app::subcommand("serve",
                         "A server: recordings over HTTP, by OpenAI's interface of transcriptions",
                         add_serve_options, serve);
}

}  // namespace wnpu::serve
