// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>
#include <utility>

namespace wnpu::models {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }

  // Below 0: none.
  int get() const { return value_; }
  bool is_open() const { return value_ >= 0; }
  int release() { return std::exchange(value_, -1); }
  // Closes what it had, and asks nobody whether that worked.
  void reset(int value = -1) {
    if (is_open()) ::close(value_);
    value_ = value;
  }
  // Closes now. Some file systems report a full disk only here.
  int close() { return ::close(release()); }

 private:
  int value_ = -1;
};

}  // namespace wnpu::models
