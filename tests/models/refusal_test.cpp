// Files that are whole but wrong: each is refused with path, name, expected and found.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

// Places in GgmlModel::header.
constexpr std::size_t kVocab = 0;
constexpr std::size_t kContext = 1;
constexpr std::size_t kState = 2;
constexpr std::size_t kHeads = 3;
constexpr std::size_t kLayers = 4;
constexpr std::size_t kType = 10;

// Error of open_model for a path; empty if it opens.
std::string refusal(const std::filesystem::path& path) {
  return wnpu::tests::message_of<ModelError>([&] { open_model(path); });
}

template <typename Model>
struct Wrong {
  std::function<void(Model&)> change;
  std::string message;  // a part of it
};

// Writes `good` with each change in turn and compares what open_model says. `file`: the name of the
// model in the directory, or empty where the directory is the model.
template <typename Model>
void check_each(const Model& good, const std::string& file,
                const std::vector<Wrong<Model>>& cases) {
  for (const auto& wrong : cases) {
    const TemporaryFolder dir;
    const std::filesystem::path path = file.empty() ? dir.path() : dir.path() / file;
    Model model = good;
    wrong.change(model);
    write(model, path);
    const std::string said = refusal(path);
    INFO(said, " -- expected: ", wrong.message);
    CHECK((said.starts_with(path.string()) && has(said, wrong.message)));
  }
}

// Changes of a tensor's extents.
std::function<void(Ct2Model&)> ct2_shape(const std::string& name,
                                         std::vector<std::uint32_t> shape) {
  return [=](Ct2Model& m) { m.at(name).shape = shape; };
}
std::function<void(GgmlModel&)> ggml_extents(const std::string& name,
                                             std::vector<std::int32_t> extents) {
  return [=](GgmlModel& m) { m.at(name).extents = extents; };
}
std::function<void(StModel&)> st_shape(const std::string& name, std::vector<std::size_t> shape) {
  return [=](StModel& m) { m.at(name).shape = shape; };
}

// An int8 variable as int16, with a scale for all its rows.
void make_int16(Ct2Model& model, const std::string& name, float scale) {
  Ct2Variable& variable = model.at(name);
  variable.type = 2;
  variable.bytes += variable.bytes;
  model.at(name + "_scale") = {name + "_scale", {}, 0, bytes_of(scale)};
}

void check(const std::vector<Wrong<Ct2Model>>& cases) {
  check_each(to_ctranslate2(small_model(), Ct2Quantization::int8), "", cases);
}

void check(const std::vector<Wrong<GgmlModel>>& cases) {
  check_each(to_ggml(small_model(), DType::q4_0), "ggml.bin", cases);
}

void check(const std::vector<Wrong<StModel>>& cases) {
  check_each(to_safetensors(small_model(), DType::f16), "", cases);
}

// Changes one entry of config.json or generation_config.json.
void set(std::string& json_text, const std::string& key, const std::string& value) {
  const std::string quoted = "\"" + key + "\":";
  const std::size_t start = json_text.find(quoted);
  REQUIRE(start != std::string::npos);
  const std::size_t end = json_text.find_first_of(",\n", start);
  json_text.replace(start, end - start, quoted + value);
}

template <typename Model>
void drop(Model& model, const std::string& name) {
  auto& list = [&]() -> auto& {
    if constexpr (requires { model.variables; }) {
      return model.variables;
    } else {
      return model.tensors;
    }
  }
  ();
  std::erase_if(list, [&name](const auto& entry) { return entry.name == name; });
}

}  // namespace

TEST_CASE("ctranslate2: a header of another kind is refused") {
  check({{[](Ct2Model& m) { m.version = 5; }, "binary version: expected 6, found 5"},
         {[](Ct2Model& m) { m.spec = "TransformerSpec"; },
          "spec name: expected WhisperSpec, found TransformerSpec"},
         {[](Ct2Model& m) { m.revision = 4; }, "revision: expected 1 to 3, found 4"},
         {[](Ct2Model& m) { m.revision = 0; }, "revision: expected 1 to 3, found 0"},
         {[](Ct2Model& m) { m.trailing = "x"; }, "the end of the file: expected"},
         {[](Ct2Model& m) { m.aliases.emplace_back("a", "b"); },
          "a: expected a variable it stands for, found b"},
         {[](Ct2Model& m) { m.aliases.push_back(m.aliases[0]); },
          "decoder/projection/weight: expected each variable once, found it twice"}});
}

