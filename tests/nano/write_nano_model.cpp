// write_nano_model FOLDER: FOLDER/model, a small Whisper of random weights, and FOLDER/tone.wav.
// For tests of the program that need no download.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_model.h"
#include "tests/support/wav_file.h"

int main(int argc, char** argv) {
  using namespace wnpu::tests;
  try {
    if (argc != 2) throw std::invalid_argument("expected one argument, a folder");
    const std::filesystem::path folder = argv[1];
    write(to_ctranslate2(make_nano_model(), Ct2Quantization::float16), folder / "model");
    std::ofstream(folder / "tone.wav", std::ios::binary) << wav_of_tone(3);
  } catch (const std::exception& error) {
    std::cerr << "write_nano_model: " << error.what() << '\n';
    return 1;
  }
}
