#include "app/serve/serve_options.h"

#include "app/engine/option_check.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/options/work_options.h"

namespace wnpu::serve {
namespace {

using app::add_group;
using app::add_integer;
using app::add_number;

constexpr app::Range<double> kSeconds = {0.1, 1e6};

void add_place(CLI::App& app, ServeOptions& options) {
  app.add_option("--host", options.place.host,
                 "Address to listen on; 0.0.0.0 or :: for all of this machine's")
      ->type_name("ADDRESS")
      ->capture_default_str();
  add_integer(app, "--port", options.place.port, {{0, 65535}}, "0: one that is free");
  app.add_option_function<std::vector<std::string>>(
         "--models", [&options](const std::vector<std::string>& names) { options.models = names; },
         "Models by name, the usual one first, instead of --model; each is loaded when it is first "
         "asked for")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("NAME,...");
  add_number(app, "--keep-alive", options.keep_alive_s, {{0, 1e8}},
             "Seconds after which a model that nobody uses is unloaded; 0: never");
  app.add_option("--api-keys", options.api_keys,
                 "Only clients with a key may ask: lines of a key's SHA-256 in hex, and of its "
                 "requests-per-minute=N and audio-seconds-per-day=N")
      ->type_name("FILE");
  app.add_option("--cors", options.cors,
                 "Web pages of this origin may ask, as https://example.org; * for all")
      ->type_name("ORIGIN");
  app.add_option("--spool-dir", options.spool_dir,
                 "Folder for uploads while they are worked on; TMPDIR, else /var/tmp if not given")
      ->type_name("DIR");
}

void add_bytes(CLI::App& app, const std::string& name, std::uint64_t& target,
               const std::string& usual, const std::string& help) {
  app.add_option_function<std::string>(
         name, [&target, name](const std::string& text) { target = app::parse_size(name, text); },
         help)
      ->type_name("SIZE")
      ->default_str(usual);
}

void add_limits(CLI::App& app, Limits& limits) {
  add_bytes(app, "--max-body", limits.body_bytes, "1G", "Of a request");
  add_bytes(app, "--max-spool", limits.spool_bytes, "8G", "Of all uploads on disk");
  add_number(app, "--max-audio", limits.audio_s, {app::ranges::kMaxDuration},
             "Seconds of audio of a request");
  add_integer(app, "--max-requests", limits.requests, {{1, 100000}},
              "Transcribed or waiting at once; more are refused (429)");
  add_number(app, "--max-queue", limits.queue_s, {{1, 1e8}},
             "Seconds of audio that wait; while there are more, requests are refused (429)");
  add_integer(app, "--max-connections", limits.connections, {{1, 1000000}}, "Open at once");
  add_number(app, "--header-timeout", limits.header_s, {kSeconds},
             "Seconds for the head of a request, once it has begun");
  add_number(app, "--body-timeout", limits.body_s, {kSeconds},
             "Seconds for each MiB of a body, and for a client to take what is sent");
  add_number(app, "--idle-timeout", limits.idle_s, {kSeconds},
             "Seconds between two requests of a connection");
}

}  // namespace

void add_serve_options(CLI::App& app, ServeOptions& options) {
  app::Options& work = options.work;
  work.manifest.file = "-";  // windows of several requests are decoded together, as of rows
  add_group(app, "Server", [&] { add_place(app, options); });
  add_group(app, "Limits", [&] {
    add_limits(app, options.limits);
    add_integer(app, "--realtime-sessions", options.realtime_sessions, {{0, 1000}},
                "Of live speech at once, each with a thread of its own; more are refused (503)");
  });
  add_group(app, "Messages and recordings", [&] {
    app::add_url_options(app, work);
    app.add_flag_callback(
        "-q,--quiet", [&work] { work.verbosity = app::Verbosity::quiet; }, "Only errors on stderr");
    app::add_log_format(app, work.log_format);
  });
  app::add_work_options(app, work);
  app.remove_option(app.get_option("--task"));  // the path of a request says it
  app.get_option("--batch-size")
      ->description("Windows of all requests that are decoded together")
      ->default_str(std::to_string(work.rows.n_together));
  app.get_option("--allow-urls")->description("Requests may name a recording by `url`");
  add_group(app, "Model and device", [&] { app::add_pull_options(app, work); });
}

}  // namespace wnpu::serve
