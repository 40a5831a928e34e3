// A CTranslate2 folder.
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/read_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu::fuzz;
  static const InputFolder folder(kModelBytes);
  folder.write(as_text(data, size),
               {"model.bin", "config.json", "vocabulary.json", "vocabulary.txt"});
  read_model(folder.path());
  return 0;
}
