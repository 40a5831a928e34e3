// Each kind of tokenizer file, of a model with six text tokens and two special ones.
#include "models/base/error.h"
#include "models/files/model_file.h"
#include "models/files/tokenizer_files.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kLongTextBytes);
  folder.write(fuzz::as_text(data, size),
               {"vocabulary.json", "vocabulary.txt", "vocab.json", "tokenizer.json"});
  try {
    for (const std::string& token : models::read_text_tokens(folder.path(), 6, 8)) {
      if (token.size() > models::kMaxTokenBytes) __builtin_trap();
    }
  } catch (const models::ModelError&) {
  }
  return 0;
}
