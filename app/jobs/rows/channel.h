// JSON objects, a line each, over a socket between a supervisor and its worker.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/jobs/rows/line_splitter.h"
#include "models/base/descriptor.h"

namespace wnpu::app {

class Channel {
 public:
  // Takes over one end of a socket pair.
  explicit Channel(int descriptor);

  int descriptor() const { return descriptor_.get(); }

  // To be sent; what the socket does not take now waits for flush().
  void send(const nlohmann::ordered_json& message);
  // True: all is sent, or nobody reads any more.
  bool flush();
  // Sends the message, however long that takes.
  void send_now(const nlohmann::ordered_json& message);
  // Nothing more is sent; the other side reads to the end.
  void end();

  using Take = std::function<void(nlohmann::ordered_json&& message)>;
  // Takes the messages that are there, without waiting. False: the other side has ended, or is
  // gone.
  bool receive(const Take& take);

 private:
  models::Descriptor descriptor_;
  std::string to_send_;
  LineSplitter lines_;
};

}  // namespace wnpu::app
