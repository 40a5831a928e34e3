// openai-whisper's checkpoints: read as written, by byte and by property, and nothing in them run.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/open_model.h"
#include "models/files/pytorch/pickle.h"
#include "models/files/pytorch/zip_archive.h"
#include "models/files/tensor_names.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_pytorch.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace fs = std::filesystem;

namespace {

void write_checkpoint_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Error on opening an archive; empty: it is a model.
std::string pt_refusal(const PtModel& model, bool zip64 = true) {
  const TemporaryFolder dir;
  write(model, small_model(), dir.path() / "m.pt");
  write_checkpoint_bytes(dir.path() / "m.pt", zip_bytes(model, zip64));
  return wnpu::tests::message_of<ModelError>([&] { open_model(dir.path() / "m.pt"); });
}

std::string pickle_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

// Error on reading a pickle that stands alone.
std::string pickle_refusal(const std::string& bytes) {
  return wnpu::tests::message_of<ModelError>(
      [&] { const Pickle pickle(std::as_bytes(std::span(bytes)), "p"); });
}

bool has_part(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  MESSAGE(text);
  return false;
}

}  // namespace

TEST_CASE("pytorch: every number type and form is read as written") {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const bool is_parameter : {false, true}) {
      CAPTURE(dtype_name(dtype));
      CAPTURE(is_parameter);
      const TemporaryFolder dir;
      const PtSpec spec{dtype, !is_parameter, is_parameter};
      write(to_pytorch(small_model(), spec), small_model(), dir.path() / "tiny.pt");
      const auto file = open_model(dir.path() / "tiny.pt");
      CHECK(file->format() == "pytorch");
      CHECK(file->main_dtype() == dtype_name(dtype));
      CHECK(file->dims() == small_model().dims);
      CHECK(file->token_bytes() == small_model().token_bytes);
      for (const TensorSpec& tensor : whisper_tensors(file->dims())) {
        const TensorView& view = file->tensor(tensor.name, tensor.shape);
        const auto& values = small_model().tensors.at(tensor.name).values;
        const std::string expected = encode(dtype, values);
        CHECK(std::string(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size()) ==
              expected);
      }
    }
  }
  CHECK(pt_refusal(to_pytorch(small_model()), false) == "");  // sizes of 32 bits
}

TEST_CASE("pytorch: text tokens are those of another model with the vocabulary") {
  const TemporaryFolder dir;
  write_checkpoint_bytes(dir.path() / "tiny.pt", zip_bytes(to_pytorch(small_model())));
  CHECK_THROWS_WITH_AS(open_model(dir.path() / "tiny.pt"),
                       doctest::Contains("vocabulary: expected tokenizer.json, vocab.json"),
                       ModelError);
  // One for English does not do; the second does, beside the file or in a folder of models.
  NanoModel english = small_model();
  english.dims.n_vocab = 51864;
  english.tensors.at("decoder.token_embedding.weight").shape[0] = 51864;
  english.tensors.at("decoder.token_embedding.weight").values.resize(51864 * 32);
  english.token_bytes.pop_back();
  const TemporaryFolder models;
  write(to_ctranslate2(english, Ct2Quantization::float16), models.path() / "a");
  CHECK_THROWS_AS(open_model(dir.path() / "tiny.pt", models.path()), ModelError);
  write(to_ctranslate2(small_model(), Ct2Quantization::float16), models.path() / "b");
  CHECK(open_model(dir.path() / "tiny.pt", models.path())->token_bytes() ==
        small_model().token_bytes);
  write(to_ctranslate2(small_model(), Ct2Quantization::float16), dir.path() / "b");
  CHECK(open_model(dir.path() / "tiny.pt")->token_bytes() == small_model().token_bytes);
  // As models pull leaves it.
  fs::create_directories(dir.path() / "pulled");
  write(to_pytorch(small_model()), small_model(), dir.path() / "pulled/model.pt");
  CHECK(open_model(dir.path() / "pulled")->format() == "pytorch");
}

