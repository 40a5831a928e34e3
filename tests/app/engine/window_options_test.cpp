// Prompts of windows: clips of a batch, which have no text before them.
#include "app/engine/windows/window_options.h"

#include <doctest/doctest.h>

#include "tests/nano/nano_golden.h"
#include "tests/support/model_run.h"

using namespace wnpu;  // NOLINT

namespace {

using Tokens = std::vector<models::TokenId>;

struct PromptFixture {
  Tokens prompt(const std::string& language) const {
    const app::WindowOptions window(options, model->dims(), model->vocabulary(), language);
    return window.at({3000, 6000}, window.first_context(), 0).prompt;
  }
  Tokens tokens_of(const std::string& text) const { return model->vocabulary().encode(text); }

  TranscribeOptions options{.batch_size = 2};
  std::shared_ptr<const app::LoadedModel> model =
      tests::load(tests::nano_golden_dir("nano128") / "ct2");
};

}  // namespace

TEST_CASE("window options: a Chinese clip of a batch has a sentence before it, no other has") {
  PromptFixture f;
  const Tokens style = f.tokens_of(" 以下是普通话的句子，有标点符号。");
  CHECK(f.prompt("zh") == style);
  for (const char* language : {"en", "de", "ja", "ko", "yue"}) CHECK(f.prompt(language).empty());
  f.options.batch_size = 1;
  CHECK(f.prompt("zh").empty());
}

TEST_CASE("window options: hotwords come before the sentence; a prompt or a translation has none") {
  PromptFixture f;
  f.options.hotwords = "Kennedy";
  Tokens both = f.tokens_of(" Kennedy");
  const Tokens style = f.tokens_of(" 以下是普通话的句子，有标点符号。");
  both.insert(both.end(), style.begin(), style.end());
  CHECK(f.prompt("zh") == both);
  f.options.hotwords.clear();
  f.options.initial_prompt = "so";
  CHECK(f.prompt("zh") == f.tokens_of(" so"));
  f.options.initial_prompt.clear();
  f.options.task = Task::translate;
  CHECK(f.prompt("zh").empty());
}

TEST_CASE("window options: a window's own language decides where there are several") {
  PromptFixture f;
  const app::WindowOptions window(f.options, f.model->dims(), f.model->vocabulary(), "en");
  app::Context context = window.first_context();
  context.language = "zh";
  const decoder::DecodeOptions decode = window.at({3000, 6000}, context, 0);
  CHECK(decode.language == "zh");
  CHECK(decode.prompt == f.tokens_of(" 以下是普通话的句子，有标点符号。"));
}
