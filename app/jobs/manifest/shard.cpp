#include "app/jobs/manifest/shard.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "app/options/exit_code.h"

namespace wnpu::app {
namespace {

constexpr const char* kTask = "SLURM_ARRAY_TASK_ID";
constexpr const char* kFirst = "SLURM_ARRAY_TASK_MIN";
constexpr const char* kLast = "SLURM_ARRAY_TASK_MAX";
constexpr const char* kTasks = "SLURM_ARRAY_TASK_COUNT";
constexpr const char* kIndex = "JOB_COMPLETION_INDEX";
constexpr const char* kShards = "WHISPER_NPU_SHARDS";

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::size_t shard_number(const char* name, const Variable& variable,
                         const std::string& reason = "") {
  const char* const text = variable(name);
  const auto number = number_in(text == nullptr ? "" : text);
  if (number) return *number;
  throw UsageError("--shard auto: expected a whole number in " + std::string(name) + reason +
                   ", found " + (text == nullptr ? "none" : text));
}

std::string said(const char* name, std::size_t number) {
  return std::string(name) + "=" + std::to_string(number);
}

// Task numbers of an array may begin anywhere; where they have gaps (--array=1,5 or 0-9:2), which
// shard a task has cannot be told from its number.
Shard slurm_shard(const Variable& variable) {
  const std::size_t task = shard_number(kTask, variable);
  const std::size_t first = shard_number(kFirst, variable);
  const std::size_t last = shard_number(kLast, variable);
  const std::size_t count = shard_number(kTasks, variable);
  const std::string source = said(kTask, task) + " " + said(kFirst, first) + " " +
                             said(kLast, last) + " " + said(kTasks, count);
  if (task < first || task > last || last - first != count - 1) {
    throw UsageError(
        "--shard auto: expected a Slurm array whose task numbers follow one another, found " +
        source);
  }
  return {task - first, count, source};
}

Shard indexed_shard(const Variable& variable) {
  const std::size_t index = shard_number(kIndex, variable);
  const std::size_t count =
      shard_number(kShards, variable, " (the job's completions, which Kubernetes does not say)");
  const std::string source = said(kIndex, index) + " " + said(kShards, count);
  if (index >= count) {
    throw UsageError("--shard auto: expected an index below the number of shards, found " + source);
  }
  return {index, count, source};
}

}  // namespace

Shard shard_of(const std::string& text, const Variable& variable) {
  if (text.empty()) return {};
  if (text == "auto") {
    if (variable(kTask) != nullptr) return slurm_shard(variable);
    if (variable(kIndex) != nullptr) return indexed_shard(variable);
    throw UsageError("--shard auto: expected " + std::string(kTask) + " (a Slurm array) or " +
                     kIndex + " (an indexed job of Kubernetes) in the environment, found neither");
  }
  const std::size_t slash = text.find('/');
  const auto number = number_in(std::string_view(text).substr(0, slash));
  const auto count =
      number_in(slash == std::string::npos ? "" : std::string_view(text).substr(slash + 1));
  if (!number || !count || *number < 1 || *number > *count) {
    throw UsageError("--shard: expected I/N, from 1/N to N/N, or auto, found " + text);
  }
  return {*number - 1, *count, ""};
}

}  // namespace wnpu::app