TEST_CASE("pytorch: a tokenizer of the other kind beside the file is refused") {
  const TemporaryFolder dir;
  NanoModel other = small_model();
  other.token_bytes.back() = "<|endoftext|>";
  write(to_pytorch(small_model()), other, dir.path() / "m.pt");
  CHECK_THROWS_WITH_AS(open_model(dir.path() / "m.pt"),
                       doctest::Contains("expected a multilingual tokenizer in"), ModelError);
  NanoModel english = small_model();
  english.dims.n_vocab = 51864;
  english.tensors.at("decoder.token_embedding.weight").shape[0] = 51864;
  english.tensors.at("decoder.token_embedding.weight").values.resize(51864 * 32);
  write(to_pytorch(english), small_model(), dir.path() / "m.pt");
  CHECK_THROWS_WITH_AS(open_model(dir.path() / "m.pt"),
                       doctest::Contains("expected an English-only tokenizer in"), ModelError);
  write(to_pytorch(english), other, dir.path() / "m.pt");
  CHECK_FALSE(open_model(dir.path() / "m.pt")->dims().is_multilingual());
}

TEST_CASE("pytorch: what a checkpoint may not say is refused by its name") {
  const PtModel good = to_pytorch(small_model());
  PtModel bad = good;
  std::string& pickle = bad.at("data.pkl");
  pickle = pickle_replaced(pickle, "ctorch._utils\n_rebuild_tensor_v2\n", "cposix\nsystem\n");
  CHECK(has_part(pt_refusal(bad), "found posix.system, which is not run"));
  bad.at("data.pkl") = pickle_replaced(good.members[0].second, "HalfStorage", "CharStorage");
  CHECK(has_part(pt_refusal(bad), "torch.CharStorage, which is not run"));
  bad.at("data.pkl") = pickle_replaced(good.members[0].second, "HalfStorage", "LongStorage");
  CHECK(has_part(pt_refusal(bad), "expected type float32, float16 or bfloat16"));
  bad.at("data.pkl") =
      pickle_replaced(good.members[0].second, "model_state_dict", "model_state_dikt");
  CHECK(has_part(pt_refusal(bad), "no model_state_dict"));
  bad.at("data.pkl") = pickle_replaced(good.members[0].second, "n_mels", "n_meld");
  CHECK(has_part(pt_refusal(bad), "dims: n_mels: expected a number, found none"));
  bad = good;
  bad.at("byteorder") = "big";
  CHECK(has_part(pt_refusal(bad), "byteorder: expected little"));
  bad = good;
  bad.at("data/3").pop_back();
  CHECK(has_part(pt_refusal(bad), "bytes"));
  bad = good;
  bad.members.erase(bad.members.begin() + 4);
  CHECK(has_part(pt_refusal(bad), "no data/3"));
  bad = good;
  bad.members[0].first = "other.pkl";
  CHECK(
      has_part(pt_refusal(bad), "archive: expected data.pkl, as torch.save writes it, found none"));
}

TEST_CASE("pytorch: tensors that share one storage cost no memory: they are refused") {
  Dims dims = small_dims();
  dims.n_audio_layer = 150;  // together larger than the embedding, which is the storage
  const NanoModel model = make_nano_model({.dims = dims});
  const std::string said = pt_refusal(to_pytorch(model, {DType::f16, true, false, true}));
  CHECK(has_part(said, "expected tensors with bytes of their own, found "));
}

