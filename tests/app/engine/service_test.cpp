// Requests of a service: whoever else is there, each gives what Session::transcribe gives of it.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/whisper_npu_service.hpp"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/fetched_files.h"
#include "tests/support/model_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

struct ServiceFixture {
  ServiceFixture()
      : model((tests::write(
                   tests::to_ctranslate2(tests::make_nano_model(), tests::Ct2Quantization::float16),
                   folder.path() / "model"),
               (folder.path() / "model").string()),
              {.device = {.requested = "cpu", .cpu_precision = "fp32"}, .threads = 2}) {}

  tests::TemporaryFolder folder;
  Model model;
};

// Ways of transcribing that differ in what the loop does with them.
std::vector<TranscribeOptions> ways() {
  std::vector<TranscribeOptions> all(6, tests::single_try(1, 8));
  all[1].beam_size = 3;
  all[2].temperature_increment_on_fallback = 0.5;  // a search, then samples
  all[2].best_of = 2;
  all[3].word_timestamps = true;
  all[4].batch_size = 3;
  all[4].clip_timestamps = {0, 1, 1, 2, 2, 3, 3.5, 4};
  all[5].initial_prompt = "hello";
  all[5].condition_on_previous_text = false;
  return all;
}

// A request with its end as a future.
struct Asked {
  std::size_t audio;
  std::size_t way;
  bool is_cancelled;
  std::shared_ptr<std::promise<std::string>> text = std::make_shared<std::promise<std::string>>();
};

std::string heard_or_error(const Transcript& transcript, const std::exception_ptr& failure) {
  if (!failure) return (transcript.truncated ? "cut " : "") + tests::heard_text(transcript);
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.code() == ErrorCode::stopped ? "stopped" : error.what();
  }
}

// n random schedules of requests for some of `audios`, the last of which is long.
void check_schedules(const Model& model, const std::vector<Audio>& audios, std::size_t n) {
  const auto options = ways();
  Session alone(model);
  std::vector<std::vector<std::string>> expected(audios.size());
  for (std::size_t i = 0; i < audios.size(); ++i) {
    for (const TranscribeOptions& way : options)
      expected[i].push_back(tests::heard_text(alone.transcribe(audios[i], way)));
  }
  std::mt19937 random(3);
  for (std::size_t schedule = 0; schedule < n; ++schedule) {
    CAPTURE(schedule);
    Service service(model, {.n_together = 1 + random() % 6, .n_readers = 1 + random() % 3});
    std::vector<Asked> asked;
    const std::size_t n_requests = 1 + random() % 8;
    for (std::size_t i = 0; i < n_requests; ++i) {
      const bool is_long = random() % 12 == 0;
      const std::size_t audio = is_long ? audios.size() - 1 : random() % (audios.size() - 1);
      asked.push_back(Asked{audio, random() % options.size(), random() % 5 == 0});
      const auto text = asked.back().text;
      const auto done = [text](const Transcript& transcript, const std::exception_ptr& failure) {
        text->set_value(heard_or_error(transcript, failure));
      };
      Request request = service.submit(audios[audio], options[asked.back().way], {.done = done});
      if (random() % 3 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
      if (asked.back().is_cancelled) request.cancel();
    }
    for (const Asked& each : asked) {
      const std::string text = each.text->get_future().get();
      if (each.is_cancelled && (text == "stopped" || text.starts_with("cut "))) continue;
      CHECK(text == expected[each.audio][each.way]);
    }
  }
}

// WNPU_SCHEDULES, or some.
std::size_t n_schedules(std::size_t some) {
  const char* const wanted = std::getenv("WNPU_SCHEDULES");
  return wanted == nullptr ? some : std::stoul(wanted);
}

}  // namespace

