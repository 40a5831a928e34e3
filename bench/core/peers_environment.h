// Paths of the bench's Python: the scripts that are installed with the program, and the environment
// that bench/peers.sh makes for them.
#pragma once

#include <filesystem>
#include <string>

namespace wnpu::bench {

// Environments and ggml files: $XDG_CACHE_HOME/whisper-npu/peers, or below ~/.cache.
std::filesystem::path peers_folder();
// The environment's python; whisper.cpp has one of its own where it was compiled for this machine
// (peers.sh --native).
std::string peers_python(const std::string& peer);
// A script of bench/, in share/whisper-npu beside the folder of this program. Throws
// std::runtime_error where it is not there.
std::filesystem::path bench_script(const std::string& name);

}  // namespace wnpu::bench
