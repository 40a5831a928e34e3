// A checkpoint of openai-whisper, and the vocabulary beside it.
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/read_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu::fuzz;
  static const InputFolder folder(kModelBytes);
  folder.write(as_text(data, size), {"model.pt", "vocab.json"});
  read_model(folder.path());
  return 0;
}
