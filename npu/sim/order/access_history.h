// AccessHistory: of each word of the array's memories and of a call's arguments, who has written it
// last and who has read it since. Two accesses of which one writes, and that nothing orders, are a
// conflict (as FastTrack finds them: Flanagan and Freund, PLDI 2009).
#pragma once

#include <optional>
#include <vector>

#include "npu/sim/order/clocks.h"
#include "npu/sim/order/word_pattern.h"

namespace wnpu::npu {

class AccessHistory {
 public:
  // Accesses of an agent between two of its ticks.
  struct Event {
    Moment moment;
    std::uint32_t transfer = 0;  // for messages
    // Another that has written the same words, of which nothing says which was first. No conflict
    // by itself: what nobody reads, as results of padding, may be written by many. 0: none.
    std::uint32_t rival = 0;
  };
  struct Conflict {
    Event earlier;  // found first
    bool earlier_writes = false;
    std::uint64_t word = 0;
  };

  explicit AccessHistory(std::size_t n_memories) : pages_(n_memories) {}

  std::uint32_t add_event(Moment moment, std::uint32_t transfer);
  const Event& event(std::uint32_t index) const { return events_[index]; }
  // By the event; `now`: what is certain to have happened before it. The first conflict.
  std::optional<Conflict> read(std::size_t memory, WordRun run, std::uint32_t event,
                               const Clocks& now);
  std::optional<Conflict> write(std::size_t memory, WordRun run, std::uint32_t event,
                                const Clocks& now);

 private:
  // Indices; 0: none.
  struct Word {
    std::uint32_t writer = 0;   // into events_
    std::uint32_t readers = 0;  // into readers_
    bool operator==(const Word&) const = default;
  };
  // Words that lie side by side: one entry for all while they are alike.
  struct Page {
    Word all;
    bool is_alike = true;
    std::vector<Word> words;  // where they are not

    void spread();
    void gather();  // if they are alike
  };
  struct Reader {
    std::uint32_t event = 0;
    std::uint32_t next = 0;
  };
  static constexpr std::size_t kPageWords = 256;

  template <typename Visit>
  void for_each_word(std::size_t memory, WordRun run, const Visit& visit);
  bool is_before(std::uint32_t event, const Clocks& now) const;
  std::uint32_t add_reader(std::uint32_t readers, std::uint32_t event, const Clocks& now);
  std::uint32_t with_rival(std::uint32_t event, std::uint32_t other, const Clocks& now);
  std::uint32_t unordered_reader(std::uint32_t readers, const Clocks& now) const;

  std::vector<std::vector<Page>> pages_;  // [memory], as far as it was touched
  std::vector<Event> events_{1};
  std::vector<Reader> readers_{1};
};

}  // namespace wnpu::npu