TEST_CASE("service: in any schedule of its threads each request gives what it gives alone") {
  ServiceFixture f;
  std::vector<std::vector<float>> samples;
  for (unsigned i = 0; i < (tests::kFewSamples ? 2U : 5U); ++i)
    samples.push_back(tests::uneven_noise(1 + i * 11000, i, 3));
  samples.push_back(tests::uneven_noise((tests::kFewSamples ? 5 : 33) * 16000, 6, 4));
  std::vector<Audio> audios;
  for (const auto& each : samples) audios.push_back(Audio::from_samples(each));
  check_schedules(f.model, audios, n_schedules(tests::kFewSamples ? 3 : 60));
}

TEST_CASE("service: in any schedule on a real model, too") {
  const auto tiny_en = tests::tiny_en_dir();
  const auto jfk = tests::jfk_wav();
  if (!tiny_en || !jfk) return;
  std::vector<Audio> audios;
  for (int i = 0; i < 4; ++i)
    audios.push_back({.path = *jfk, .start_s = 2.5 * i, .duration_s = 2.5 + 0.2 * i});
  audios.push_back({.path = *jfk});
  check_schedules(Model(tiny_en->string()), audios, n_schedules(4));
}

TEST_CASE("service: an exception of a callback, on the decoding thread, ends its request alone") {
  ServiceFixture f;
  const auto options = tests::single_try(1, 8);
  const std::vector<float> samples = tests::uneven_noise(40 * 16000, 2, 4);
  Service service(f.model, {.n_together = 2});
  std::promise<std::string> thrown;
  std::promise<std::string> missing;
  std::promise<std::string> whole;
  const auto tells = [](std::promise<std::string>& text) {
    return [&text](const Transcript& transcript, const std::exception_ptr& failure) {
      text.set_value(heard_or_error(transcript, failure));
    };
  };
  service.submit(Audio::from_samples(samples), options,
                 {.on_segment = [](const Segment&) { throw Error("own", ": thrown"); },
                  .done = tells(thrown)});
  service.submit({.path = "/none.wav"}, options, {.done = tells(missing)});
  service.submit(Audio::from_samples(samples), options, {.done = tells(whole)});
  CHECK(thrown.get_future().get() == "own: thrown");
  CHECK(missing.get_future().get().find("/none.wav") != std::string::npos);
  CHECK(whole.get_future().get() ==
        tests::heard_text(Session(f.model).transcribe(Audio::from_samples(samples), options)));
  TranscribeOptions bad = options;
  bad.beam_size = 1000;
  CHECK_THROWS_AS(service.submit({.path = "/none.wav"}, bad, {}), Error);
  CHECK(service.load().n_at_work == 0);
  CHECK(service.load().n_steps > 0);
}

TEST_CASE("service: a short request is not stuck behind long ones; at the end all threads tell") {
  ServiceFixture f;
  const auto options = tests::single_try(1, 20);
  const std::vector<float> longer = tests::uneven_noise(120 * 16000, 2, 4);
  const std::vector<float> shorter = tests::uneven_noise(16000, 3, 4);
  std::vector<std::string> texts(4);
  std::promise<std::size_t> n_done_before;
  std::atomic<std::size_t> n_done = 0;
  std::promise<void> begun;
  std::atomic<bool> has_begun = false;
  {
    Service service(f.model, {.n_together = 1});
    for (std::size_t i = 0; i < 3; ++i) {
      service.submit(Audio::from_samples(longer), options,
                     {.on_segment =
                          [&](const Segment&) {
                            if (!has_begun.exchange(true)) begun.set_value();
                          },
                      .done =
                          [&, i](const Transcript& transcript, const std::exception_ptr& failure) {
                            texts[i] = heard_or_error(transcript, failure);
                            ++n_done;
                          }});
    }
    begun.get_future().get();
    service.submit(Audio::from_samples(shorter), options,
                   {.done = [&](const Transcript& transcript, const std::exception_ptr& failure) {
                     texts[3] = heard_or_error(transcript, failure);
                     n_done_before.set_value(n_done);
                   }});
    CHECK(n_done_before.get_future().get() == 0);
  }
  CHECK(texts[3] ==
        tests::heard_text(Session(f.model).transcribe(Audio::from_samples(shorter), options)));
  for (const std::string& text : texts) CHECK_FALSE(text.empty());
}
