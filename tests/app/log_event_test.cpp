// --log-format json: lines by the schema, whatever is in them, and not too many of them.
#include "app/formats/log_event.h"

#include <array>
#include <random>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/options/output_options.h"
#include "app/system/progress.h"
#include "tests/few_samples.h"
#include "tests/support/json_schema.h"

namespace {

using namespace wnpu::app;
using namespace std::chrono_literals;
using nlohmann::json;

const LogTime kTime = LogTime(std::chrono::sys_days(std::chrono::year(2026) / 2 / 28)) + 86399999ms;

void check_log_line(const json& line) {
  static const json kSchema = wnpu::tests::schema_of("app/formats/log.schema.json");
  CHECK(wnpu::tests::schema_fault(kSchema, line) == "");
}

// The lines of it, each held to the schema.
std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  for (const json& line : lines) check_log_line(line);
  CHECK((text.empty() || text.back() == '\n'));
  return lines;
}

std::string random_bytes(std::mt19937& random) {
  std::string text(random() % 60, ' ');
  for (char& c : text) c = static_cast<char>(random() % 256);
  return text;
}

}  // namespace

TEST_CASE("log: a message without its file's name, which stands apart") {
  CHECK(lines_of(log_message_json(kTime, LogLevel::error, "a.wav: no audio", "a.wav")) ==
        std::vector<json>{{{"type", "message"},
                           {"time", "2026-02-28T23:59:59.999Z"},
                           {"level", "error"},
                           {"file", "a.wav"},
                           {"message", "no audio"}}});
  const json other = lines_of(log_message_json(kTime, LogLevel::info, "a.wave: b", "a.wav")).at(0);
  CHECK(other["message"] == "a.wave: b");
  CHECK(other["file"] == "a.wav");
  CHECK(other["level"] == "info");
  const json none = lines_of(log_message_json(kTime, LogLevel::debug, "listening")).at(0);
  CHECK_FALSE(none.contains("file"));
  CHECK(none["level"] == "debug");
}

TEST_CASE("log: any bytes give one valid line, without memory as well") {
  std::mt19937 random(7);
  for (std::size_t i = 0; i < 2000 / wnpu::tests::kSampleShare; ++i) {
    CAPTURE(i);
    const std::string message = random_bytes(random);
    const std::string file = random_bytes(random);
    CHECK(lines_of(log_message_json(kTime, LogLevel::error, message, file)).size() == 1);
    std::array<char, 1024> room{};
    const std::span<char> part(room.data(), 160 + random() % (room.size() - 160));
    const std::size_t size = plain_log_error(part, kTime, message, file);
    const std::vector<json> lines = lines_of({part.data(), size});
    REQUIRE(lines.size() == 1);
    CHECK(lines[0]["time"] == "2026-02-28T23:59:59.999Z");
  }
  std::array<char, 512> room{};
  const std::string text(room.data(), plain_log_error(room, kTime, "m/a: not whole", "m/a"));
  CHECK(lines_of(text).at(0)["message"] == "not whole");
  CHECK(lines_of(text).at(0)["file"] == "m/a");
}

TEST_CASE("log: progress at once where something is new, else a second apart") {
  ProgressPace pace;
  using Clock = ProgressPace::Clock;
  const Clock::time_point begin = Clock::now();
  CHECK(pace.is_due(begin, 0, 0));
  CHECK(pace.is_due(begin, 0, 60));
  int n_due = 0;
  for (int ms = 1; ms <= 10000; ms += 7) {
    n_due += pace.is_due(begin + std::chrono::milliseconds(ms), ms / 1000.0, 60) ? 1 : 0;
  }
  CHECK(n_due == 9);
  CHECK(pace.is_due(begin + 10001ms, 60, 60));
  CHECK_FALSE(pace.is_due(begin + 10002ms, 60, 60));
  pace.begin();
  CHECK(pace.is_due(begin + 10003ms, 0, 0));
}

TEST_CASE("log: the format is known before the command line is read") {
  using Arguments = std::vector<const char*>;
  const auto is_json = [](const Arguments& words, const char* variable = nullptr) {
    return log_format_among(words, variable) == LogFormat::json;
  };
  CHECK(is_json({"--log-format", "json", "--beem-size", "3"}));
  CHECK(is_json({"a.wav", "--log_format=json"}));
  CHECK(is_json({}, "json"));
  CHECK_FALSE(is_json({"--log-format=text"}, "json"));
  CHECK_FALSE(is_json({"--log-format"}, ""));
  CHECK_FALSE(is_json({"--log-format=json", "--log-format", "text"}));
  CHECK_FALSE(is_json({"--", "--log-format=json"}));
  CHECK_FALSE(is_json({"a.wav", "--", "--log-format=json"}));
  CHECK(is_json({"--max-tokens", "--", "--log-format=json"}));
  CHECK_FALSE(is_json({"--log-formats=json"}));
}
