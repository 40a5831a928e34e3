#include <array>
#include <limits>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "app/engine/devices/backends.h"
#include "app/engine/devices/ort_devices.h"
#include "app/formats/writers.h"
#include "app/options/optimization.h"
#include "app/options/option_values.h"
#include "decoder/search/decode_options.h"
#include "models/files/model_file.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/precision.h"
#include "npu/design/layer_abi.h"
#include "npu/ops/stand_in.h"
#include "npu/plans/plan.h"
#include "npu/plans/plan_file.h"
#include "npu/plans/split.h"
#include "tests/support/json_schema.h"

namespace {

using namespace wnpu::app;
using nlohmann::json;

wnpu::Transcript example() {
  wnpu::Transcript transcript;
  transcript.language = "de";
  transcript.language_probs = {{"de", 0.75}, {"en", 0.25}};
  wnpu::Segment segment;
  segment.seek = 3000;
  segment.start = 30.0;
  segment.end = 32.5;
  segment.text = " Grüße 😀";
  segment.tokens = {50364, 12, 50489};
  segment.avg_logprob = -0.25;
  segment.words = {{" Grüße", 30.0, 31.0, 0.5}, {" 😀", 31.0, 32.5, 0.25}};
  transcript.segments = {segment, segment};
  transcript.segments[1].id = 1;
  transcript.input = {"a.wav", std::string(64, 'a'), "WAV", 2, 44100, 40.0};
  transcript.model = {"tiny", "/m/tiny", "ggml", "", "f16"};
  transcript.device.requested = "auto";
  transcript.device.used = "cpu";
  transcript.device.reason = "no /dev/accel/accel0";
  transcript.device.cpu_precision = "int16";
  transcript.device.kernels = "AVX2";
  transcript.device.isa = "AVX2";
  transcript.timing = {0.5, 0.1, 0.2, 1.0, 0.7, 2.0};
  transcript.warnings = {"the file is cut short"};
  return transcript;
}

// Parses it, which throws on anything but one document, and holds it to the schema.
json written(const wnpu::Transcript& transcript, Format format = Format::json,
             const WriteOptions& options = {}) {
  std::ostringstream out;
  write(format, transcript, options, out);
  const json document = json::parse(out.str());
  CHECK(wnpu::tests::schema_fault("app/formats/transcript.schema.json", document) == "");
  return document;
}

}  // namespace

TEST_CASE("json: what was chosen is told where it was asked for, and is the schema's") {
  CHECK_FALSE(written(example()).contains("choices"));
  Choices choices;
  const auto with_choices = [&choices] {
    return written(example(), Format::jsonl, {{}, false, choices}).at("choices");
  };
  choices.optimize_for = "speed";
  choices.options = {{"--precision", "int8", "--optimize-for speed"}};
  CHECK(with_choices()["optimize_for"] == "speed");
  CHECK(with_choices()["memory_limit"].is_null());
  CHECK(with_choices()["options"][0] ==
        json{{"option", "--precision"}, {"value", "int8"}, {"reason", "--optimize-for speed"}});
  choices.optimize_for = "";
  choices.memory_limit = 300;
  choices.memory_estimate = 200;
  CHECK(with_choices()["optimize_for"].is_null());
  CHECK(with_choices()["memory_limit"] == 300);
  CHECK(with_choices()["memory_estimate"] == 200);
}

TEST_CASE("json: operators in the place of the NPU's own are told, and only where there are any") {
  wnpu::Transcript transcript = example();
  wnpu::NpuUse& use = transcript.device.npu.emplace();
  use.plan = "hybrid";
  use.precision = "bf16";
  CHECK_FALSE(written(transcript)["device"]["npu"].contains("operators"));
  use.operators = {{"gelu", "mine", "./mine", "core", ""},
                   {"gelu", "other", "other.so", "cpu", "it has no tile kernel"}};
  const json document = written(transcript);
  const json& operators = document["device"]["npu"]["operators"];
  REQUIRE(operators.size() == 2);
  CHECK(operators[0] == json{{"replaces", "gelu"},
                             {"name", "mine"},
                             {"source", "./mine"},
                             {"ran_on", "core"},
                             {"reason", nullptr}});
  CHECK(operators[1]["reason"] == "it has no tile kernel");
}

