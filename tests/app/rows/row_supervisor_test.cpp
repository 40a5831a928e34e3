// The supervisor with real processes that die, and a recogniser that needs no model.
#include "app/jobs/rows/row_supervisor.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/jobs/rows/row_fields.h"
#include "app/jobs/rows/row_server.h"
#include "tests/few_samples.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace wnpu;  // NOLINT
using namespace wnpu::app;
using nlohmann::ordered_json;

// The text that a recording has, however it is worked on.
Transcript fake_transcript(const Recording& recording) {
  Transcript transcript;
  transcript.language = recording.language.empty() ? "en" : recording.language;
  transcript.input.duration = recording.audio.duration_s.value_or(1);
  Segment segment;
  segment.text = " " + recording.audio.path + " from " + std::to_string(recording.audio.start_s);
  segment.end = 1;
  transcript.segments.push_back(segment);
  return transcript;
}

bool is_called(const Recording& recording, const char* name) {
  return recording.audio.path.find(name) != std::string::npos;
}

// As Session::transcribe_each: rounds, in each of which some recordings end.
void fake_rounds(unsigned seed, std::size_t n_together, const RecordingCallbacks& callbacks) {
  std::mt19937 random(seed + static_cast<unsigned>(::getpid()));
  std::map<std::size_t, Recording> at_work;
  std::size_t n_given = 0;
  while (true) {
    while (at_work.size() < n_together) {
      auto recording = callbacks.next({});
      if (!recording) break;
      at_work.emplace(n_given++, std::move(*recording));
    }
    if (at_work.empty()) return;
    const auto ended = std::next(at_work.begin(), static_cast<long>(random() % at_work.size()));
    const Recording& recording = ended->second;
    if (is_called(recording, "kills")) {
      std::signal(SIGSEGV, SIG_DFL);  // doctest would tell of it
      ::raise(random() % 2 == 0 ? SIGSEGV : SIGKILL);
    }
    if (is_called(recording, "exits")) ::_exit(70);
    if (is_called(recording, "crowd") && at_work.size() > 1) ::raise(SIGKILL);
    if (is_called(recording, "thrown")) throw std::bad_alloc();
    std::exception_ptr failure;
    Transcript transcript;
    if (is_called(recording, "silent")) {
      failure =
          std::make_exception_ptr(Error(ErrorCode::audio, recording.audio.path + ": no audio"));
    } else {
      transcript = fake_transcript(recording);
    }
    callbacks.done(ended->first, std::move(transcript), failure);
    at_work.erase(ended);
  }
}

struct RunOfRows {
  RowLimits limits;
  bool is_isolated = true;
  unsigned seed = 0;

  int code = -1;
  std::vector<std::string> lines;
  std::string err;

  void run(const std::string& input) {
    const tests::TemporaryFolder folder;
    const int descriptor = ::open(folder.make_file("rows", input).c_str(), O_RDONLY);
    std::ostringstream messages_text;
    Messages messages(messages_text, Verbosity::normal, false);
    RowReader reader("/data");
    std::size_t n_ready = 0;
    const auto serve = [this](Channel& channel) {
      try {
        channel.send_now({{kReady, "model"}});
        serve_rows(channel, {limits}, [this](std::size_t n_together, const auto& callbacks) {
          fake_rounds(seed, n_together, callbacks);
        });
      } catch (const std::exception&) {
        return 70;
      }
      return 0;
    };
    code = run_rows({.limits = limits,
                     .is_isolated = is_isolated,
                     .input = descriptor,
                     .input_name = "rows",
                     .output = STDOUT_FILENO,
                     .reader = reader,
                     .serve = serve,
                     .on_ready = [&](const std::string&) { ++n_ready; },
                     .take =
                         [this](const RowResult& result) {
                           lines.push_back(result_line(result.row, result.fields));
                         },
                     .stop_signal = [] { return 0; },
                     .messages = messages});
    ::close(descriptor);
    err = messages_text.str();
    CHECK(n_ready <= 1);
  }
};

