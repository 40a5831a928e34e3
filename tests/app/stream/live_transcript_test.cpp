#include "app/stream/live_transcript.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "models/base/utf8.h"
#include "tests/app/stream/scripted_speech.h"
#include "tests/few_samples.h"

namespace {

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT
using tests::Script;
using tests::ScriptedListener;

constexpr int kScripts = 40 / static_cast<int>(tests::kSampleShare);

struct Heard {
  std::vector<StreamEvent> events;
  std::size_t n_calls = 0;
  std::size_t n_ended_with_prefix = 0;
  std::size_t most_samples = 0;
  std::size_t most_text = 0;
  bool had_other_beginning = false;
  bool had_other_end = false;

  std::vector<std::string> final_words() const {
    std::vector<std::string> words;
    for (const StreamEvent& event : events) {
      if (event.type != StreamEvent::Type::final) continue;
      for (const Word& word : event.words) words.push_back(word.text);
    }
    return words;
  }
  std::string final_text() const {
    std::string text;
    for (const std::string& word : final_words()) text += word;
    return text;
  }
};

std::string shown_words(const std::vector<StreamEvent>& events) {
  std::string text;
  for (const StreamEvent& event : events) {
    text += event.type == StreamEvent::Type::final ? "F" : "P";
    text += std::to_string(event.heard) + (event.ends_line ? "|" : " ");
    for (const Word& word : event.words)
      text += word.text + "@" + std::to_string(word.start) + "-" + std::to_string(word.end);
    text += "\n";
  }
  return text;
}

// Plays the script; `next` says how many samples a call of push() has, and whether more wait.
template <typename Next>
Heard play(const Script& script, const LiveOptions& options, const Next& next) {
  Heard heard;
  ScriptedListener listener(script);
  LiveTranscript transcript(
      options, [&](auto block) { return listener.speech(block); },
      [&](const HeardAudio& audio) { return listener.hear(audio); },
      [&](const StreamEvent& event) { heard.events.push_back(event); });
  const std::vector<std::int16_t> samples = tests::samples_of(script);
  for (std::size_t at = 0; at < samples.size();) {
    const auto [n, more_are_waiting] = next(at);
    const std::size_t size = std::min<std::size_t>(n, samples.size() - at);
    transcript.push(std::span(samples).subspan(at, size), more_are_waiting);
    at += size;
  }
  transcript.finish();
  heard.n_calls = listener.n_calls;
  heard.n_ended_with_prefix = listener.n_ended_with_prefix;
  heard.most_samples = listener.most_samples;
  heard.most_text = listener.most_text;
  heard.had_other_beginning = listener.had_other_beginning;
  heard.had_other_end = listener.had_other_end;
  return heard;
}

Heard play(const Script& script, const LiveOptions& options = {}) {
  return play(script, options, [](std::size_t) { return std::pair(std::size_t{1600}, false); });
}

// A transcript of a script, of which the final text is kept.
struct Listening {
  using Hear = std::function<std::optional<Hypothesis>(ScriptedListener&, const HeardAudio&)>;

  explicit Listening(const Script& script, const LiveOptions& options = {},
                     Hear hear = &ScriptedListener::hear)
      : listener(script),
        transcript(
            options, [this](auto block) { return listener.speech(block); },
            [this, hear](const HeardAudio& audio) { return hear(listener, audio); },
            [this](const StreamEvent& event) {
              if (event.type == StreamEvent::Type::final) text += event.text();
            }) {}

  ScriptedListener listener;
  std::string text;
  LiveTranscript transcript;
};

void check_order(const Heard& heard) {
  CHECK_FALSE(heard.had_other_end);
  double last_end = 0;
  double last_heard = 0;
  for (const StreamEvent& event : heard.events) {
    CHECK(event.heard >= last_heard);
    last_heard = event.heard;
    double end = last_end;
    for (const Word& word : event.words) {
      CHECK(word.start >= end);
      CHECK(word.end >= word.start);
      CHECK(word.end <= event.heard);
      end = word.end;
    }
    if (event.type == StreamEvent::Type::final) last_end = end;
  }
}

// Seconds of speech from the word on, before the next pause.
double speech_s_from(const Script& script, std::size_t word, double pause_s) {
  const auto& words = script.words;
  std::size_t last = word;
  while (last + 1 < words.size() && words[last + 1].start - words[last].end < pause_s) ++last;
  return words[last].end - words[word].start;
}

LiveOptions random_live_options(std::mt19937& rng) {
  const auto between = [&rng](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(rng);
  };
  LiveOptions options;
  options.chunk_s = between(0.3, 2);
  options.lookahead_s = between(0, 0.8);
  options.pause_s = between(0.2, 1);
  options.buffer_s = between(5, 20);
  return options;
}

}  // namespace

