#include "app/jobs/manifest/shard.h"

#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"

namespace {

using namespace wnpu::app;

using Variables = std::map<std::string, std::string>;

Shard shard(const std::string& text, const Variables& variables = {}) {
  return shard_of(text, [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Variables slurm(const char* task, const char* first, const char* last, const char* count) {
  return {{"SLURM_ARRAY_TASK_ID", task},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_MAX", last},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

}  // namespace

TEST_CASE("shard: each row is in one shard, and shards differ by one row at most") {
  for (std::size_t count = 1; count < 9; ++count) {
    for (std::size_t n_rows = 0; n_rows < 30; ++n_rows) {
      std::set<std::size_t> sizes;
      std::size_t n_found = 0;
      for (std::size_t i = 1; i <= count; ++i) {
        const Shard found = shard(std::to_string(i) + "/" + std::to_string(count));
        std::size_t size = 0;
        for (std::size_t row = 0; row < n_rows; ++row) size += found.has(row) ? 1 : 0;
        sizes.insert(size);
        n_found += size;
      }
      REQUIRE(n_found == n_rows);
      REQUIRE(*sizes.rbegin() - *sizes.begin() <= 1);
    }
  }
  CHECK(shard("").count == 1);
}

TEST_CASE("shard: what is no shard is refused") {
  for (const char* text : {"0/2", "3/2", "1/0", "1", "/", "1/", "/2", "a/b", "1/2/3", "-1/2",
                           "1 /2", "+1/2", "99999999999999999999/2", "Auto"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(shard(text), UsageError);
  }
}

TEST_CASE("shard: auto takes a Slurm array's task, wherever its numbers begin") {
  const Shard found = shard("auto", slurm("7", "5", "8", "4"));
  CHECK(found.index == 2);
  CHECK(found.count == 4);
  CHECK(found.source.find("SLURM_ARRAY_TASK_ID=7") != std::string::npos);
  // Gaps, numbers outside, and what is no number.
  for (const Variables& wrong :
       {slurm("1", "1", "9", "5"), slurm("9", "1", "8", "8"), slurm("0", "1", "8", "8"),
        slurm("x", "1", "8", "8"), slurm("1", "1", "0", "0"), slurm("1", "", "8", "8"),
        Variables{{"SLURM_ARRAY_TASK_ID", "1"}}}) {
    CHECK_THROWS_AS(shard("auto", wrong), UsageError);
  }
}

TEST_CASE("shard: auto takes an indexed job's index") {
  const Shard found = shard("auto", {{"JOB_COMPLETION_INDEX", "0"}, {"WHISPER_NPU_SHARDS", "3"}});
  CHECK(found.index == 0);
  CHECK(found.count == 3);
  CHECK_THROWS_AS(shard("auto", {{"JOB_COMPLETION_INDEX", "3"}, {"WHISPER_NPU_SHARDS", "3"}}),
                  UsageError);
  CHECK_THROWS_AS(shard("auto", {{"JOB_COMPLETION_INDEX", "0"}}), UsageError);
  CHECK_THROWS_AS(shard("auto", {{"WHISPER_NPU_SHARDS", "3"}}), UsageError);
  CHECK_THROWS_AS(shard("auto"), UsageError);
}
