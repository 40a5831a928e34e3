// --against: other Whisper programs on the same audio and weights, run in turn with transcribe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/core/child_process.h"
#include "bench/core/results.h"
#include "bench/input/references.h"

namespace wnpu::bench {

// Settings that every peer is given.
struct PeerSettings {
  std::string model;  // CTranslate2 folder
  unsigned threads = 1;
  std::size_t beam_size = 1;
  std::size_t batch_size = 8;  // of faster-whisper-batched
  std::string language;        // code
};

// "faster-whisper,whisper.cpp" -> names. Throws UsageError for one that peers.py does not know.
std::vector<std::string> parse_peers(const std::string& list);

// Runs bench/peers.sh where programs, or the ggml files of the model, are missing; programs are
// installed where `may_install`, which is given what and where, says so. Empty, or why it failed.
std::string make_peers(const std::vector<std::string>& names, const std::string& model,
                       const std::function<bool(const std::string&)>& may_install);

// The command of a peer's process.
std::vector<std::string> peer_command(const std::string& name, const PeerSettings& settings);

// One run of a peer on one file.
struct PeerRun {
  std::string peer;
  std::string version;
  std::string precision;
  std::string text;
  double seconds = 0;       // audio file to text
  double load_seconds = 0;  // the model, once a process
  std::uint64_t peak_rss_bytes = 0;
};

// Has bench/peers.py transcribe a file. Throws std::runtime_error with the peer's own words where
// it failed or ended.
PeerRun ask_peer(AnsweringProcess& peer, const std::string& file);

// A program of the comparison: its runs of all files, until it failed.
struct Contender {
  std::string name;
  std::unique_ptr<AnsweringProcess> process;  // none: whisper-npu itself
  std::vector<double> seconds;                // a run of all files each
  std::vector<PeerRun> last;                  // by file
  std::string failure;                        // why it is out; empty: it is in

  bool is_in() const { return failure.empty(); }
};

// File that all contenders transcribe.
struct HeardFile {
  std::string name;
  double audio_s = 0;
};

// Times, ratios pair by pair and error rates of those that are in; the first is whisper-npu.
void add_contenders(const std::vector<Contender>& contenders, const std::vector<HeardFile>& files,
                    const References& references, Results& results);

}  // namespace wnpu::bench
