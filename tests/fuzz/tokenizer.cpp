// Each kind of tokenizer file, of a model with six text tokens and two special ones.
#include "models/base/error.h"
#include "models/files/tokenizer_files.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kTextBytes);
  folder.write(fuzz::as_text(data, size),
               {"vocabulary.json", "vocabulary.txt", "vocab.json", "tokenizer.json"});
  try {
    models::read_text_tokens(folder.path(), 6, 8);
  } catch (const models::ModelError&) {
  }
  return 0;
}
