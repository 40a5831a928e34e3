// Rows that wait, are worked on and are done, whatever happens to the process that works on them:
// no row that was read is lost, and one that kills its process does not take others with it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/jobs/rows/row.h"
#include "app/options/options.h"

namespace wnpu::app {

// Error codes of a row whose process ended in each of the attempts that the row may have.
inline constexpr const char* kCrashedCode = "crashed";
inline constexpr const char* kTimeoutCode = "timeout";  // it was killed since it gave no answer

struct RowResult {
  Row row;
  nlohmann::ordered_json fields;  // what is added to its columns (result.schema.json)
};

class RowQueue {
 public:
  explicit RowQueue(const RowLimits& limits) : limits_(limits) {}

  // Whether another row may be read: few wait, and not too many results wait for an earlier one.
  bool takes_more() const;
  void add(Row row);

  struct Sent {
    std::size_t number;
    const Row& row;
  };
  // The next row for the process: some more than it works on, so that it never waits for one; a row
  // that was at work when the process died is there alone.
  std::optional<Sent> send_next();
  // Reports of the process: a row was begun, or answered. A row that lacked memory beside others is
  // tried again alone. Numbers of rows that are not there are ignored.
  void begin(std::size_t number);
  void answer(std::size_t number, nlohmann::ordered_json fields);
  // The process is gone. Rows it had at work are tried again, alone; one that was alone so often as
  // it may is failed with `code`. False: it had no row at work.
  bool lose_process(const std::string& cause, const char* code = kCrashedCode);
  // How long those at work may go on without a begin or an answer; none: as long as they like.
  std::optional<double> patience_s() const;

  // Results that may be written now, in their order.
  std::vector<RowResult> take_results();
  // Results of all rows that are done, in their order, for a run that ends here.
  std::vector<RowResult> take_all_results();
  // Nothing is left of what was added.
  bool is_empty() const { return entries_.empty(); }

 private:
  enum class State { waiting, sent, at_work, done };
  struct Entry {
    Row row;
    State state = State::waiting;
    std::size_t attempts = 0;
    bool is_alone = false;  // no other was at work since it began
    nlohmann::ordered_json fields = {};
  };

  void finish(std::size_t number, nlohmann::ordered_json fields);
  RowResult take(std::map<std::size_t, Entry>::iterator entry);

  RowLimits limits_;
  std::size_t n_added_ = 0;
  std::map<std::size_t, Entry> entries_;  // by their numbers, in the order in which they came
  std::set<std::size_t> waiting_;
  std::set<std::size_t> suspects_;  // of these each is tried alone
  std::set<std::size_t> sent_;      // and not answered
  std::set<std::size_t> at_work_;   // of the sent
  std::deque<std::size_t> done_;
  bool is_one_alone_ = false;  // of the sent, which is a suspect
};

}  // namespace wnpu::app
