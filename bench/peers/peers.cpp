// Setting up peers and calling them.
#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/options/exit_code.h"
#include "bench/core/child_process.h"
#include "bench/peers/against.h"
#include "models/base/folder.h"

namespace wnpu::bench {
namespace {

namespace fs = std::filesystem;

// As in peers.py.
constexpr std::array<std::string_view, 4> kPeers = {"faster-whisper", "faster-whisper-batched",
                                                    "whisper.cpp", "openai-whisper"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// By the module that peers.py imports.
bool is_installed(const std::string& peer) {
  const std::string_view module = peer == "openai-whisper" ? "whisper"
                                  : peer == "whisper.cpp"  ? "pywhispercpp"
                                                           : "faster_whisper";
  std::error_code error;
  const fs::path libraries = fs::path(peers_python(peer)).parent_path().parent_path() / "lib";
  return std::ranges::any_of(models::names_in(libraries, error), [&](const std::string& python) {
    return fs::exists(libraries / python / "site-packages" / module, error);
  });
}

}  // namespace

std::vector<std::string> parse_peers(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream words(list);
  for (std::string name; std::getline(words, name, ',');) {
    if (std::ranges::find(kPeers, name) == kPeers.end()) {
      std::string known = "--against: expected one or more of";
      for (const std::string_view peer : kPeers) known.append(" ").append(peer).append(",");
      throw app::UsageError(known.append(" found ").append(name));
    }
    if (!contains(names, name)) names.push_back(name);
  }
  if (names.empty()) throw app::UsageError("--against: expected names of programs, found none");
  return names;
}

std::string make_peers(const std::vector<std::string>& names, const std::string& model,
                       const std::function<bool(const std::string&)>& may_install) {
  const std::string name = fs::weakly_canonical(model).filename().string();
  const bool has_ggml = fs::exists(peers_folder() / (name + "-q8_0.bin"));
  const auto first_missing = std::ranges::find_if_not(names, is_installed);
  const bool has_all = first_missing == names.end();
  if (has_all && (has_ggml || !contains(names, "whisper.cpp"))) return "";
  try {
    std::vector<std::string> command = {"bash", bench_script("peers.sh").string(), model};
    if (contains(names, "openai-whisper")) command.emplace_back("--with-openai");
    if (!has_all && !may_install(*first_missing + " is not in " + peers_folder().string())) {
      return *first_missing + " is not in " + peers_folder().string() +
             " (--yes installs it; so does bash " + command[1] + ")";
    }
    const int status = run_command(command);
    return status == 0 ? "" : command[1] + " failed with " + std::to_string(status);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::vector<std::string> peer_command(const std::string& name, const PeerSettings& settings) {
  return {peers_python(name),
          bench_script("peers.py").string(),
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

PeerRun ask_peer(AnsweringProcess& peer, const std::string& file) {
  const std::string answer = peer.ask(file);
  try {
    const auto json = nlohmann::json::parse(answer);
    if (json.contains("error")) {
      throw std::runtime_error(json.value("peer", peer.program()) + ": " + file + ": " +
                               json["error"].get<std::string>());
    }
    return {json.at("peer"),    json.at("version"),      json.at("precision"), json.at("text"),
            json.at("seconds"), json.at("load_seconds"), json.at("rss")};
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error(peer.program() + ": expected a result in JSON, found " + answer);
  }
}

}  // namespace wnpu::bench
