// The command `worker`: rows on stdin, results on stdout.
#pragma once

#include "app/cli/subcommand.h"

namespace wnpu::app {

Subcommand worker_command();

}  // namespace wnpu::app
