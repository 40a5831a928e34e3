// Options of the command `serve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options/options.h"
#include "app/serve/http/limits.h"

namespace wnpu::serve {

struct ServeOptions {
  app::Options work;
  Place place = {};
  std::vector<std::string> models = {};  // names or paths; empty: work.model
  double keep_alive_s = 300;             // of a model that nobody uses; 0: for ever
  std::size_t n_readers = 2;
  std::size_t realtime_sessions = 4;  // at once
  std::string api_keys = {};          // a file; empty: everybody may
  std::string cors = {};              // an origin, or "*"; empty: none
  std::string spool_dir = {};         // empty: TMPDIR, else /var/tmp
  Limits limits = {};
};

void add_serve_options(CLI::App& app, ServeOptions& options);

}  // namespace wnpu::serve
