// transcribe MODEL RECORDING SAMPLES: a file, samples from memory, and a file that is left in the
// middle. SAMPLES are 16 bit, mono, 16 kHz, without a header, as a microphone gives them.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <stop_token>
#include <string>
#include <vector>
#include <whisper_npu.hpp>

namespace {

std::vector<float> read_samples(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<float> samples;
  for (std::int16_t sample = 0; file.read(reinterpret_cast<char*>(&sample), sizeof sample);) {
    samples.push_back(static_cast<float>(sample) / 32768.0F);
  }
  return samples;
}

void print(const std::string& title, const wnpu::Transcript& transcript) {
  std::cout << title << (transcript.truncated ? " (truncated)" : "") << ":";
  for (const wnpu::Segment& segment : transcript.segments) std::cout << segment.text;
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  try {
    const wnpu::Model model(arguments.at(1));
    wnpu::Session session(model);

    const wnpu::Audio recording = {.path = arguments.at(2)};
    print("file", session.transcribe(recording));

    const std::vector<float> samples = read_samples(arguments.at(3));
    print("samples", session.transcribe(wnpu::Audio::from_samples(samples)));

    // The token may come from anywhere; here it is stopped as soon as something is done.
    std::stop_source stop;
    wnpu::Callbacks callbacks;
    callbacks.on_progress = [&stop](double done_s, double /*total_s*/) {
      if (done_s > 0) stop.request_stop();
    };
    print("stopped", session.transcribe(recording, {}, callbacks, stop.get_token()));
  } catch (const std::exception& error) {
    std::cerr << "transcribe: " << error.what() << '\n';
    return 1;
  }
}
