// `whisper-npu bench`: options -> one mode -> tables or JSON on stdout.
#pragma once

#include "app/options/subcommand.h"
#include "bench/core/bench_options.h"

namespace CLI {
class Option;
}

namespace wnpu::bench {

// Its options live as long as the command does.
app::Subcommand bench_command();

// While `option` is parsed, its value goes to `given`, {"clip_timestamps", "0,2"}, unless it is the
// default. Of files the name and, where they can be read, the beginning of their content's SHA-256;
// of folders the name alone: results name no machine's paths. Both must outlive the parsing.
void note_given(CLI::Option& option, GivenOptions& given);

}  // namespace wnpu::bench