TEST_CASE("live transcript: no word is lost or doubled, and all are in order") {
  for (int seed = 0; seed < kScripts; ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(static_cast<unsigned>(seed));
    const Script script = tests::random_script(rng, 60);
    const Heard heard = play(script, random_live_options(rng));
    CHECK(heard.final_text() == script.text());
    CHECK_FALSE(heard.had_other_beginning);
    check_order(heard);
  }
}

TEST_CASE("live transcript: a recogniser that ends with its prefix loses less than a second") {
  std::size_t n_missing = 0;
  for (int seed = 0; seed < kScripts; ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(static_cast<unsigned>(seed) + 4000);
    Script script = tests::random_script(rng, 60);
    script.unsure_s = 0;
    script.ends_with_prefix = true;
    LiveOptions options = random_live_options(rng);
    options.lookahead_s *= 3;
    const Heard heard = play(script, options);
    const std::vector<std::string> said = heard.final_words();
    std::size_t n_said = 0;
    for (std::size_t i = 0; i < script.words.size(); ++i) {
      CAPTURE(i);
      if (n_said < said.size() && said[n_said] == script.words[i].text) {
        ++n_said;
      } else {
        CHECK(speech_s_from(script, i, options.pause_s) < 1);
        ++n_missing;
      }
    }
    CHECK(n_said == said.size());
    CHECK(heard.n_ended_with_prefix > 0);
    CHECK_FALSE(heard.had_other_beginning);
    check_order(heard);
  }
  CHECK((n_missing > 0 || tests::kFewSamples));  // the few scripts there lose none
}

TEST_CASE("live transcript: a word that went on behind its time is not said twice") {
  Script script;
  script.length_s = 6;
  script.words = {{" one", 0.5, 1.0, 1}, {" long", 1.1, 4.0, 1}};
  Listening play(script, {}, [](ScriptedListener& listener, const HeardAudio& audio) {
    auto heard = listener.hear(audio);
    for (Word& word : heard->words) word.end = std::min(word.end, word.start + 0.4);
    return heard;
  });
  play.transcript.push(tests::samples_of(script));
  play.transcript.finish();
  CHECK(play.text == " one long");
}

TEST_CASE("live transcript: how samples are cut into calls does not matter") {
  for (int seed = 0; seed < kScripts / 4; ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(static_cast<unsigned>(seed) + 1000);
    const Script script = tests::random_script(rng, 30);
    const std::string whole = shown_words(
        play(script, {}, [](std::size_t) { return std::pair(~std::size_t{0}, false); }).events);
    CHECK(whole == shown_words(play(script, {}, [](std::size_t) {
                                 return std::pair(std::size_t{1}, false);
                               }).events));
    std::uniform_int_distribution<std::size_t> size(1, 5000);
    CHECK(whole == shown_words(play(script, {}, [&](std::size_t) {
                                 return std::pair(size(rng), false);
                               }).events));
  }
}

TEST_CASE("live transcript: bursts and a recogniser that is late change no final text") {
  for (int seed = 0; seed < kScripts; ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(static_cast<unsigned>(seed) + 2000);
    const Script script = tests::random_script(rng, 60);
    std::uniform_int_distribution<std::size_t> size(1, 40000);
    std::bernoulli_distribution waits(0.7);
    const LiveOptions options = random_live_options(rng);
    const auto next = [&](std::size_t) { return std::pair(size(rng), waits(rng)); };
    const Heard heard = play(script, options, next);
    CHECK(heard.final_text() == script.text());
    check_order(heard);
    CHECK(heard.n_calls <= play(script, options).n_calls);
  }
}

TEST_CASE("live transcript: speech without a pause or a sentence is cut between words") {
  for (int seed = 0; seed < kScripts / 4; ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(static_cast<unsigned>(seed) + 3000);
    const Script script = tests::random_script(rng, 200, {0, 0});
    LiveOptions options;
    options.buffer_s = 5 + seed % 20;
    const Heard heard = play(script, options);
    CHECK(heard.final_text() == script.text());
    CHECK(heard.most_samples <= LiveTranscript::kMostSamples);
    check_order(heard);
  }
}

TEST_CASE("live transcript: what it keeps does not grow with the stream") {
  std::mt19937 rng(7);
  const Script script = tests::random_script(rng, 600.0 / static_cast<double>(tests::kSampleShare));
  const Heard heard = play(script);
  CHECK(heard.final_text() == script.text());
  CHECK(heard.most_samples <= LiveTranscript::kMostSamples);
  CHECK(heard.most_text < 1000);
}