TEST_CASE("ctranslate2: variables that are missing, doubled or unknown are refused") {
  const std::string bias = "encoder/layer_1/ffn/linear_0/bias";
  check({{[&](Ct2Model& m) { drop(m, bias); }, bias + ": expected this variable, found none"},
         {[&](Ct2Model& m) { m.variables.push_back(m.at(bias)); },
          bias + ": expected each variable once, found it twice"},
         {[&](Ct2Model& m) { m.at(bias).name = "encoder/layer_7/x"; }, bias},
         {[](Ct2Model& m) {
            m.variables.push_back({"extra", {1}, 0, "abcd"});
          },
          "extra: expected only Whisper's variables, found one more"},
         {[](Ct2Model& m) {
            m.variables.push_back({"decoder/new_switch", {}, 1, "\x01"});
          },
          "decoder/new_switch: expected 0, found 1"},
         {[](Ct2Model& m) { m.at("decoder/pre_norm").bytes[0] = 0; },
          "decoder/pre_norm: expected 1, found 0"},
         {[](Ct2Model& m) { m.at("decoder/activation").bytes = "\x02"; },
          "decoder/activation: expected 3, found 2"},
         {[](Ct2Model& m) { m.at("decoder/alibi").bytes = "\x01"; },
          "decoder/alibi: expected 0, found 1"},
         {[](Ct2Model& m) { m.aliases.clear(); }, "decoder/projection/weight: expected this"}});
}

TEST_CASE("ctranslate2: shapes, types and sizes that do not fit are refused") {
  const std::string weight = "encoder/layer_0/ffn/linear_0/weight";  // [128, 32] int8
  check({{ct2_shape(weight, {127, 32}), weight + ": expected [127, 32] of"},
         {ct2_shape(weight, {32, 128}), weight + "_scale: expected [32]"},
         {ct2_shape(weight, {1, 128, 1, 32}), weight + ": expected at most 3 extents, found 4"},
         {ct2_shape(weight, {0xffffffff, 0xffffffff, 0xffffffff}), weight},
         {ct2_shape(weight, {0, 32}), weight},
         {[&](Ct2Model& m) { m.at(weight).type = 9; }, weight + ": expected a type from 0 to 5"},
         {[&](Ct2Model& m) { m.at(weight).type = 3, m.at(weight).bytes.resize(4 * 128 * 32); },
          weight + ": expected float32, float16, bfloat16, int8 or int16, found int32"},
         {[&](Ct2Model& m) { make_int16(m, weight, 3.0F), m.at(weight + "_scale").shape = {1}; },
          weight + "_scale: expected a scalar, found [1]"},
         {[&](Ct2Model& m) { make_int16(m, weight, 0.0F); },
          weight + "_scale: expected finite scales above 0, found 0"},
         {[&](Ct2Model& m) { make_int16(m, weight, 3.0F), drop(m, weight + "_scale"); },
          weight + "_scale: expected this"},
         {[&](Ct2Model& m) { drop(m, weight + "_scale"); }, weight + "_scale: expected this"},
         {[&](Ct2Model& m) { m.at(weight + "_scale").bytes.replace(0, 4, 4, '\0'); },
          weight + "_scale: expected finite scales above 0, found 0"},
         {[&](Ct2Model& m) { m.at(weight + "_scale").bytes.replace(4, 4, "\xff\xff\xff\x7f"); },
          weight + "_scale: expected finite scales above 0, found nan"},
         {[](Ct2Model& m) { m.at("encoder/num_heads").bytes[0] = 5; }, "multiples of the heads"},
         {[](Ct2Model& m) { m.at("encoder/num_heads").bytes = "\xff\xff"; }, "n_audio_head"},
         {[](Ct2Model& m) { m.at("encoder/num_heads").shape = {1}; },
          "encoder/num_heads: expected a whole number"}});
}

TEST_CASE("ctranslate2: a key's bias that is not zero is refused") {
  // float32 biases of query, key, value: elements 32 to 63 are the key's, 4 bytes each.
  const std::string bias = "decoder/layer_0/self_attention/linear_0/bias";
  check({{[&](Ct2Model& m) { m.at(bias).bytes.replace(160, 4, bytes_of(0.5F)); },
          bias + ": expected zeros as the key's bias, found 0.5"}});
}

