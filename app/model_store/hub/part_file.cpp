#include "app/model_store/hub/part_file.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "app/model_store/hub/hub_model.h"
#include "app/options/exit_code.h"
#include "app/system/output_file.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// Three lines: URL, ETag, bytes. Whatever else is there is of no file.
PartOrigin read_origin(const fs::path& path) {
  PartOrigin origin;
  std::ifstream file(path);
  std::getline(file, origin.url);
  std::getline(file, origin.etag);
  if (!(file >> origin.total)) return {};
  return origin;
}

}  // namespace

PartFile::PartFile(const fs::path& folder, const std::string& name)
    : path_(models::join(folder, name + ".part")),
      from_(models::join(folder, name + ".from")),
      target_(models::join(folder, name)) {
  descriptor_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!descriptor_.is_open()) fail("cannot be written");
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) fail("cannot be looked at");
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ > 0) origin_ = read_origin(from_);
}

void PartFile::fail(const std::string& what) {
  const int number = errno;
  const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  const std::uint64_t had = size_;
  std::string text = target_.string();
  text.append(": ").append(what).append(": ").append(std::system_category().message(number));
  if (is_full) {
    remove();
    text.append(" after ").append(size_text(had)).append("; what was there of it is removed");
  }
  throw OutputError(text);
}

void PartFile::restart(const PartOrigin& origin) {
  // In this order: at no time does a part have bytes of another file than its origin says.
  std::error_code error;
  fs::remove(from_, error);
  if (::ftruncate(descriptor_.get(), 0) != 0) fail("cannot be begun anew");
  size_ = 0;
  origin_ = origin;
  std::string text = origin.url;
  text.append("\n").append(origin.etag).append("\n").append(std::to_string(origin.total));
  write_file(from_, text.append("\n"));
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartFile::finish() {
  if (::fsync(descriptor_.get()) != 0) fail("cannot be written");
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail("cannot be given its name");
  std::error_code error;
  fs::remove(from_, error);
}

void PartFile::remove() {
  std::error_code error;
  fs::remove(from_, error);
  fs::remove(path_, error);
  descriptor_.reset();
}

}  // namespace wnpu::app
