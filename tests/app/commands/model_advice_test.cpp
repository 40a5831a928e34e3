// Model that is recommended for a machine, and what each is said to need.
#include "app/commands/models/model_advice.h"

#include <doctest/doctest.h>

#include "app/model_store/hub/catalogue.h"

using namespace wnpu::app;  // NOLINT

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

}  // namespace

TEST_CASE("model advice: every published model has its languages, memory and speed") {
  const Host host{2, 16 * kGiB, true};
  for (const HubModel& model : hub_models()) {
    CAPTURE(model.name);
    const auto needs = needs_of(model.name, host);
    REQUIRE(needs);
    const bool is_english = model.name.ends_with(".en") || model.name.starts_with("distil-");
    CHECK((needs->languages == 1) == is_english);
    CHECK(needs->memory_bytes > 100'000'000);
    CHECK(needs->memory_bytes < 8 * kGiB);
    CHECK(needs->times_real_time > 1);
    CHECK(needs->times_real_time < 500);
  }
  CHECK(needs_of("tiny", host)->languages == 99);
  CHECK(needs_of("large-v3", host)->languages == 100);
  CHECK(needs_of("distil-large-v3", host)->times_real_time >
        needs_of("large-v3", host)->times_real_time);
  CHECK_FALSE(needs_of("mine", host));
  CHECK_FALSE(needs_of("distil-mine.en", host));
}

TEST_CASE("model advice: more memory and more processors give larger models") {
  const auto other = [](unsigned threads, std::uint64_t bytes, bool multiplies_bytes) {
    return advice_for({threads, bytes, multiplies_bytes}).other;
  };
  CHECK(other(1, kGiB / 4, false) == "tiny");
  CHECK(other(2, kGiB, true) == "base");
  CHECK(other(2, 16 * kGiB, false) == "small");
  CHECK(other(2, 16 * kGiB, true) == "large-v3-turbo");
  CHECK(other(2, 2 * kGiB, true) == "small");
  CHECK(advice_for({2, 2 * kGiB, true}).english == "small.en");
  CHECK(advice_for({2, 16 * kGiB, true}).english == "large-v3-turbo");
}