TEST_CASE("ctranslate2: config.json and vocabulary.json are checked") {
  check(
      {{[](Ct2Model& m) { m.config = "{"; }, "config.json: expected JSON"},
       {[](Ct2Model& m) { m.config = "[]"; }, "config.json: suppress_ids: expected a JSON object"},
       {[](Ct2Model& m) { m.config = R"({"suppress_ids": [51865]})"; },
        "suppress_ids: expected numbers from 0 to 51864, found 51865"},
       {[](Ct2Model& m) { m.config = R"({"suppress_ids": [-1]})"; }, "found -1"},
       {[](Ct2Model& m) { m.config = R"({"alignment_heads": [[-1, 0]]})"; },
        "alignment_heads: expected numbers from 0 to 2147483646, found -1"},
       {[](Ct2Model& m) { m.config = R"({"alignment_heads": [[0, 0, 0]]})"; }, "expected pairs"},
       {[](Ct2Model& m) { m.config = R"({"alignment_heads": [[7, 0], [7, 0]]})"; },
        "expected each pair once"},
       {[](Ct2Model& m) { m.config = R"({"alignment_heads": [0]})"; }, "expected pairs"},
       {[](Ct2Model& m) { m.config = R"({"a": 1, "a": 2})"; }, "found \"a\" twice"},
       {[](Ct2Model& m) { m.config = std::string(100, '['); }, "levels of nesting"},
       {[](Ct2Model& m) { m.vocabulary = "[\"a\"]"; }, "expected 50257 text tokens, found none"},
       {[](Ct2Model& m) { m.vocabulary = "[\"" + std::string(65536, 'a') + "\"]"; },
        "expected at most 1024 bytes of token 0, found 65536"},
       {[](Ct2Model& m) { m.vocabulary = "[1]"; }, "expected tokens as strings, found 1"},
       {[](Ct2Model& m) { m.vocabulary = "[\"\xC4\xBF\xE2\x82\xAC\"]"; }, "byte-level spelling"},
       {[](Ct2Model& m) { m.vocabulary = "\"" + m.vocabulary; }, "expected JSON"}});
}

TEST_CASE("alignment heads that the decoder does not have are left out") {
  using Heads = std::vector<std::pair<int, int>>;
  const std::vector<std::pair<std::string, Heads>> cases = {
      {"[[7, 0], [0, 1], [0, 4], [0, 3]]", {{0, 1}, {0, 3}}}, {"[[7, 0], [10, 17], [0, 9]]", {}}};
  for (const auto& [list, kept] : cases) {
    Ct2Model ct2 = to_ctranslate2(small_model(), Ct2Quantization::int8);
    ct2.config = R"({"alignment_heads": )" + list + "}";
    StModel st = to_safetensors(small_model(), DType::f16);
    st.generation_config = ct2.config;
    const TemporaryFolder ct2_dir;
    const TemporaryFolder st_dir;
    write(ct2, ct2_dir.path());
    write(st, st_dir.path());
    CHECK(open_model(ct2_dir.path())->config().alignment_heads == kept);
    CHECK(open_model(st_dir.path())->config().alignment_heads == kept);
  }
}

