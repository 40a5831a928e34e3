// A model of one format, read as the program reads it. CMakeLists.txt gives the format: the files
// that an input is cut into, the path that is opened, the folder's size.
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/read_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu::fuzz;
  static const InputFolder folder(WNPU_FUZZ_BYTES);
  folder.write(as_text(data, size), {WNPU_FUZZ_FILES});
  read_model(folder.path() / WNPU_FUZZ_PATH);
  return 0;
}
