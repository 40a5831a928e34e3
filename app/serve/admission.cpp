#include "app/serve/admission.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/serve/http/api_error.h"

namespace wnpu::serve {
namespace {

constexpr double kNewSpeedShare = 0.2;
constexpr double kLongestRetry = 600;  // seconds

}  // namespace

void Admission::check(const ServiceLoad& load) const {
  if (*n_inside_ >= limits_.requests) {
    refuse("expected at most " + std::to_string(limits_.requests) + " requests at once, found more",
           load.waiting_s / speed_ / 2);
  }
  if (load.waiting_s >= limits_.queue_s) {
    refuse("expected at most " + std::to_string(std::llround(limits_.queue_s)) +
               " seconds of audio that wait, found more",
           (load.waiting_s - limits_.queue_s / 2) / speed_);
  }
}

std::shared_ptr<void> Admission::enter() {
  ++*n_inside_;
  return {nullptr, [n_inside = n_inside_](void*) { --*n_inside; }};
}

void Admission::note_speed(double audio_s, double seconds) {
  if (audio_s <= 0 || seconds <= 0) return;
  speed_ += kNewSpeedShare * (std::max(audio_s / seconds, 0.1) - speed_);
}

void Admission::refuse(const std::string& why, double after_s) const {
  ApiError error(429, "the server is busy: " + why, "", "overloaded");
  error.retry_after_s = static_cast<unsigned>(std::ceil(std::clamp(after_s, 1.0, kLongestRetry)));
  throw error;
}

}  // namespace wnpu::serve
