// The command `serve`: a server of OpenAI's interface for transcriptions.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::serve {

app::Subcommand serve_command();

}  // namespace wnpu::serve
