// An ONNX encoder and weights beside it, taken into a model whose decoder is not in doubt.
#include "models/base/error.h"
#include "models/onnx/import.h"
#include "models/weights/weights.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/onnx_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kModelBytes);
  static const tests::NanoModel model = fuzz::decoder_of_encoders();
  static const auto decoder = tests::open_in_memory(model);
  folder.write(fuzz::as_text(data, size), {"encoder_model.onnx", "encoder_model.onnx_data"});
  try {
    const auto file = models::import_onnx_encoder(folder.path() / "encoder_model.onnx", *decoder);
    models::load_encoder_weights(*file);
  } catch (const models::ModelError&) {
  }
  return 0;
}
