#include "app/input/input_folders.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "app/engine/whisper_npu.hpp"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 60> kExtensions = {
    "3g2",  "3gp", "aac", "ac3",  "adx", "aif", "aifc", "aiff", "alaw", "amr", "ape",  "asf",
    "ast",  "au",  "avi", "caf",  "dts", "dv",  "f4v",  "flac", "flv",  "gxf", "m2ts", "m4a",
    "m4b",  "m4v", "mka", "mkv",  "mlp", "mmf", "mov",  "mp2",  "mp3",  "mp4", "mpeg", "mpg",
    "mpga", "mts", "mxf", "oga",  "ogg", "ogv", "opus", "rf64", "rso",  "sbc", "snd",  "sox",
    "spx",  "thd", "ts",  "ulaw", "vob", "w64", "wav",  "weba", "webm", "wma", "wmv",  "wtv"};

class FolderWalk {
 public:
  explicit FolderWalk(const FolderVisit& visit) : visit_(visit) {}

  std::vector<std::string> run(const std::string& folder) {
    folders_ = {folder};
    // Real folders before links to them, so that what is found has its own name where it has one.
    const auto stops = [this] { return visit_.should_stop && visit_.should_stop(); };
    while ((!folders_.empty() || !links_.empty()) && !stops()) {
      std::set<std::string>& next = folders_.empty() ? links_ : folders_;
      const std::string path = std::move(next.extract(next.begin()).value());
      if (is_new(path)) look_into(path);
    }
    std::ranges::sort(found_);
    return std::move(found_);
  }

 private:
  bool is_new(const std::string& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 &&
           seen_.emplace(status.st_dev, status.st_ino).second;
  }

  void look_into(const std::string& folder) {
    std::error_code error;
    if (visit_.on_folder) visit_.on_folder(folder);
    for (const std::string& name : models::names_in(folder, error)) {
      if (name.starts_with('.')) continue;
      const std::string path = models::join(folder, name).string();
      std::error_code none;  // a link that leads nowhere is neither
      const fs::file_status status = fs::status(path, none);
      if (fs::is_directory(status)) {
        if (visit_.is_recursive) add_folder(path, fs::is_symlink(path, none));
      } else if (fs::is_regular_file(status) && has_recording_name(path)) {
        found_.push_back(path);
      }
    }
    if (error && visit_.on_unreadable) {
      visit_.on_unreadable(folder, error);
    } else if (error) {
      throw Error(ErrorCode::audio,
                  folder + ": expected a folder of recordings, found " + error.message());
    }
  }

  void add_folder(const std::string& path, bool is_link) {
    if (is_link && !visit_.follows_links) {
      if (visit_.on_link) visit_.on_link(path);
      return;
    }
    (is_link ? links_ : folders_).insert(path);
  }

  const FolderVisit& visit_;
  std::set<std::string> folders_;  // to be looked into
  std::set<std::string> links_;    // to folders, likewise
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::vector<std::string> found_;
};

}  // namespace

std::span<const std::string_view> recording_extensions() { return kExtensions; }

bool has_recording_name(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return !extension.empty() &&
         std::ranges::find(kExtensions, std::string_view(extension).substr(1)) != kExtensions.end();
}

std::vector<std::string> recordings_in(const std::string& folder, const FolderVisit& visit) {
  return FolderWalk(visit).run(folder);
}

std::string skipped_link_text(const std::string& link) {
  return link + ": a link that is not followed (--follow-links)";
}

bool leads_outside(const std::string& file, const std::string& folder) {
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  const fs::path place = fs::canonical(file, error);
  return !error &&
         std::mismatch(top.begin(), top.end(), place.begin(), place.end()).first != top.end();
}

Options with_files_of_folders(Options options) {
  if (!options.recursive) return options;
  FolderVisit visit;
  visit.follows_links = options.follows_links;
  visit.on_link = [&options](const std::string& link) { options.skipped_links.push_back(link); };
  std::vector<std::string> inputs;
  for (const std::string& input : options.inputs) {
    std::error_code error;
    if (input == "-" || !fs::is_directory(input, error)) {
      inputs.push_back(input);
      continue;
    }
    const std::vector<std::string> found = recordings_in(input, visit);
    if (found.empty()) {
      throw Error(ErrorCode::audio,
                  input + ": expected a folder of recordings, found none by name");
    }
    for (const std::string& file : found) {
      const std::size_t begin = input.size() + (input.ends_with('/') ? 0 : 1);
      const fs::path below = fs::path(file.substr(begin)).parent_path();
      if (!below.empty()) options.subfolders.emplace(file, below.string());
      inputs.push_back(file);
    }
  }
  options.inputs = std::move(inputs);
  return options;
}

}  // namespace wnpu::app
