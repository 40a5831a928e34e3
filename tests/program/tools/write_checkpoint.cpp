// write_checkpoint MODEL FILE.pt: a model's weights, in fp16, as openai-whisper's checkpoint, and
// vocab.json beside it.
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "models/files/open_model.h"
#include "models/files/tensor_names.h"
#include "tests/nano/nano_pytorch.h"

int main(int argc, char** argv) {
  using namespace wnpu;
  try {
    if (argc != 3) throw std::invalid_argument("expected a model and a file");
    const auto file = models::open_model(argv[1]);
    tests::NanoModel model{file->dims(), {}, file->token_bytes(), file->config()};
    for (const models::TensorSpec& spec : models::whisper_tensors(file->dims())) {
      const models::TensorView& view = file->tensor(spec.name, spec.shape);
      tests::NanoTensor& tensor = model.tensors[spec.name];
      tensor.shape = spec.shape;
      tensor.values.resize(view.size());
      models::dequantize(view, tensor.values);
    }
    tests::write(tests::to_pytorch(model), model, argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "write_checkpoint: " << error.what() << '\n';
    return 1;
  }
}
