#include "app/jobs/rows/fetch_ahead.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace wnpu::app {

FetchAhead::FetchAhead(FetchUrl fetch, std::function<bool()> should_stop)
    : fetch_(std::move(fetch)),
      should_stop_(std::move(should_stop)),
      descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {
  if (!descriptor_.is_open()) throw std::system_error(errno, std::generic_category(), "eventfd");
}

FetchAhead::~FetchAhead() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ordered_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void FetchAhead::order(std::size_t number, const std::string& url) {
  if (!start()) return fetch({number, url});  // here, while all else waits
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back({number, url});
  }
  ordered_.notify_one();
}

bool FetchAhead::start() try {
  if (!thread_.joinable()) thread_ = std::thread(&FetchAhead::work, this);
  return true;
} catch (const std::system_error&) {
  return false;
}

std::optional<Fetched> FetchAhead::take() {
  const std::lock_guard lock(mutex_);
  if (fetched_.empty()) return std::nullopt;
  Fetched first = std::move(fetched_.front());
  fetched_.pop_front();
  std::uint64_t one = 0;
  [[maybe_unused]] const ssize_t size = ::read(descriptor(), &one, sizeof one);
  return first;
}

void FetchAhead::work() {
  while (const auto order = next_order()) fetch(*order);
}

std::optional<FetchAhead::Order> FetchAhead::next_order() {
  std::unique_lock lock(mutex_);
  ordered_.wait(lock, [this] { return is_over_ || !orders_.empty(); });
  if (is_over_) return std::nullopt;
  Order order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void FetchAhead::fetch(const Order& order) {
  const auto begun = std::chrono::steady_clock::now();
  Fetched fetched{.number = order.number, .recording = {}, .failure = {}};
  try {
    fetched.recording = fetch_(order.url, [this] {
      const std::lock_guard lock(mutex_);
      return is_over_ || should_stop_();
    });
  } catch (...) {
    fetched.failure = std::current_exception();
  }
  fetched.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const std::lock_guard lock(mutex_);
  fetched_.push_back(std::move(fetched));
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t size = ::write(descriptor(), &one, sizeof one);
}

}  // namespace wnpu::app
