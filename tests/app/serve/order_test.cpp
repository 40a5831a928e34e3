#include "app/serve/order.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/serve/http/api_error.h"

using namespace wnpu;
using namespace wnpu::serve;

namespace {

Order order_in(const std::vector<Field>& fields, const app::Options& usual = {}) {
  return read_order(fields, Task::transcribe, usual);
}

// "param: code" of what the fields are refused with.
std::string refusal_of_order(const std::vector<Field>& fields) {
  try {
    order_in(fields);
  } catch (const ApiError& error) {
    CHECK(error.status == 400);
    return error.param + ": " + error.code;
  }
  return "";
}

}  // namespace

TEST_CASE("serve: fields of OpenAI's, and nothing else, change an order") {
  app::Options usual;
  usual.transcribe.beam_size = 3;
  usual.transcribe.vad.weights = "mine.safetensors";
  const Order none = order_in({}, usual);
  CHECK(none.transcribe == usual.transcribe);
  CHECK(none.wants_segments);
  CHECK_FALSE(none.wants_words);
  CHECK_FALSE(none.is_streamed);
  const Order all = order_in({{"model", "whisper-1"},
                              {"language", "German"},
                              {"prompt", "--help"},
                              {"response_format", "verbose_json"},
                              {"temperature", "0.5"},
                              {"timestamp_granularities[]", "word"},
                              {"stream", "True"}},
                             usual);
  CHECK(all.model == "whisper-1");
  CHECK(all.transcribe.language == "de");
  CHECK(all.transcribe.initial_prompt == "--help");
  CHECK(all.transcribe.temperature == 0.5);
  CHECK(all.transcribe.word_timestamps);
  CHECK(all.transcribe.beam_size == 3);
  CHECK(all.wants_words);
  CHECK_FALSE(all.wants_segments);
  CHECK(all.is_streamed);
  CHECK(read_order({}, Task::translate, usual).transcribe.task == Task::translate);
  CHECK(order_in({{"language", "auto"}}).transcribe.language.empty());
}

TEST_CASE("serve: options by their own names") {
  const Order order = order_in({{"beam_size", "2"},
                                {"hotwords", "[a,b]"},
                                {"suppress_tokens", "1,2"},
                                {"length_penalty", "None"},
                                {"without_timestamps", "true"},
                                {"sample_len", "7"},
                                {"max_words_per_line", "4"},
                                {"condition_on_previous_text", "false"}});
  CHECK(order.transcribe.beam_size == 2);
  CHECK(order.transcribe.hotwords == "[a,b]");
  CHECK(order.transcribe.suppress_tokens == std::vector<std::int32_t>{1, 2});
  CHECK(order.transcribe.without_timestamps);
  CHECK(order.transcribe.sample_len == 7);
  CHECK_FALSE(order.transcribe.condition_on_previous_text);
  CHECK(order.layout.max_words_per_line == 4);
  CHECK(order.transcribe.word_timestamps);  // which that needs
}

TEST_CASE("serve: fields that are refused") {
  CHECK(refusal_of_order({{"beam_size", "0"}}) == "beam_size: invalid_option");
  CHECK(refusal_of_order({{"beam_size", "2"}, {"temperature", "1"}}) ==
        "beam_size: invalid_option");  // it would have no effect
  CHECK(refusal_of_order({{"response_format", "JSON"}}) == "response_format: invalid_value");
  CHECK(refusal_of_order({{"stream", "yes"}}) == "stream: invalid_value");
  CHECK(refusal_of_order({{"stream", "1"}, {"response_format", "vtt"}}) == "stream: invalid_value");
  CHECK(refusal_of_order({{"timestamp_granularities[]", "word"}}) ==
        "timestamp_granularities[]: invalid_value");
  for (const char* name : {"", "help", "h", "model_dir", "device", "operator", "vad_model", "task",
                           "xclbin", "batch_size", "threads", "yes", "include[]"}) {
    CAPTURE(name);
    CHECK(refusal_of_order({{name, "1"}}) == std::string(name) + ": unknown_field");
  }
}
