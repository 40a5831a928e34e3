#include "app/input/folder_events.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "app/engine/whisper_npu.hpp"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

// IN_CREATE tells of links, which are whole when they are made; files are closed later.
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MOVED_FROM |
                                  IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::uint32_t kFileEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE;
constexpr std::uint32_t kGoneEvents = IN_MOVED_FROM | IN_DELETE;
constexpr std::uint32_t kOfFolderItself = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;

[[noreturn]] void refuse_watch(const std::string& what, int error) {
  std::string message = "--watch: " + what + ": " + std::strerror(error);
  if (error == ENOSPC) message += " (more than sysctl fs.inotify.max_user_watches allows)";
  if (error == EMFILE) message += " (more than sysctl fs.inotify.max_user_instances allows)";
  throw Error(ErrorCode::resources, message);
}

}  // namespace

FolderEvents::FolderEvents() : queue_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!queue_.is_open()) refuse_watch("inotify_init1", errno);
}

bool FolderEvents::add(const std::string& folder) {
  const int number = ::inotify_add_watch(queue_.get(), folder.c_str(), kEvents);
  if (number < 0) {
    if (errno == ENOSPC || errno == ENOMEM) refuse_watch(folder, errno);
    return false;
  }
  folders_[number] = folder;
  added_.insert(number);
  return true;
}

void FolderEvents::drop_others() {
  for (auto each = folders_.begin(); each != folders_.end();) {
    const bool is_kept = added_.contains(each->first);
    if (!is_kept) ::inotify_rm_watch(queue_.get(), each->first);
    each = is_kept ? std::next(each) : folders_.erase(each);
  }
  added_.clear();
}

FolderEvents::News FolderEvents::wait(std::chrono::milliseconds longest) {
  News news;
  pollfd ready{queue_.get(), POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(longest.count())) > 0) read(news);
  return news;
}

// inotify(7): events of different lengths follow each other, each with its name behind it.
void FolderEvents::read(News& news) {
  std::array<char, 65536> room{};
  for (ssize_t size = 0; (size = ::read(queue_.get(), room.data(), room.size())) > 0;) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, room.data() + at, sizeof(event));
      const char* const name = room.data() + at + sizeof(event);
      at += sizeof(event) + event.len;
      const auto folder = folders_.find(event.wd);
      const bool is_of_folder = (event.mask & (kOfFolderItself | IN_ISDIR | IN_Q_OVERFLOW)) != 0;
      if (is_of_folder) news.looks_again = true;
      if (is_of_folder || folder == folders_.end()) continue;
      if (event.len == 0) continue;
      const std::string file = models::join(folder->second, name).string();
      if ((event.mask & kGoneEvents) != 0) news.gone.push_back(file);
      if ((event.mask & kFileEvents) != 0) news.files.push_back(file);
    }
  }
}

}  // namespace wnpu::app
