// Recordings at URLs, fetched one after another on a thread of their own while others are
// transcribed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/input/fetched_recording.h"
#include "models/base/descriptor.h"

namespace wnpu::app {

// Throws as FetchedRecording does; models::Stopped soon after `should_stop`.
using FetchUrl = std::function<std::unique_ptr<FetchedRecording>(
    const std::string& url, const std::function<bool()>& should_stop)>;

struct Fetched {
  std::size_t number = 0;  // of the order
  std::unique_ptr<FetchedRecording> recording;
  std::exception_ptr failure;  // why there is none
  double seconds = 0;          // that it took
};

class FetchAhead {
 public:
  // Throws std::system_error where there is no descriptor.
  FetchAhead(FetchUrl fetch, std::function<bool()> should_stop);
  // Gives up orders that are not fetched yet.
  ~FetchAhead();
  FetchAhead(const FetchAhead&) = delete;
  FetchAhead& operator=(const FetchAhead&) = delete;

  void order(std::size_t number, const std::string& url);
  // The first that is there, if any.
  std::optional<Fetched> take();
  // Readable while one is there.
  int descriptor() const { return descriptor_.get(); }

 private:
  struct Order {
    std::size_t number;
    std::string url;
  };

  bool start();  // false: the system gives no thread
  void work();
  std::optional<Order> next_order();  // none: no more are wanted
  void fetch(const Order& order);

  FetchUrl fetch_;
  std::function<bool()> should_stop_;
  models::Descriptor descriptor_;
  std::mutex mutex_;
  std::condition_variable ordered_;
  std::deque<Order> orders_;
  std::deque<Fetched> fetched_;
  bool is_over_ = false;
  std::thread thread_;  // none before the first order, or where the system gives none
};

}  // namespace wnpu::app
