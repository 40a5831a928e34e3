// A batch over files of its own, with a recogniser that needs no model.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <unistd.h>

#include "app/jobs/run.h"
#include "audio/read/error.h"
#include "npu/device.h"
#include "tests/support/temporary_folder.h"

namespace wnpu::tests {

using namespace wnpu::app;

// Two segments a file that name the file, or the error that its contents ask for.
inline wnpu::Transcript fake_transcribe(const std::string& input,
                                        const wnpu::Callbacks& callbacks) {
  const std::string contents = contents_of(input);
  if (contents == "undecodable") throw wnpu::audio::AudioError(input + ": no audio");
  if (contents == "device") throw wnpu::npu::DeviceError("npu: gone");
  wnpu::Transcript transcript;
  transcript.input.path = input;
  transcript.input.duration = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    if (callbacks.should_stop()) {
      transcript.truncated = true;
      break;
    }
    wnpu::Segment segment;
    segment.id = i;
    segment.start = static_cast<double>(i);
    segment.end = segment.start + 1;
    segment.text = " " + contents + std::to_string(i);
    transcript.segments.push_back(segment);
    callbacks.on_segment(segment);
    callbacks.on_progress(segment.end, 2);
  }
  return transcript;
}

// One run with files of its own for stdout and stderr.
struct Run {
  TemporaryFolder folder;
  std::ostringstream err;
  Options options;
  Environment environment;

  Run() {
    environment.err = &err;
    options.verbosity = Verbosity::quiet;
  }

  // How many files are in the output folder.
  std::size_t n_results() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(options.output_dir), {}));
  }

  // Results go to the folder "out".
  void write_to_folder(std::vector<Format> formats) {
    options.output_dir = folder.path() / "out";
    options.formats = std::move(formats);
  }
  std::string result(const std::string& name) const {
    return contents_of(folder.path() / "out" / name);
  }
  // A signal that comes when it has been asked for so often.
  void stop_after(int n_asked) {
    environment.stop_signal = [n_asked, calls = 0]() mutable { return ++calls > n_asked ? 2 : 0; };
  }
  void stop_no_more() {
    environment.stop_signal = [] { return 0; };
  }

  std::string add(const std::string& name, const std::string& contents) {
    options.inputs.push_back(folder.make_file(name, contents));
    return options.inputs.back();
  }
  int go(const TranscribeFn& transcribe = fake_transcribe) {
    const auto plan = plan_outputs(options);
    FILE* const out = std::fopen((folder.path() / "stdout").c_str(), "w");
    environment.out = ::fileno(out);
    try {
      BatchProgress progress;
      const int code = wnpu::app::run(options, plan, transcribe, environment, progress);
      std::fclose(out);
      return code;
    } catch (...) {
      std::fclose(out);
      throw;
    }
  }
  std::string out() const { return contents_of(folder.path() / "stdout"); }
};

}  // namespace wnpu::tests
