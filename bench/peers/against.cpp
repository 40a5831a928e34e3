#include "bench/peers/against.h"

#include <algorithm>
#include <iostream>

#include "app/model_store/hub/offer.h"
#include "app/options/exit_code.h"
#include "app/system/progress.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"
#include "bench/rtf/rtf.h"

namespace wnpu::bench {
namespace {

constexpr std::size_t kPeerBatch = 8;  // where ours is 1: faster-whisper's default

// whisper-npu in the form of a peer's run.
PeerRun as_peer_run(const FileRun& run, double load_s) {
  return {"whisper-npu",           "",          run.transcript.device.cpu_precision,
          text_of(run.transcript), run.total_s, load_s,
          peak_rss_bytes()};
}

class Contest {
 public:
  Contest(const BenchOptions& options, std::vector<std::string> files, app::Messages& messages)
      : options_(options), files_(std::move(files)), messages_(messages), program_(options.work) {
    contenders_.emplace_back().name = "whisper-npu";
  }

  // One run of each file warms up, and settles the language for all.
  void warm_up() {
    for (const std::string& file : files_) warm_up_.push_back(program_.run(file));
  }

  // Model folder that all contenders read. Throws UsageError for another format, or where
  // whisper-npu had to find out the language, which is more work than the peers have.
  std::string ctranslate2_folder() const {
    const ModelInfo& model = warm_up_.front().transcript.model;
    if (model.format != "ctranslate2") {
      throw app::UsageError("--against: " + model.path +
                            ": expected a CTranslate2 folder, whose weights all peers can take, "
                            "found " +
                            model.format);
    }
    if (!warm_up_.front().transcript.language_probs.empty()) {
      throw app::UsageError("--against: needs --language: the peers are told it too");
    }
    return model.path;
  }

  void start_peers(const std::vector<std::string>& names, const std::string& failure) {
    const Transcript& first = warm_up_.front().transcript;
    const std::size_t batch = options_.work.transcribe.batch_size;
    const PeerSettings settings{first.model.path, program_.threads(),
                                options_.work.transcribe.beam_size, batch > 1 ? batch : kPeerBatch,
                                first.language};
    for (const std::string& name : names) {
      Contender& peer = contenders_.emplace_back();
      peer.name = name;
      peer.failure = failure;
      if (!peer.is_in()) continue;
      try {
        peer.process = std::make_unique<AnsweringProcess>(peer_command(name, settings));
        for (const std::string& file : files_) ask_peer(*peer.process, file);
      } catch (const std::runtime_error& error) {
        drop(peer, error.what());
      }
    }
  }

  // A B C A B C: each file by everyone before the next.
  void run() {
    for (Contender& one : contenders_) {
      one.seconds.push_back(0);
      one.last.clear();
    }
    for (const std::string& file : files_) {
      for (Contender& one : contenders_) {
        if (one.is_in()) run_file(one, file);
      }
    }
  }

  // Someone is left out.
  bool is_short() const { return !std::ranges::all_of(contenders_, &Contender::is_in); }

  double cpu_seconds() const {
    double seconds = own_cpu_seconds();
    for (const Contender& one : contenders_) {
      if (one.process) seconds += one.process->cpu_seconds();
    }
    return seconds;
  }

  Results results(const References& references) const {
    Results results = results_of_mode("against");
    BenchOptions settled = options_;
    settled.work.threads = program_.threads();
    results.options = option_list(settled, files_, warm_up_.front().transcript);
    std::vector<HeardFile> heard;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      heard.push_back({files_[i], warm_up_[i].transcript.input.duration});
    }
    add_contenders(contenders_, heard, references, results);
    return results;
  }

 private:
  void run_file(Contender& one, const std::string& file) {
    try {
      one.last.push_back(one.process ? ask_peer(*one.process, file)
                                     : as_peer_run(program_.run(file), program_.load_s()));
      one.seconds.back() += one.last.back().seconds;
    } catch (const std::runtime_error& error) {
      if (!one.process) throw;
      drop(one, error.what());
    }
  }

  void drop(Contender& peer, const std::string& why) {
    peer.failure = why;
    messages_.error(peer.name + " is left out: " + why);
  }

  const BenchOptions& options_;
  std::vector<std::string> files_;
  app::Messages& messages_;
  TranscribeRuns program_;
  std::vector<FileRun> warm_up_;
  std::vector<Contender> contenders_;
};

}  // namespace

Results measure_against(const BenchOptions& options) {
  app::Messages messages(std::cerr, options.work.verbosity, false);
  const std::vector<std::string> names = parse_peers(options.mode_value);
  const References references(options.references);
  Contest contest(options, files_to_measure(options, references), messages);
  contest.warm_up();
  const std::string model = contest.ctranslate2_folder();
  const auto may_install = [&options](const std::string& missing) {
    const std::string question =
        missing +
        ": pip installs the programs of --against and their libraries there (0.5 GB; "
        "openai-whisper: 5 GB, openvino-genai: 6 GB)\nInstall them now?";
    return app::may_fetch(options.work, question, std::cin, std::cerr);
  };
  contest.start_peers(names, make_peers(names, model, may_install));

  const NoiseMeter noise;
  const double cpu_before = contest.cpu_seconds();
  for (std::size_t i = 0; i < options.runs; ++i) {
    contest.run();
    messages.note("run " + std::to_string(i + 1) + " of " + std::to_string(options.runs));
  }
  const auto others = noise.noise(contest.cpu_seconds() - cpu_before);
  Results results = contest.results(references);
  double spread = 1;
  for (const Figure& figure : results.figures) {
    if (figure.name == "total") spread = std::max(spread, figure.runs->spread());
  }
  results.noise = judge_noise(spread, others);
  if (contest.is_short()) results.exit_code = static_cast<int>(app::ExitCode::some_failed);
  return results;
}

}  // namespace wnpu::bench
