// Fetching beside other work, without a server.
#include "app/jobs/rows/fetch_ahead.h"

#include <atomic>
#include <chrono>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"

namespace {

using namespace wnpu::app;

std::vector<Fetched> all_of(FetchAhead& fetch_ahead, std::size_t n) {
  std::vector<Fetched> all;
  while (all.size() < n) {
    pollfd state{fetch_ahead.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&state, 1, 20000) == 1);
    auto fetched = fetch_ahead.take();
    REQUIRE(fetched.has_value());
    all.push_back(std::move(*fetched));
  }
  pollfd state{fetch_ahead.descriptor(), POLLIN, 0};
  CHECK(::poll(&state, 1, 0) == 0);
  CHECK_FALSE(fetch_ahead.take().has_value());
  return all;
}

}  // namespace

TEST_CASE("fetch ahead: a thread fetches what is ordered, in order, and carries failures over") {
  std::vector<std::string> asked;  // of the thread
  FetchAhead fetch_ahead(
      [&](const std::string& url,
          const std::function<bool()>& should_stop) -> std::unique_ptr<FetchedRecording> {
        CHECK_FALSE(should_stop());
        asked.push_back(url);
        if (url == "none") throw std::runtime_error("none there");
        return nullptr;  // url_test.py has a server
      },
      [] { return false; });
  const std::vector<std::string> urls{"a", "none", "b"};
  for (std::size_t i = 0; i < urls.size(); ++i) fetch_ahead.order(10 + i, urls[i]);
  const auto all = all_of(fetch_ahead, urls.size());
  CHECK(asked == urls);
  for (std::size_t i = 0; i < urls.size(); ++i) {
    CHECK(all[i].number == 10 + i);
    CHECK((all[i].failure != nullptr) == (urls[i] == "none"));
    CHECK(all[i].seconds >= 0);
  }
  CHECK_THROWS_WITH_AS(std::rethrow_exception(all[1].failure), "none there", std::runtime_error);
}

TEST_CASE("fetch ahead: whoever needs nothing more does not wait for the thread") {
  std::atomic<std::size_t> n_begun = 0;
  const auto begin = std::chrono::steady_clock::now();
  {
    FetchAhead fetch_ahead(
        [&](const std::string&,
            const std::function<bool()>& should_stop) -> std::unique_ptr<FetchedRecording> {
          ++n_begun;
          while (!should_stop()) std::this_thread::yield();
          throw wnpu::models::Stopped();
        },
        [] { return false; });
    fetch_ahead.order(0, "a");
    fetch_ahead.order(1, "b");
    while (n_begun == 0) std::this_thread::yield();
  }
  CHECK(n_begun == 1);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}
