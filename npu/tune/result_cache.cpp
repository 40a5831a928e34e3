#include "npu/tune/result_cache.h"

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "npu/control/controller_costs.h"
#include "npu/fnv1a.h"
#include "npu/tune/time_model.h"
#include "npu/xdg_folder.h"

namespace wnpu::npu {
namespace fs = std::filesystem;
namespace {

// Larger it is begun anew: some hundred thousand results.
constexpr std::uintmax_t kMostFileBytes = 16 << 20;
constexpr std::size_t kFields = 5;

// Key, whether it is refused, the bits of its cycles, bytes, and the sum of these.
std::string line_of(std::uint64_t key, const CallResult& result) {
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%016llx %d %016llx %llx",
                static_cast<unsigned long long>(key), result.is_refused ? 1 : 0,
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(result.cycles)),
                static_cast<unsigned long long>(result.ddr_bytes));
  return std::string(text.data()) + " " + hash_text(Fnv1a().add_bytes(text.data()).value()) + "\n";
}

std::optional<std::pair<std::uint64_t, CallResult>> parse_line(std::string_view line) {
  std::array<std::uint64_t, kFields> fields{};
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  for (std::uint64_t& field : fields) {
    if (at != line.data() && (at == end || *at++ != ' ')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, field, 16);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  const CallResult result{fields[1] == 1, std::bit_cast<double>(fields[2]), fields[3]};
  // As it would be written: whatever was changed, the sum or the form is another.
  if (line_of(fields[0], result) != std::string(line) + "\n") return std::nullopt;
  return std::pair{fields[0], result};
}

}  // namespace

std::uint64_t result_key(const Design& design, const TimePreset& preset) {
  Fnv1a sum;
  const auto add = [&sum](double number) { sum.add(std::bit_cast<std::uint64_t>(number)); };
  sum.add_bytes(time_model_digest()).add(design_hash(design));
  for (const double number : {preset.clock_ghz, preset.ddr_read_gb_per_s, preset.ddr_write_gb_per_s,
                              preset.ddr_latency_ns}) {
    add(number);
  }
  const KernelTable& k = preset.kernels;
  for (const Rate& rate : {k.bf16_mac_per_cycle, k.int8_mac_per_cycle, k.attention_mac_per_cycle,
                           k.softmax_cycles, k.layer_norm_cycles, k.gelu_cycles, k.epilogue_cycles,
                           k.quantise_cycles, k.dequantise_cycles, k.call_cycles}) {
    add(rate.value);
  }
  const ControllerCosts& costs = controller_of(preset);
  for (const Rate& rate :
       {costs.write, costs.masked_write, costs.block_word, costs.push, costs.token}) {
    add(rate.value);
  }
  return sum.value();
}

fs::path default_cache_file() {
  return xdg_folder("XDG_CACHE_HOME", ".cache") / "whisper-npu" / "tuned-calls.txt";
}

ResultCache::ResultCache(fs::path file) : file_(std::move(file)) {
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  if (error) {
    problem_ = file_.parent_path().string() + ": " + error.message();
    return;
  }
  if (fs::is_regular_file(file_, error) && fs::file_size(file_, error) > kMostFileBytes) {
    fs::remove(file_, error);
  }
  read();
}

void ResultCache::read() {
  std::error_code error;
  if (!fs::is_regular_file(file_, error)) return;  // a device or a pipe might never end
  std::ifstream stream(file_);
  for (std::string line; std::getline(stream, line);) {
    if (const auto found = parse_line(line)) {
      results_.insert_or_assign(found->first, found->second);
    } else {
      ++n_damaged_;
    }
  }
}

std::optional<CallResult> ResultCache::find(std::uint64_t key) const {
  const auto found = results_.find(key);
  if (found == results_.end()) return std::nullopt;
  return found->second;
}

// One write to a file that is opened to append: the lines of two processes do not mix. What is
// written in part, on a full disk, is a damaged line.
void ResultCache::store(std::uint64_t key, const CallResult& result) {
  results_.insert_or_assign(key, result);
  if (file_.empty() || !problem_.empty()) return;
  const std::string line = line_of(key, result);
  const int descriptor =
      ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  struct stat status {};
  const bool is_file =
      descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const bool is_written =
      is_file && ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!is_written) {
    problem_ =
        file_.string() + ": " +
        (descriptor >= 0 && !is_file ? "is no file" : std::generic_category().message(errno));
  }
  if (descriptor >= 0) ::close(descriptor);
}

}  // namespace wnpu::npu
