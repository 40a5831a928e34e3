// Setting up peers and calling them.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "app/exit_code.h"
#include "app/model_path.h"
#include "bench/against.h"
#include "bench/run_command.h"

namespace wnpu::bench {
namespace {

namespace fs = std::filesystem;

// As in peers.py.
constexpr std::array<std::string_view, 4> kPeers = {"faster-whisper", "faster-whisper-batched",
                                                    "whisper.cpp", "openai-whisper"};

fs::path peers_folder() { return app::model_folder() / "peers"; }

// The scripts of the source tree that this program was built from.
fs::path script(const std::string& name) { return fs::path(WNPU_BENCH_DIR) / name; }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<std::string> parse_peers(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string name; std::getline(words, name, ',');) {
    if (std::ranges::find(kPeers, name) == kPeers.end()) {
      std::string known;
      for (const std::string_view peer : kPeers)
        known.append(known.empty() ? "" : ", ").append(peer);
      throw app::UsageError("--against: expected one or more of " + known + ", found " + name);
    }
    if (!contains(names, name)) names.push_back(name);
  }
  if (names.empty()) throw app::UsageError("--against: expected names of programs, found none");
  return names;
}

// whisper.cpp compiled for this machine (peers.sh --native) where that was made.
std::string peers_python(const std::string& peer) {
  const fs::path native = peers_folder() / "venv-native" / "bin" / "python";
  if (peer == "whisper.cpp" && fs::exists(native)) return native.string();
  return (peers_folder() / "venv" / "bin" / "python").string();
}

std::string make_peers(const std::vector<std::string>& names, const std::string& model) {
  const std::string name = fs::weakly_canonical(model).filename().string();
  const bool has_python = fs::exists(peers_python(""));
  const bool has_ggml = fs::exists(peers_folder() / (name + "-q8_0.bin"));
  if (has_python && (has_ggml || !contains(names, "whisper.cpp"))) return "";
  std::vector<std::string> command = {"bash", script("peers.sh").string(), model};
  if (!has_python && contains(names, "openai-whisper")) command.emplace_back("--with-openai");
  const int status = run_command(command);
  return status == 0 ? "" : command[1] + " failed with " + std::to_string(status);
}

std::vector<std::string> peer_command(const std::string& name, const PeerSettings& settings) {
  return {peers_python(name),
          script("peers.py").string(),
          name,
          "--model",
          settings.model,
          "--threads",
          std::to_string(settings.threads),
          "--beam",
          std::to_string(settings.beam_size),
          "--batch-size",
          std::to_string(settings.batch_size),
          "--language",
          settings.language};
}

}  // namespace wnpu::bench
