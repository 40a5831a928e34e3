// A HuggingFace folder.
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/read_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu::fuzz;
  static const InputFolder folder(kModelBytes);
  folder.write(as_text(data, size),
               {"config.json", "generation_config.json", "model.safetensors", "vocab.json",
                "model.safetensors.index.json", "model-1.safetensors", "model-2.safetensors"});
  read_model(folder.path());
  return 0;
}
