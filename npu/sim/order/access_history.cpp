#include "npu/sim/order/access_history.h"

#include <algorithm>
#include <limits>

namespace wnpu::npu {
namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::uint32_t AccessHistory::add_event(Moment moment, std::uint32_t transfer) {
  events_.push_back({moment, transfer, 0});
  return static_cast<std::uint32_t>(events_.size() - 1);
}

void AccessHistory::Page::spread() {
  words.assign(kPageWords, all);
  is_alike = false;
}

void AccessHistory::Page::gather() {
  all = words.front();
  is_alike = std::ranges::all_of(words, [this](const Word& word) { return word == all; });
}

// Calls visit(word of the memory, its entry) for each; once for all of a page that are alike.
template <typename Visit>
void AccessHistory::for_each_word(std::size_t memory, WordRun run, const Visit& visit) {
  std::vector<Page>& pages = pages_[memory];
  const std::uint64_t end = run.first + run.words;
  if (pages.size() * kPageWords < end) pages.resize((end + kPageWords - 1) / kPageWords);
  for (std::uint64_t word = run.first; word < end;) {
    Page& page = pages[word / kPageWords];
    const std::uint64_t begin = word % kPageWords;
    const std::uint64_t n = std::min(end - word, kPageWords - begin);
    const bool is_whole = n == kPageWords;
    if (is_whole && page.is_alike) {
      visit(word, page.all);
      word += n;
      continue;
    }
    if (page.is_alike) page.spread();
    for (std::uint64_t i = begin; i < begin + n; ++i) visit(word++, page.words[i]);
    if (is_whole) page.gather();
  }
}

// Events with three rivals never count as before: a later access is rarely after all of them.
bool AccessHistory::is_before(std::uint32_t event, const Clocks& now) const {
  const Event& rival = events_[events_[event].rival];
  return now.has(events_[event].moment) && rival.rival == 0 && now.has(rival.moment);
}

std::uint32_t AccessHistory::unordered_reader(std::uint32_t readers, const Clocks& now) const {
  for (std::uint32_t i = readers; i != 0; i = readers_[i].next) {
    if (!now.has(events_[readers_[i].event].moment)) return readers_[i].event;
  }
  return 0;
}

// Who comes after this reading comes after those that were before it: they are left out.
std::uint32_t AccessHistory::add_reader(std::uint32_t readers, std::uint32_t event,
                                        const Clocks& now) {
  if (readers_[readers].event == event) return readers;
  std::uint32_t list = 0;
  const auto push = [&](std::uint32_t who) {
    readers_.push_back({who, list});
    list = static_cast<std::uint32_t>(readers_.size() - 1);
  };
  for (std::uint32_t i = readers; i != 0; i = readers_[i].next) {
    if (!now.has(events_[readers_[i].event].moment)) push(readers_[i].event);
  }
  push(event);
  return list;
}

// The event as a word's writer after another.
std::uint32_t AccessHistory::with_rival(std::uint32_t event, std::uint32_t other,
                                        const Clocks& now) {
  if (is_before(other, now)) return event;
  events_.push_back({events_[event].moment, events_[event].transfer, other});
  return static_cast<std::uint32_t>(events_.size() - 1);
}

// Neighbours mostly have the same past: what was found of one holds for the next.
std::optional<AccessHistory::Conflict> AccessHistory::read(std::size_t memory, WordRun run,
                                                           std::uint32_t event, const Clocks& now) {
  std::optional<Conflict> conflict;
  std::uint32_t writer = kNobody;
  std::uint32_t readers = kNobody;
  std::uint32_t with_this = 0;
  for_each_word(memory, run, [&](std::uint64_t at, Word& word) {
    if (word.writer != writer) {
      writer = word.writer;
      const bool is_certain = is_before(writer, now) && events_[writer].rival == 0;
      if (!is_certain && !conflict) conflict = {events_[writer], true, at};
    }
    if (word.readers != readers) {
      readers = word.readers;
      with_this = add_reader(readers, event, now);
    }
    word.readers = with_this;
  });
  return conflict;
}

std::optional<AccessHistory::Conflict> AccessHistory::write(std::size_t memory, WordRun run,
                                                            std::uint32_t event,
                                                            const Clocks& now) {
  std::optional<Conflict> conflict;
  Word past{kNobody, kNobody};
  std::uint32_t written_by = event;
  for_each_word(memory, run, [&](std::uint64_t at, Word& word) {
    if (word.writer != past.writer) written_by = with_rival(event, word.writer, now);
    if (word.readers != past.readers) {
      const std::uint32_t reader = unordered_reader(word.readers, now);
      if (reader != 0 && !conflict) conflict = {events_[reader], false, at};
    }
    past = word;
    word = {written_by, 0};
  });
  return conflict;
}

}  // namespace wnpu::npu