ordered_json without_chance(const std::string& line) {
  ordered_json result = ordered_json::parse(line);
  result.erase("seconds");
  result.erase("attempts");
  if (!result.contains("error") || result["error"]["code"] != "crashed") return result;
  result["error"]["message"] = "killed";  // by one signal or the other
  return result;
}

std::string random_rows(std::mt19937& random) {
  std::string text;
  const std::size_t n_rows = random() % 25;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const char* const kind = std::vector{"good",  "good",  "good",  "good",  "silent",
                                         "kills", "crowd", "exits", "thrown"}[random() % 9];
    ordered_json row = {{"audio_filepath", kind + std::to_string(i)}, {"more", random() % 10}};
    if (random() % 2 == 0) row["offset"] = random() % 5;
    if (random() % 2 == 0) row["duration"] = 1 + random() % 300;
    if (random() % 5 == 0) row["lang"] = "de";
    text += row.dump() + "\n";
    if (random() % 6 == 0) text += std::vector{"{\n", "\n", "[]\n", "{\"id\":5}\n"}[random() % 4];
  }
  return text;
}

}  // namespace

TEST_CASE("rows: any rows together, in any order, with processes that die, are as one by one") {
  std::mt19937 random(11);
  for (std::size_t run = 0; run < 24 / wnpu::tests::kSampleShare; ++run) {
    const std::string input = random_rows(random);
    RunOfRows alone;
    alone.limits.n_together = 1;
    alone.limits.max_attempts = 1;
    alone.run(input);
    REQUIRE(alone.code == 0);
    RunOfRows together;
    together.limits = {.n_together = 1 + random() % 8,
                       .seconds_together = static_cast<double>(1 + random() % 400),
                       .max_attempts = 1 + random() % 2,
                       .order = random() % 2 == 0 ? RowOrder::input : RowOrder::done};
    together.seed = static_cast<unsigned>(random());
    together.run(input);
    REQUIRE(together.code == 0);
    std::vector<ordered_json> expected;
    std::vector<ordered_json> found;
    for (const std::string& line : alone.lines) expected.push_back(without_chance(line));
    for (const std::string& line : together.lines) found.push_back(without_chance(line));
    if (together.limits.order == RowOrder::done) {
      const auto by_text = [](const ordered_json& a, const ordered_json& b) {
        return a.dump() < b.dump();
      };
      std::ranges::sort(expected, by_text);
      std::ranges::sort(found, by_text);
    }
    CAPTURE(input);
    REQUIRE(found == expected);
  }
}

TEST_CASE("rows: without a process of its own, a thread gives the same") {
  const std::string input =
      "{\"audio_filepath\":\"a\"}\n{\"audio_filepath\":\"silent\"}\n{\n{\"audio_filepath\":"
      "\"thrown\"}\n{\"audio_filepath\":\"b\"}\n";
  RunOfRows isolated;
  isolated.run(input);
  RunOfRows thread;
  thread.is_isolated = false;
  thread.run(input);
  CHECK(thread.code == 0);
  REQUIRE(thread.lines.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(without_chance(thread.lines[i]) == without_chance(isolated.lines[i]));
  }
  CHECK(ordered_json::parse(thread.lines[3])["error"]["code"] == "resources");
}

TEST_CASE("rows: a process that dies before it comes to a row, or ends all rows, ends the run") {
  std::ostringstream text;
  Messages messages(text, Verbosity::normal, false);
  RowReader reader("");
  std::size_t n_started = 0;
  const auto code_of = [&](bool is_isolated, const std::function<int(Channel&)>& serve) {
    return run_rows({.limits = {},
                     .is_isolated = is_isolated,
                     .input = -1,
                     .input_name = "rows",
                     .output = STDOUT_FILENO,
                     .reader = reader,
                     .serve = serve,
                     .on_ready = [](const std::string&) {},
                     .take = [](const RowResult&) {},
                     .stop_signal = [] { return 0; },
                     .messages = messages});
  };
  CHECK(code_of(false, [&](Channel&) { return ++n_started, 70; }) == 70);
  CHECK(n_started == 5);
  CHECK(text.str().find("before it came to a row") != std::string::npos);
  CHECK(code_of(true, [](Channel& channel) { return channel.send_now({{kEnd, 3}}), 3; }) == 3);
}
