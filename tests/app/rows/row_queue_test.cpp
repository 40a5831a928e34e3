#include "app/jobs/rows/row_queue.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/jobs/rows/row_fields.h"
#include "tests/few_samples.h"

namespace {

using namespace wnpu::app;
using nlohmann::ordered_json;

Row row_of(std::size_t number, bool is_bad = false) {
  Row row;
  row.line = number + 1;
  row.id = std::to_string(number);
  row.fault = is_bad ? "bad" : "";
  return row;
}

ordered_json ok_fields() { return {{"status", "ok"}}; }

std::string outcome_of(const RowResult& result) {
  if (result.fields["status"] == "ok") return "ok";
  return result.fields["error"]["code"];
}

// A process as the book sees it, which takes rows in their order and ends some of them.
struct FakeProcess {
  std::vector<std::size_t> sent;
  std::vector<std::size_t> at_work;
};

}  // namespace

TEST_CASE("row book: a row that kills the process alone is failed, its neighbours are not") {
  RowQueue book({.n_together = 3, .max_attempts = 2});
  for (std::size_t i = 0; i < 3; ++i) book.add(row_of(i));
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(book.send_next());
    book.begin(i);
  }
  CHECK(book.lose_process("died"));
  // Each alone now: the first kills it again.
  REQUIRE(book.send_next()->number == 0);
  CHECK_FALSE(book.send_next());
  book.begin(0);
  CHECK(book.lose_process("died"));
  const auto failed = book.take_results();
  REQUIRE(failed.size() == 1);
  CHECK(outcome_of(failed[0]) == "crashed");
  CHECK(failed[0].fields["attempts"] == 2);
  CHECK(failed[0].fields["error"]["message"] == "its process died");
  for (std::size_t i = 1; i < 3; ++i) {
    REQUIRE(book.send_next()->number == i);
    book.begin(i);
    book.answer(i, ok_fields());
  }
  CHECK(book.take_results().size() == 2);
  CHECK(book.is_empty());
}

TEST_CASE("row book: how often a row may kill the process") {
  for (const std::size_t most : {1UL, 2UL, 5UL}) {
    RowQueue book({.n_together = 1, .max_attempts = most});
    book.add(row_of(0));
    for (std::size_t i = 0; i < most; ++i) {
      REQUIRE(book.send_next());
      CHECK(book.take_results().empty());
      book.begin(0);
      book.lose_process("died");
    }
    CHECK_FALSE(book.send_next());
    const auto results = book.take_results();
    REQUIRE(results.size() == 1);
    CHECK(results[0].fields["attempts"] == most);
  }
}

TEST_CASE("row book: rows that were not begun have lost no attempt") {
  RowQueue book({.n_together = 2, .max_attempts = 1});
  for (std::size_t i = 0; i < 2; ++i) book.add(row_of(i));
  REQUIRE(book.send_next());
  REQUIRE(book.send_next());
  CHECK_FALSE(book.lose_process("died"));
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(book.send_next()->number == i);
    book.begin(i);
    book.answer(i, ok_fields());
  }
  for (const RowResult& result : book.take_results()) CHECK(result.fields["attempts"] == 1);
}

TEST_CASE("row book: a row that lacks memory beside others is tried alone") {
  RowQueue book({.n_together = 2});
  for (std::size_t i = 0; i < 3; ++i) book.add(row_of(i));
  for (std::size_t i = 0; i < 2; ++i) REQUIRE(book.send_next()->number == i);
  book.begin(0);
  book.begin(1);
  const ordered_json lack = {{"status", "failed"}, {"error", {{"code", "resources"}}}};
  book.answer(0, lack);
  CHECK(book.take_results().empty());
  CHECK_FALSE(book.send_next());  // the other is still at work
  book.answer(1, ok_fields());
  REQUIRE(book.send_next()->number == 0);
  CHECK_FALSE(book.send_next());
  book.begin(0);
  book.answer(0, lack);
  CHECK(outcome_of(book.take_results()[0]) == "resources");
}

TEST_CASE("row book: how long rows at work may go on") {
  RowQueue patient({});
  RowQueue book({.n_together = 2, .max_attempts = 1, .timeout_s = 10, .timeout_factor = 2});
  for (RowQueue* each : {&patient, &book}) {
    Row row = row_of(0);
    row.duration_s = 7;
    each->add(row);
    each->add(row_of(1));
    CHECK_FALSE(each->patience_s());
    REQUIRE(each->send_next());
    REQUIRE(each->send_next());
    each->begin(0);
  }
  CHECK_FALSE(patient.patience_s());
  CHECK(book.patience_s() == 10 + 2 * 7);
  book.begin(1);
  CHECK(book.patience_s() == 10 + 2 * (7 + 600));
  CHECK(book.lose_process("hung", kTimeoutCode));
  CHECK_FALSE(book.patience_s());
  REQUIRE(book.send_next()->number == 0);
  book.begin(0);
  CHECK(book.lose_process("hung", kTimeoutCode));
  CHECK(outcome_of(book.take_results().at(0)) == "timeout");
}

