// A ggml file.
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/read_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu::fuzz;
  static const InputFolder folder(kLargeModelBytes);
  folder.write(as_text(data, size), {"ggml.bin"});
  read_model(folder.path() / "ggml.bin");
  return 0;
}
