#include "app/python/src/session_pool.h"

#include <unistd.h>
#include <utility>

namespace wnpu::python {

OwnedSession::OwnedSession(const Model& model)
    : session_(std::make_unique<Session>(model)), process_(getpid()) {}

OwnedSession::~OwnedSession() {
  if (!is_usable()) (void)session_.release();
}

bool OwnedSession::is_usable() const { return process_ == getpid(); }

SessionPool::SessionPool(const std::string& name_or_path, const ModelOptions& options,
                         std::size_t n_kept)
    : model_(name_or_path, options), n_kept_(n_kept) {}

OwnedSession SessionPool::take() {
  {
    const std::lock_guard lock(*mutex_);
    while (!free_.empty()) {
      OwnedSession session = std::move(free_.back());
      free_.pop_back();
      if (session.is_usable()) return session;
    }
  }
  return OwnedSession(model_);
}

void SessionPool::give_back(OwnedSession&& session) {
  const std::lock_guard lock(*mutex_);
  if (session.is_usable() && free_.size() < n_kept_) free_.push_back(std::move(session));
}

void SessionPool::after_fork() {
  (void)mutex_.release();
  mutex_ = std::make_unique<std::mutex>();
  free_.clear();
}

}  // namespace wnpu::python