TEST_CASE("row book: what is not there is ignored") {
  RowQueue book({});
  book.begin(0);
  book.answer(3, ok_fields());
  book.add(row_of(0));
  book.answer(0, ok_fields());  // not begun
  CHECK(book.take_results().empty());
  CHECK_FALSE(book.is_empty());
}

TEST_CASE("row book: results wait for no more than so many rows") {
  RowQueue book({.n_together = 2});
  std::size_t n_added = 0;
  book.add(row_of(n_added++));
  REQUIRE(book.send_next());
  book.begin(0);
  while (book.takes_more()) {
    book.add(row_of(n_added++, true));
    REQUIRE(n_added < 100000);
  }
  CHECK(book.take_results().empty());
  book.answer(0, ok_fields());
  CHECK(book.take_results().size() == n_added);
  CHECK(book.takes_more());
}

TEST_CASE(
    "row book: any rows, orders and deaths: each row has one result, and the one it deserves") {
  std::mt19937 random(5);
  for (std::size_t run = 0; run < 3000 / wnpu::tests::kSampleShare; ++run) {
    const RowLimits limits{.n_together = 1 + random() % 5,
                           .max_attempts = 1 + random() % 3,
                           .order = random() % 2 == 0 ? RowOrder::input : RowOrder::done};
    const std::size_t n_rows = random() % 30;
    std::map<std::size_t, char> kinds;  // bad, killer, neighbour's killer, good
    for (std::size_t i = 0; i < n_rows; ++i) kinds[i] = "bkngggg"[random() % 7];
    RowQueue book(limits);
    FakeProcess process;
    std::vector<RowResult> results;
    std::size_t n_added = 0;
    std::size_t n_steps = 0;
    while (n_added < n_rows || !book.is_empty()) {
      REQUIRE(++n_steps < 100000);
      while (n_added < n_rows && book.takes_more() && random() % 3 != 0) {
        book.add(row_of(n_added, kinds[n_added] == 'b'));
        ++n_added;
      }
      while (const auto sent = book.send_next()) process.sent.push_back(sent->number);
      while (!process.sent.empty() && process.at_work.size() < limits.n_together &&
             random() % 4 != 0) {
        const std::size_t number = process.sent.front();
        process.sent.erase(process.sent.begin());
        process.at_work.push_back(number);
        book.begin(number);
      }
      if (!process.at_work.empty()) {
        const std::size_t which = random() % process.at_work.size();
        const std::size_t number = process.at_work[which];
        const char kind = kinds[number];
        if (kind == 'k' || (kind == 'n' && process.at_work.size() > 1)) {
          CHECK(book.lose_process("died"));
          process = {};
        } else if (random() % 2 == 0) {
          book.answer(number, ok_fields());
          process.at_work.erase(process.at_work.begin() + static_cast<std::ptrdiff_t>(which));
        }
      } else if (random() % 10 == 0) {
        CHECK_FALSE(book.lose_process("died"));
        process = {};
      }
      for (RowResult& result : book.take_results()) results.push_back(std::move(result));
    }
    REQUIRE(results.size() == n_rows);
    std::map<std::string, std::string> outcomes;
    for (const RowResult& result : results) outcomes[result.row.id] = outcome_of(result);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::string expected = kinds[i] == 'b' ? "bad_row" : kinds[i] == 'k' ? "crashed" : "ok";
      REQUIRE(outcomes[std::to_string(i)] == expected);
      if (limits.order == RowOrder::input) REQUIRE(results[i].row.id == std::to_string(i));
    }
  }
}

TEST_CASE(
    "row book: a bad row's line is told, and a column of its own of that name passes through") {
  RowQueue book({});
  Row plain = row_of(6, true);
  book.add(plain);
  plain.columns = {{"line", R"("line":"U-Bahn")"}};
  plain.has_own_id = true;
  book.add(plain);
  const auto results = book.take_results();
  REQUIRE(results.size() == 2);
  for (const RowResult& result : results) CHECK(result.fields["error"]["line"] == 7);
  CHECK(results[0].fields["line"] == 7);
  CHECK(result_line(results[1].row, results[1].fields).starts_with(R"({"line":"U-Bahn",)"));
}
