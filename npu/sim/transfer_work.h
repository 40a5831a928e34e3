// TransferWork: a Design's transfers, each begun as soon as its locks and tokens allow, as if a
// controller gave tasks in no time. For the order of a control program and for design errors; it
// moves no bytes.
#pragma once

#include "npu/sim/channel_work.h"

namespace wnpu::npu {

class TransferWork final : public ChannelWork {
 public:
  // The design has to live as long.
  explicit TransferWork(const Design& design);
  Waiters* begin(std::size_t channel, Piece& piece) override;
  bool end(std::size_t channel) override;
  std::string unfinished() const override;

 private:
  struct State {
    std::size_t transfer = 0;  // head of the queue
    std::uint32_t element = 0;
  };
  struct Counter {  // a lock or a token
    std::int64_t value = 0;
    Waiters waiters;
  };

  const Transfer* head(std::size_t channel) const;
  void release(const LockUse& use);

  const Design& design_;
  std::vector<State> channels_;
  std::vector<Counter> locks_;
  std::vector<Counter> tokens_;
  Waiters finished_;  // nothing wakes them
};

}  // namespace wnpu::npu
