#include "app/serve/api_keys.h"

#include <chrono>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "app/serve/http/api_error.h"
#include "app/system/sha256.h"

using namespace wnpu::serve;

namespace {

// Status, and seconds to wait, of what `use` throws; 0: nothing.
std::pair<unsigned, unsigned> quota_refusal(const std::function<void()>& use) {
  try {
    use();
  } catch (const ApiError& error) {
    return {error.status, error.retry_after_s.value_or(0)};
  }
  return {0, 0};
}

std::string usage_error_of(const std::string& text) {
  try {
    const ApiKeys keys(text, "keys");
  } catch (const wnpu::app::UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("api keys: a key, its requests a minute, its seconds a day") {
  wnpu::app::Sha256 sha256;
  ApiKeys keys("# mine\n\n" + sha256("a") + " requests-per-minute=2\r\n" + sha256("b") +
                   " audio-seconds-per-day=60 # b's\n",
               "keys");
  const ApiKeys::Time noon{std::chrono::hours(12)};
  const auto use = [&](const char* header, ApiKeys::Time now) {
    return quota_refusal([&] { keys.use(header, now); });
  };
  using Refusal = std::pair<unsigned, unsigned>;
  for (const char* none : {"", "Bearer", "Bearer ", "Bearer c", "Basic a", "a"}) {
    CAPTURE(none);
    CHECK(use(none, noon) == Refusal{401, 0});
  }
  CHECK(use("bearer a", noon) == Refusal{0, 0});
  CHECK(use("Bearer a", noon + std::chrono::seconds(20)) == Refusal{0, 0});
  CHECK(use("Bearer a", noon + std::chrono::seconds(20)) == Refusal{429, 40});
  CHECK(use("Bearer a", noon + std::chrono::seconds(60)) == Refusal{0, 0});

  const auto b = keys.use("Bearer b", noon);
  keys.add_audio(b, 59, noon);
  CHECK(use("Bearer b", noon) == Refusal{0, 0});
  keys.add_audio(b, 2, noon);
  CHECK(use("Bearer b", noon) == Refusal{429, 12 * 60 * 60});
  CHECK(use("Bearer b", noon + std::chrono::hours(12)) == Refusal{0, 0});
}

TEST_CASE("api keys: none, and files of another form") {
  ApiKeys open;
  CHECK(open.is_open());
  CHECK_FALSE(open.use("", ApiKeys::Time{}).has_value());
  const std::string hash(64, 'a');
  CHECK(usage_error_of(hash) == "");
  CHECK(usage_error_of("# none\n") == "keys: expected keys, found none");
  CHECK(usage_error_of(hash + "\nsecret").starts_with("keys:2: expected a key's SHA-256"));
  CHECK(usage_error_of(std::string(64, 'x')).starts_with("keys:1: expected a key's SHA-256"));
  for (const char* quota : {"requests-per-minute=0", "requests-per-minute", "other=1",
                            "audio-seconds-per-day=-1", "requests-per-minute=1e3", "="}) {
    CAPTURE(quota);
    CHECK(usage_error_of(hash + " " + quota).ends_with(std::string("found ") + quota));
  }
}
