// A model and the sessions on it that nobody uses now. Any number of threads may take from it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <vector>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::python {

// A session with the process that made it: its threads are there and nowhere else. In another,
// which fork() made, it is left as it is, since nothing could wait for the threads.
class OwnedSession {
 public:
  explicit OwnedSession(const Model& model);
  ~OwnedSession();
  OwnedSession(OwnedSession&&) noexcept = default;
  OwnedSession& operator=(OwnedSession&&) = delete;

  bool is_usable() const;
  Session& get() { return *session_; }

 private:
  std::unique_ptr<Session> session_;
  pid_t process_;
};

class SessionPool {
 public:
  // Keeps at most n_kept sessions that are not used. Throws Error.
  SessionPool(const std::string& name_or_path, const ModelOptions& options, std::size_t n_kept);

  const Model& model() const { return model_; }

  // One that is there, or a new one. Throws Error.
  OwnedSession take();
  void give_back(OwnedSession&& session);
  // To be called in a new process before anything else: a thread that is not there any more may
  // have had the lock.
  void after_fork();

 private:
  Model model_;
  std::size_t n_kept_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  std::vector<OwnedSession> free_;
};

}  // namespace wnpu::python
