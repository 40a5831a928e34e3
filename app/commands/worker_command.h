// The command `worker`: rows on stdin, results on stdout.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand worker_command();

}  // namespace wnpu::app