TEST_CASE("json: times are written without the noise of sums") {
  wnpu::Transcript transcript = example();
  transcript.segments[0].start = 76.60000000000001;
  transcript.segments[0].words[0].end = 0.1 + 0.2;
  transcript.timing.encode = 0.1 + 0.7;
  std::ostringstream out;
  write(Format::json, transcript, {}, out);
  CHECK(out.str().find("76.6,") != std::string::npos);
  CHECK(out.str().find("0.3,") != std::string::npos);
  CHECK(out.str().find("0.8,") != std::string::npos);
  CHECK(out.str().find("00000") == std::string::npos);
  CHECK(out.str().find("99999") == std::string::npos);
}

TEST_CASE("json: what is simulated says so, and without a window nothing is modelled of a layer") {
  wnpu::Transcript transcript = example();
  CHECK(written(transcript)["timing"]["simulated"] == false);
  transcript.device.simulated = true;
  transcript.device.npu.emplace();
  transcript.device.npu->plan = "fused";
  transcript.device.npu->precision = "bf16";
  CHECK(written(transcript)["timing"]["simulated"] == true);
  CHECK(written(transcript)["device"]["npu"]["modelled_ms_per_layer"].is_null());
  transcript.device.npu->modelled_ms_per_layer = 22.5;
  CHECK(written(transcript)["device"]["npu"]["modelled_ms_per_layer"] == 22.5);
}

TEST_CASE("json: the schema's check finds what is wrong") {
  const json rules = wnpu::tests::schema_of("app/formats/transcript.schema.json");
  const auto fault_after = [&rules](const char* pointer, const json& value) {
    json document = written(example());
    document[json::json_pointer(pointer)] = value;
    return wnpu::tests::schema_fault(rules, document);
  };
  CHECK(fault_after("/segments/1/id", "1") == "/segments/1/id: expected type \"integer\"");
  CHECK(fault_after("/task", "sing") == "/task: expected enum [\"transcribe\",\"translate\"]");
  CHECK(fault_after("/input/sha256", "12") == "/input/sha256: expected pattern \"^[0-9a-f]{64}$\"");
  CHECK(fault_after("/timing/total", -1) == "/timing/total: expected minimum 0");
  CHECK(fault_after("/model/size", 1) == "/model: size is not in the schema");
  CHECK(fault_after("/schema_version", 2) == "/schema_version: expected const 1");
  json document = written(example());
  document["device"].erase("used");
  CHECK(wnpu::tests::schema_fault(rules, document).starts_with("/device: expected required"));
  CHECK(wnpu::tests::schema_fault({{"maxLength", 1}}, "x").find("not known") != std::string::npos);
}

TEST_CASE("json: a segment without words has an empty list of them where others have words") {
  wnpu::Transcript transcript = example();
  transcript.segments[1].words.clear();
  CHECK(written(transcript)["segments"][1]["words"] == json::array());
  transcript.segments[0].words.clear();
  CHECK_FALSE(written(transcript)["segments"][0].contains("words"));
}

TEST_CASE("json: a segment has a language where it has one of its own, and is the schema's") {
  wnpu::Transcript transcript = example();
  CHECK_FALSE(written(transcript)["segments"][0].contains("language"));
  transcript.segments[1].language = "fr";
  const json document = written(transcript);
  CHECK_FALSE(document["segments"][0].contains("language"));
  CHECK(document["segments"][1]["language"] == "fr");
  CHECK(document["language"] == "de");
  CHECK(wnpu::tests::schema_fault(wnpu::tests::schema_of("app/formats/transcript.schema.json"),
                                  document) == "");
}

TEST_CASE("json: has openai-whisper's fields and ours") {
  const json document = written(example());
  CHECK(document["text"] == " Grüße 😀 Grüße 😀");
  CHECK(document["language"] == "de");
  CHECK(document["language_name"] == "german");
  CHECK(document["language_probabilities"]["en"] == 0.25);
  CHECK(document["duration"] == 40.0);
  CHECK(document["segments"][1]["id"] == 1);
  CHECK(document["segments"][0]["seek"] == 3000);
  CHECK(document["segments"][0]["tokens"] == json({50364, 12, 50489}));
  CHECK(document["segments"][0]["words"][1]["word"] == " 😀");
  CHECK(document["words"].size() == 4);
  CHECK(document["device"]["reason"] == "no /dev/accel/accel0");
  CHECK(document["model"]["sha256"].is_null());
  CHECK(document["warnings"][0] == "the file is cut short");
}