TEST_CASE("ggml: dims, filters and vocabularies that cannot be are refused") {
  check({{[](GgmlModel& m) { m.header[kVocab] = 2'000'000'000; },
          "n_vocab: expected 51864 to 51866, found 2000000000"},
         {[](GgmlModel& m) { m.header[kVocab] = -1; }, "n_vocab: expected 0 or more, found -1"},
         {[](GgmlModel& m) { m.header[kContext] = 0x7fffffff; }, "n_audio_ctx"},
         {[](GgmlModel& m) { m.header[kState] = 48; }, "n_text_state to equal n_audio_state"},
         {[](GgmlModel& m) { m.header[kHeads] = 0; }, "n_audio_head: expected 1 to 256, found 0"},
         {[](GgmlModel& m) { m.header[kLayers] = 3; },
          "encoder.blocks.2.attn_ln.weight: expected [32], found no tensor"},
         {[](GgmlModel& m) { m.header[kLayers] = 1; }, "expected only Whisper's tensors"},
         {[](GgmlModel& m) { m.header[kType] = 1002; }, "expected blocks of version 2"},
         {[](GgmlModel& m) { m.filter_bins = 200; },
          "mel filters: expected [80, 201], found [80, 200]"},
         {[](GgmlModel& m) { m.tokens.pop_back(); }, "expected 50257 to 51865 tokens, found 50256"},
         {[](GgmlModel& m) { m.tokens[5] = std::string(1025, 'x'); },
          "token 5: expected at most 1024 bytes, found 1025"}});
}

TEST_CASE("ggml: tensors that are missing, doubled, unknown or of a wrong shape are refused") {
  const std::string bias = "decoder.ln.bias";                  // [32] f32
  const std::string weight = "encoder.blocks.0.mlp.0.weight";  // [128, 32] q4_0
  check({{[&](GgmlModel& m) { drop(m, bias); }, bias + ": expected [32], found no tensor"},
         {[&](GgmlModel& m) { m.tensors.push_back(m.at(bias)); }, bias + ": expected each tensor"},
         {[&](GgmlModel& m) { m.at(bias).name = "decoder.ln.bios"; }, bias},
         {[](GgmlModel& m) {
            m.tensors.push_back({"extra", 0, {1}, "abcd"});
          },
          "extra: expected only Whisper's tensors, found this one too"},
         {ggml_extents(weight, {128, 32}), weight + ": expected [128, 32], found [32, 128]"},
         {ggml_extents(weight, {16, 256}), weight + ": expected rows of whole blocks"},
         {ggml_extents(weight, {32, 4, 4, 8}), "found 4 extents"},
         {ggml_extents(weight, {}), "found 0 extents"},
         {ggml_extents(weight, {-32, 128}), "expected 0 or more"},
         {ggml_extents(weight, {0x7fffffe0, 0x7fffffff, 0x7fffffff}),
          weight + ": expected rows of whole blocks that fit memory"},
         {[&](GgmlModel& m) { m.at(weight).type = 12; },
          weight + ": expected type f32, f16, q4_0, q4_1, q5_0, q5_1 or q8_0, found 12"},
         {[&](GgmlModel& m) { m.at(weight).name = std::string(300, 'n'); }, "a short name"},
         {[&](GgmlModel& m) { m.tensors.back().bytes.pop_back(); }, "before the end of the file"}});
}

TEST_CASE("safetensors: tensors that are missing, doubled, unknown or wrong are refused") {
  const std::string bias = "model.decoder.layer_norm.bias";
  const std::string weight = "model.encoder.layers.1.fc1.weight";
  check({{[&](StModel& m) { drop(m, bias); }, "decoder.ln.bias: expected [32], found no tensor"},
         {[&](StModel& m) { m.at(bias).name = "model.extra"; }, "model.extra: expected"},
         {[](StModel& m) {
            m.tensors.push_back({"extra", "F32", {1}, "abcd"});
          },
          "extra: expected only Whisper's tensors, found this one too"},
         {[](StModel& m) {
            m.tensors.push_back({"decoder.layer_norm.bias", "F32", {1}, "abcd"});
          },
          "decoder.layer_norm.bias: expected each tensor once, found it twice"},
         {st_shape(weight, {32, 128}),
          "encoder.blocks.1.mlp.0.weight: expected [128, 32], found [32, 128]"},
         {st_shape(weight, {127, 32}), weight + ": expected [127, 32] of"},
         {st_shape(weight, {SIZE_MAX, 2, 2}), weight},
         {st_shape(weight, {1, 1, 128, 32}), "expected at most 3 extents"},
         {[&](StModel& m) { m.at(weight).dtype = "I64"; },
          weight + ": expected dtype F32, F16 or BF16, found \"I64\""}});
}

TEST_CASE("safetensors: configurations that are no Whisper are refused") {
  check({{[](StModel& m) { set(m.config, "model_type", "\"bert\""); },
          "model_type: expected \"whisper\", found \"bert\""},
         {[](StModel& m) { set(m.config, "scale_embedding", "true"); }, "scale_embedding"},
         {[](StModel& m) { set(m.config, "activation_function", "\"relu\""); }, "found \"relu\""},
         {[](StModel& m) { set(m.config, "d_model", "-32"); }, "d_model: expected a number"},
         {[](StModel& m) { set(m.config, "d_model", "64"); }, "expected [64, 80, 3]"},
         {[](StModel& m) { set(m.config, "encoder_layers", "1e99"); }, "encoder_layers"},
         {[](StModel& m) { set(m.config, "vocab_size", "51867"); }, "n_vocab: expected 51864 to"},
         {[](StModel& m) { set(m.config, "encoder_attention_heads", "3"); }, "multiples of"},
         {[](StModel& m) { m.config = "null"; }, "expected a JSON object"},
         {[](StModel& m) { m.vocab = R"({"a": 1.5})"; }, "expected ids as numbers, found 1.5"},
         {[](StModel& m) { m.vocab = R"({"a": 0, "b": 0})"; }, "found two at id 0"},
         {[](StModel& m) { m.vocab = R"({"a": 99999})"; }, "expected ids below 51865"}});
}
