// The engine for rows: a model, loaded once, and a session.
#pragma once

#include <memory>
#include <string>

#include "app/jobs/rows/row_process.h"
#include "app/options/options.h"

namespace wnpu::app {

// `model_sha256` is computed once: it holds what the first process has said.
ServeRows engine_for_rows(const Options& options, std::shared_ptr<const std::string> model_sha256);

}  // namespace wnpu::app
