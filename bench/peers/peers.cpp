// Setting up peers and calling them.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
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
constexpr std::string_view kOpenVino = "openvino-genai";
constexpr std::array kPeers = std::to_array<std::string_view>(
    {"faster-whisper", "faster-whisper-batched", "whisper.cpp", "openai-whisper", kOpenVino});

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// By the module that peers.py imports.
bool is_installed(const std::string& peer) {
  const std::string_view module = peer == "openai-whisper" ? "whisper"
                                  : peer == "whisper.cpp"  ? "pywhispercpp"
                                  : peer == kOpenVino      ? "openvino_genai"
                                                           : "faster_whisper";
  std::error_code error;
  const fs::path libraries = fs::path(peers_python(peer)).parent_path().parent_path() / "lib";
  return std::ranges::any_of(models::names_in(libraries, error), [&](const std::string& python) {
    return fs::exists(libraries / python / "site-packages" / module, error);
  });
}

// Whether the peer's program and its model's files of `name` are there.
bool is_ready(const std::string& peer, const std::string& name) {
  const std::string file = peer == "whisper.cpp" ? "-q8_0.bin"
                           : peer == kOpenVino   ? "-openvino"
                                                 : "";
  return is_installed(peer) && (file.empty() || fs::exists(peers_folder() / (name + file)));
}

// Runs bench/peers.sh for those of `names` that it sets up with `options`.
std::string run_peers_script(const std::vector<std::string>& names, const std::string& model,
                             const std::vector<std::string>& options,
                             const std::function<bool(const std::string&)>& may_install) {
  const std::string name = fs::weakly_canonical(model).filename().string();
  if (std::ranges::all_of(names, [&](const auto& peer) { return is_ready(peer, name); })) return "";
  std::vector<std::string> command = {"bash", bench_script("peers.sh").string(), model};
  command.insert(command.end(), options.begin(), options.end());
  const auto missing = std::ranges::find_if_not(names, is_installed);
  if (missing != names.end()) {
    const std::string what = *missing + " is not in " + peers_folder().string();
    if (!may_install(what)) return what + " (--yes installs it; so does bash " + command[1] + ")";
  }
  const int status = run_command(command);
  return status == 0 ? "" : command[1] + " failed with " + std::to_string(status);
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
  std::vector<std::string> usual;
  std::ranges::copy_if(names, std::back_inserter(usual),
                       [](const std::string& each) { return each != kOpenVino; });
  std::vector<std::string> options;
  if (contains(names, "openai-whisper")) options.emplace_back("--with-openai");
  try {
    std::string failure = run_peers_script(usual, model, options, may_install);
    if (failure.empty() && usual.size() < names.size()) {
      failure = run_peers_script({std::string(kOpenVino)}, model, {"--openvino"}, may_install);
    }
    return failure;
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
