#include "app/serve/spool.h"

#include <span>

#include "app/serve/http/api_error.h"
#include "audio/read/error.h"
#include "audio/read/spool_file.h"

namespace wnpu::serve {
namespace {

constexpr const char* kUpload = "file";
constexpr unsigned kRoomLater = 10;  // seconds

[[noreturn]] void refuse_for_room() {
  ApiError error(503, "the server has no room for another upload now", "file", "overloaded");
  error.retry_after_s = kRoomLater;
  throw error;
}

int open_upload(const std::string& folder) {
  try {
    return audio::open_spool(kUpload, folder);
  } catch (const audio::AudioError&) {
    refuse_for_room();
  }
}

}  // namespace

bool SpoolRoom::take(std::uint64_t bytes) {
  if ((used_ += bytes) <= most_bytes_) return true;
  used_ -= bytes;
  return false;
}

SpoolFile::SpoolFile(std::shared_ptr<SpoolRoom> room)
    : room_(std::move(room)), descriptor_(open_upload(room_->folder())) {}

SpoolFile::~SpoolFile() { room_->give_back(size_); }

void SpoolFile::add(std::string_view bytes) {
  if (!room_->take(bytes.size())) refuse_for_room();
  size_ += bytes.size();
  try {
    audio::append_to_spool(descriptor_.get(), std::as_bytes(std::span(bytes)), kUpload);
  } catch (const audio::AudioError&) {
    refuse_for_room();
  }
}

std::string SpoolFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_.get()); }

}  // namespace wnpu::serve
