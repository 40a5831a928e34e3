// Worker on rows: a process of its own, which may die of one, or a thread of this process.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>
#include <thread>

#include "app/jobs/rows/channel.h"

namespace wnpu::app {

// The worker's whole life, with its end of the channel; its exit code.
using ServeRows = std::function<int(Channel&)>;

class RowProcess {
 public:
  // A process is forked: before any thread starts. It closes `not_its_own`, descriptors of rows and
  // results: a lock on them would outlive this process by it.
  RowProcess(const ServeRows& serve, bool is_isolated, std::span<const int> not_its_own = {});
  // A process that is still there is killed; a thread must see the end of the channel and end.
  ~RowProcess();
  RowProcess(const RowProcess&) = delete;
  RowProcess& operator=(const RowProcess&) = delete;

  Channel& channel() { return *channel_; }
  // Not of a thread. Its end of the channel closes.
  void kill();
  // After its end of the channel is closed: how it ended ("was killed by signal 9 (Killed)").
  std::string wait();

 private:
  std::unique_ptr<Channel> channel_;
  pid_t process_ = 0;
  std::thread thread_;
  int code_ = 0;  // of the thread
};

}  // namespace wnpu::app
