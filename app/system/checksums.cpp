#include "app/system/checksums.h"

#include <algorithm>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "app/engine/model_path.h"
#include "app/system/sha256.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kHexDigits = 64;
constexpr std::time_t kSettledSeconds = 2;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 10;

// Identity of a file as it is now; empty: it is not there, or has a name that no line can hold.
std::string identity_of(const std::filesystem::path& path) {
  struct stat is {};
  std::error_code error;
  const std::string name = std::filesystem::absolute(path, error).string();
  if (error || ::stat(path.c_str(), &is) != 0 || name.find('\n') != std::string::npos) return "";
  const auto time = [](const timespec& at) {
    return std::to_string(at.tv_sec) + "." + std::to_string(at.tv_nsec);
  };
  return std::to_string(is.st_dev) + " " + std::to_string(is.st_ino) + " " +
         std::to_string(is.st_size) + " " + time(is.st_mtim) + " " + time(is.st_ctim) + " " + name;
}

// Whether a change now would have other times than the file has.
bool is_settled(const std::filesystem::path& path) {
  struct stat is {};
  return ::stat(path.c_str(), &is) == 0 &&
         ::time(nullptr) - std::max(is.st_mtim.tv_sec, is.st_ctim.tv_sec) > kSettledSeconds;
}

bool is_sum(const std::string& text) {
  return text.size() == kHexDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string known_sum(const std::string& identity, const std::filesystem::path& list) {
  std::ifstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const std::string sum = line.substr(0, kHexDigits);
    if (is_sum(sum) && line.substr(kHexDigits) == " " + identity) return sum;
  }
  return "";
}

// One write at the end, so that processes do not mix their lines.
void add_line(const std::string& line, const std::filesystem::path& list) {
  std::error_code error;
  const bool is_full = std::filesystem::file_size(list, error) > kMostBytes && !error;
  const int file = ::open(
      list.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (is_full ? O_TRUNC : 0), 0644);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
  ::close(file);
}

}  // namespace

std::string known_sha256_of_file(const std::filesystem::path& path,
                                 const std::filesystem::path& list,
                                 const std::function<bool()>& should_stop) {
  const std::string identity = identity_of(path);
  std::string sum = known_sum(identity, list);
  if (!sum.empty() || identity.empty())
    return identity.empty() ? sha256_of_file(path, should_stop) : sum;
  sum = sha256_of_file(path, should_stop);
  if (is_sum(sum) && identity_of(path) == identity && is_settled(path))
    add_line(sum + " " + identity + "\n", list);
  return sum;
}

std::string sha256_of_model(const ModelInfo& model, const std::function<bool()>& should_stop) {
  if (!model.sha256.empty()) return model.sha256;
  return known_sha256_of_file(weights_file(model.path), model_folder() / "sums", should_stop);
}

void Checksums::add(Transcript& transcript, const std::function<bool()>& should_stop) {
  if (transcript.truncated) return;
  if (transcript.input.sha256.empty() && transcript.input.path != "-") {  // that is stdin
    transcript.input.sha256 = sha256_of_file(transcript.input.path, should_stop);
  }
  if (model_.empty()) model_ = sha256_of_model(transcript.model, should_stop);
  transcript.model.sha256 = model_;
}

}  // namespace wnpu::app