TEST_CASE("live transcript: the prompt is the end of the text, also where words have no spaces") {
  std::mt19937 rng(11);
  Script script = tests::random_script(rng, 300);
  for (Word& word : script.words) word.text = "語" + word.text.substr(1);
  const std::string all = script.text();
  std::size_t most_bytes = 0;
  Listening play(script, {}, [&](ScriptedListener& listener, const HeardAudio& audio) {
    const std::size_t n = audio.before.size();
    most_bytes = std::max(most_bytes, n);
    const std::size_t at = all.find(audio.before + audio.begun);
    CHECK(at != all.npos);
    CHECK((n > 190 || at == 0));
    if (n > 0) CHECK(models::begins_character(audio.before[0]));
    return listener.hear(audio);
  });
  play.transcript.push(tests::samples_of(script));
  play.transcript.finish();
  CHECK(most_bytes > 800);
}

TEST_CASE("live transcript: a word is final within two hypotheses of its end, or at the pause") {
  std::mt19937 rng(8);
  Script script = tests::random_script(rng, 120);
  script.unsure_s = 0;  // all words that are whole are heard right
  const LiveOptions options;
  double worst = 0;
  for (const StreamEvent& event : play(script, options).events) {
    if (event.type != StreamEvent::Type::final) continue;
    for (const Word& word : event.words) worst = std::max(worst, event.heard - word.end);
  }
  // Blocks of 32 ms, and silence that puts hypotheses off.
  CHECK(worst < 2 * options.chunk_s + options.pause_s + 0.2);
}

TEST_CASE("live transcript: silence asks the recogniser nothing") {
  Script script;
  script.length_s = 60;
  const Heard heard = play(script);
  CHECK(heard.n_calls == 0);
  CHECK(heard.events.empty());
}

TEST_CASE("live transcript: the end in the middle of a word ends with what was heard of it") {
  Script script;
  script.length_s = 2.2;
  script.words = {{" one", 0.5, 1.0, 1}, {" two", 1.1, 1.6, 1}, {" three", 2.0, 2.6, 1}};
  const Heard heard = play(script);
  CHECK(heard.final_text().starts_with(" one two c"));
  CHECK(heard.events.back().ends_line);
}

TEST_CASE("live transcript: where the feeder stops, whole words become final, half ones later") {
  Script script;
  script.length_s = 6;
  script.words = {{" one", 0.5, 1.0, 1}, {" two", 1.1, 1.5, 1}, {" three", 1.9, 2.6, 1}};
  Listening play(script, {.chunk_s = 10});
  auto& [listener, text, transcript] = play;
  const auto samples = tests::samples_of(script);
  const std::size_t in_three = 16000 * 21 / 10;
  transcript.push(std::span(samples).first(in_three));
  CHECK(text.empty());
  transcript.stall();
  CHECK(text == " one two");
  const std::size_t n_calls = listener.n_calls;
  transcript.stall();  // nothing new
  CHECK(listener.n_calls == n_calls);
  transcript.push(std::span(samples).subspan(in_three));
  CHECK(text == " one two three");
}

TEST_CASE("live transcript: a recogniser that cannot tell takes nothing back") {
  Script script;
  script.length_s = 8;
  for (int i = 0; i < 10; ++i)
    script.words.push_back({" w" + std::to_string(i), 0.5 + i * 0.5, 0.9 + i * 0.5, 1});
  int n_asked = 0;
  Listening play(
      script, {},
      [&](ScriptedListener& listener, const HeardAudio& audio) -> std::optional<Hypothesis> {
        if (++n_asked % 2 == 0 && !audio.is_last_try) return std::nullopt;
        return listener.hear(audio);
      });
  play.transcript.push(tests::samples_of(script));
  play.transcript.finish();
  CHECK(play.text == script.text());
}

TEST_CASE("live transcript: in a hurry few calls hear all that is left") {
  std::mt19937 rng(9);
  const Script script = tests::random_script(rng, 90);
  Listening play(script);
  auto& [listener, text, transcript] = play;
  const auto samples = tests::samples_of(script);
  transcript.push(std::span(samples).first(16000 * 20));
  const std::size_t n_calls = listener.n_calls;
  transcript.hurry();
  transcript.push(std::span(samples).subspan(16000 * 20));
  transcript.finish();
  CHECK(listener.n_calls - n_calls <= 4);           // 70 s, and 15 of before, in windows of 28
  CHECK(text.size() >= script.text().size() - 10);  // words that a full window cuts
}