TEST_CASE("pytorch: opcodes that tensors do not need are refused") {
  for (const std::string code : {"I1\n.", "i", "o", "c__builtin__\neval\n.", "\x93", "\x81", "P1\n",
                                 "\x82\x01", "S'a'\n", "F1\n", "0", "2", "\x8e"}) {
    CAPTURE(code);
    CHECK(has_part(pickle_refusal(code), "expected"));
  }
  CHECK(has_part(pickle_refusal("cos\nsystem\n(X\x02\0\0\0lstR."), "os.system"));
  CHECK(has_part(pickle_refusal("."), "a value on the stack"));
  CHECK(has_part(pickle_refusal("u."), "a mark"));
  CHECK(has_part(pickle_refusal("h\x05."), "a value at 5"));
  CHECK(has_part(pickle_refusal("\x80\x04N."), "protocol 2"));
  CHECK(pickle_refusal("N.") == "");
  // Cycles and any depth.
  CHECK(pickle_refusal("]q\x01h\x01"
                       "a.") == "");
  CHECK(pickle_refusal("N" + std::string(100000, '\x85') + ".") == "");
}

TEST_CASE("pytorch: a checkpoint cut anywhere, or with any byte changed, breaks no reader") {
  const TemporaryFolder dir;
  const fs::path path = dir.path() / "m.pt";
  write(to_pytorch(small_model()), small_model(), path);
  const std::string good = contents_of(path);
  constexpr unsigned kSeed = 25;
  MESSAGE("seed ", kSeed);
  std::mt19937 random(kSeed);
  // Damage goes to the parts that matter: the pickle at the start, the directory at the end.
  const std::size_t directory = good.find("PK\x01\x02");
  const std::size_t pickle = good.find("data/0");
  const int n_cases = 200 / static_cast<int>(kSampleShare);
  for (int i = 0; i < n_cases; ++i) {
    std::string bad = good;
    if (i % 4 == 0) {
      bad.resize(random() % good.size());
    } else {
      for (unsigned n = 0; n <= random() % 3; ++n) {
        const std::size_t at =
            i % 2 == 0 ? random() % pickle : directory + random() % (good.size() - directory);
        bad[at] = static_cast<char>(random());
      }
    }
    write_checkpoint_bytes(path, bad);
    try {
      open_model(path);
    } catch (const ModelError& error) {
      CHECK(std::string(error.what()).find(": expected ") != std::string::npos);
    }
  }
}

// APPNOTE.TXT 4.3.16: a comment has up to 65,535 bytes.
TEST_CASE(
    "zip: the end is found behind a comment, the last of several, within the most it may have") {
  PtModel one;
  one.members = {{"a", "1"}};
  const std::string archive = zip_bytes(one);
  const auto members = [&](const std::string& comment) {
    const std::string bytes = archive + comment;
    return read_zip(std::as_bytes(std::span(bytes)), "z").size();
  };
  for (const std::size_t size : {0U, 1U, 21U, 22U, 23U, 65534U, 65535U}) {
    CAPTURE(size);
    CHECK(members(std::string(size, '\0')) == 1);
    CHECK(members(std::string(size, 'P')) == 1);
  }
  CHECK_THROWS_AS(members(std::string(65536, '\0')), ModelError);
  // Too short to be an end, then one that is whole and has no members.
  CHECK(members("PK\x05\x06 cut") == 1);
  CHECK(members(std::string("PK\x05\x06") + std::string(18, '\0')) == 0);
}

TEST_CASE("zip: compressed, encrypted, doubled and split archives are refused") {
  PtModel two;
  two.members = {{"a", "1"}, {"b", "22"}};
  const std::string good = zip_bytes(two);
  const auto refused = [](const std::string& bytes) {
    try {
      read_zip(std::as_bytes(std::span(bytes)), "z");
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(good) == "");
  const std::size_t entry = good.find("PK\x01\x02");
  std::string bad = good;
  bad[entry + 10] = 8;
  CHECK(has_part(refused(bad), "compressed"));
  bad = good;
  bad[entry + 8] = 1;
  CHECK(has_part(refused(bad), "encrypted"));
  two.members[1].first = "a";
  CHECK(has_part(refused(zip_bytes(two)), "each member once"));
  CHECK(has_part(refused(good.substr(0, good.size() - 1)), "may be cut"));
  CHECK(has_part(refused(""), "may be cut"));
}
