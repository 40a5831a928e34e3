// The pickle of a checkpoint, in an archive that is whole: what is read of a file that somebody
// made on purpose, as a Whisper model and as another network. The storages are those of the seeds'
// model.
#include <string>
#include <vector>

#include "audio/speakers/state_dict.h"
#include "models/base/error.h"
#include "models/files/formats.h"
#include "models/weights/weights.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/zero_model.h"
#include "tests/nano/nano_pytorch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kModelBytes);
  static tests::PtModel model = to_pytorch(fuzz::model_of_zeros(2));
  model.at("data.pkl") = fuzz::written_out(fuzz::as_text(data, size), fuzz::kTextBytes);
  folder.write(tests::zip_bytes(model), {"model.pt"});
  const auto empty_tokens = [](const models::Dims& dims) {
    return std::vector<std::string>(dims.n_text_tokens());
  };
  try {
    const auto file = models::open_pytorch(folder.path() / "model.pt", empty_tokens);
    models::load_encoder_weights(*file);
    models::load_decoder_weights(*file);
  } catch (const models::ModelError&) {
  }
  // As a network of speakers, of which any names are asked.
  for (const char* key : {"", "model_state_dict"}) {
    try {
      const audio::StateDict weights(folder.path() / "model.pt", key);
      weights.values("encoder.ln_post.weight", {2});
      weights.taps("encoder.conv1.weight", {2, 80, 3});
    } catch (const models::ModelError&) {
    }
  }
  return 0;
}