TEST_CASE("json: rtf is processing time over audio time, rtfx the other way round") {
  const json timing = written(example())["timing"];
  CHECK(timing["rtf"] == 0.05);
  CHECK(timing["rtfx"] == 20.0);
  const json empty = written({})["timing"];
  CHECK(empty["rtf"].is_null());
  CHECK(empty["rtfx"].is_null());
}

TEST_CASE("json: numbers that are not finite become null") {
  wnpu::Transcript transcript = example();
  transcript.segments[0].avg_logprob = std::numeric_limits<double>::quiet_NaN();
  transcript.segments[1].end = std::numeric_limits<double>::infinity();
  const json document = written(transcript);
  CHECK(document["segments"][0]["avg_logprob"].is_null());
  CHECK(document["segments"][1]["end"].is_null());
}

TEST_CASE("json: broken UTF-8 is repaired and warned of") {
  wnpu::Transcript transcript = example();
  transcript.segments[0].text = " a\xFF\x01";
  transcript.segments[0].words[0].text = "\xE6\x97";
  transcript.input.path = "bad\xC3.wav";
  const json document = written(transcript);
  CHECK(document["segments"][0]["text"] == " a\uFFFD\x01");
  CHECK(document["words"][0]["word"] == "\uFFFD");
  CHECK(document["input"]["path"] == "bad\uFFFD.wav");
  CHECK(document["warnings"].back() == "broken UTF-8 in 3 texts was replaced by U+FFFD");
}

TEST_CASE("json: jsonl is one line") {
  std::ostringstream out;
  write(Format::jsonl, example(), {}, out);
  const std::string text = out.str();
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(written(example(), Format::jsonl) == written(example()));
}

namespace {

using namespace wnpu;  // NOLINT
using tests::enum_of;

std::map<std::string, json> program_lists() {
  std::vector<std::string_view> dtypes(models::kDTypeNames.begin(), models::kDTypeNames.end());
  dtypes.push_back(models::kNoDType);
  std::vector<std::string_view> plans(npu::kPlanNames.begin(), npu::kPlanNames.end());
  plans.push_back(npu::kTunedPlanName);
  std::vector<std::string_view> asked{app::kAutoDevice};
  asked.insert(asked.end(), npu::kSplitNames.begin(), npu::kSplitNames.end());
  return {{"device/split/requested", enum_of(asked)},
          {"device/split/used", enum_of(npu::kSplitNames)},
          {"device/split/ways/split", enum_of(npu::kSplitNames)},
          {"choices/optimize_for", enum_of(app::kGoalNames, true)},
          {"task", enum_of(decoder::kTaskNames)},
          {"model/format", enum_of(models::kFileFormats, true)},
          {"model/quantization", enum_of(dtypes, true)},
          {"device/npu/plan", enum_of(plans)},
          {"device/npu/precision", enum_of(npu::kPrecisionNames)},
          {"device/ort/weights", enum_of(app::kOrtWeights)},
          {"device/npu/operators/replaces", enum_of(std::array{npu::kReplaceable})},
          {"device/npu/operators/ran_on", enum_of(app::kOperatorPlaces)},
          {"device/cpu_precision", enum_of(models::kPrecisionNames, true)},
          {"device/isa", enum_of(kernels::kInstructionSetNames, true)}};
}

}  // namespace

TEST_CASE("schema: its enums are the program's lists, and each has one") {
  CHECK(json(tests::enums_of(tests::schema_of("app/formats/transcript.schema.json"))) ==
        json(program_lists()));
}

TEST_CASE("schema: what this program can write of itself is valid") {
  const json rules = tests::schema_of("app/formats/transcript.schema.json");
  Transcript transcript;
  const auto is_valid = [&] {
    std::ostringstream out;
    app::write(app::Format::json, transcript, {}, out);
    return tests::schema_fault(rules, json::parse(out.str())).empty();
  };
  for (const std::string_view isa : kernels::kInstructionSetNames) {
    transcript.device.isa = isa;
    CHECK(is_valid());
  }
  NpuUse& use = transcript.device.npu.emplace();
  use.plan = "fused";
  use.precision = "bf16";
  CHECK(is_valid());
  for (const std::string_view place : app::kOperatorPlaces) {
    use.operators = {{"gelu", "mine", "mine.so", std::string(place), ""}};
    CHECK(is_valid());
  }
  use.operators.front().ran_on = "gpu";
  CHECK_FALSE(is_valid());
  transcript.device.npu.reset();
  transcript.device.isa = "MMX";
  CHECK_FALSE(is_valid());
}
