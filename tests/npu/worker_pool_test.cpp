#include "npu/sim/worker_pool.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/scarce_threads.h"

using namespace wnpu;  // NOLINT

namespace {

// Whether a pool of so many threads does all of 50 jobs.
bool does_all_jobs(int threads) {
  npu::WorkerPool pool(threads);
  std::atomic<int> n_done = 0;
  std::vector<npu::WorkerPool::Job> jobs(50);
  for (auto& job : jobs) {
    job.work = [&n_done] { ++n_done; };
    pool.submit(job);
  }
  for (auto& job : jobs) pool.wait(job);
  return n_done == 50;
}

}  // namespace

TEST_CASE("worker pool: all jobs are done, by any number of threads") {
  for (const int threads : {1, 2, 5}) CHECK(does_all_jobs(threads));
}

TEST_CASE("worker pool: all jobs are done by fewer threads, where the system gives no more") {
  if (!tests::threads_can_be_scarce()) return;
  for (const std::size_t room : {0U, 2U}) {
    CHECK(tests::holds_with_room_for(room, [] { return does_all_jobs(16); }));
  }
}
