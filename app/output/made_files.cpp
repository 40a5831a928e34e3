#include "app/output/made_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "app/options/exit_code.h"
#include "app/system/sha256.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSumDigits = 64;  // of a SHA-256

// Whether a name stays below the folder of its list, which may be anybody's.
bool stays_below(const fs::path& name) {
  return name.is_relative() && std::ranges::find(name, fs::path("..")) == name.end();
}

// Folders that the list's files are in, relative as they are.
std::set<fs::path> folders_of(const std::map<std::string, std::string>& sums) {
  std::set<fs::path> folders;
  for (const auto& [name, sum] : sums) {
    for (fs::path in = fs::path(name).parent_path(); !in.empty() && in != in.parent_path();
         in = in.parent_path()) {
      folders.insert(in);
    }
  }
  return folders;
}

class StrangerSearch {
 public:
  explicit StrangerSearch(const fs::path& folder)
      : folder_(folder), sums_(listed_sums(folder)), folders_(folders_of(sums_)) {}

  // `in` is relative; the folder itself is empty. No deeper than the list's own folders.
  std::string look_in(const fs::path& in) const {
    std::error_code error;
    std::vector<std::string> names = models::names_in(folder_ / in, error);
    if (error) return in.string() + " (" + error.message() + ")";
    std::ranges::sort(names);
    for (const std::string& name : names) {
      std::string found = look_at(in.empty() ? fs::path(name) : in / name);
      if (!found.empty()) return found;
    }
    return {};
  }

 private:
  std::string look_at(const fs::path& path) const {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(folder_ / path, error);
    if (fs::is_directory(status)) {
      return folders_.contains(path) ? look_in(path) : path.string() + "/";
    }
    if (path == kSums) return {};
    const auto listed = sums_.find(path.string());
    if (listed == sums_.end() || !fs::is_regular_file(status)) return path.string();
    const bool is_same = sha256_of_file(folder_ / path) == listed->second;
    return is_same ? "" : path.string() + " (changed since it was made)";
  }

  const fs::path& folder_;
  std::map<std::string, std::string> sums_;
  std::set<fs::path> folders_;
};

}  // namespace

std::string checksums_of(const fs::path& folder, std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string sum = sha256_of_file(folder / name);
    if (sum.empty()) throw OutputError((folder / name).string() + ": cannot be read back");
    text += sum + "  " + name + "\n";
  }
  return text;
}

std::map<std::string, std::string> listed_sums(const fs::path& folder) {
  std::map<std::string, std::string> sums;
  std::ifstream list(folder / kSums);
  for (std::string line; std::getline(list, line);) {
    if (line.size() <= kSumDigits + 2 || line[kSumDigits] != ' ') continue;
    std::string name = line.substr(kSumDigits + 2);
    if (stays_below(name)) sums.emplace(std::move(name), line.substr(0, kSumDigits));
  }
  return sums;
}

std::string stranger_in(const fs::path& folder) { return StrangerSearch(folder).look_in({}); }

void remove_listed(const fs::path& folder) {
  const std::map<std::string, std::string> sums = listed_sums(folder);
  const std::set<fs::path> folders = folders_of(sums);
  std::error_code error;
  for (const auto& [name, sum] : sums) fs::remove(folder / name, error);
  fs::remove(folder / kSums, error);
  // One sorts before what is in it.
  std::for_each(folders.rbegin(), folders.rend(),
                [&](const fs::path& in) { fs::remove(folder / in, error); });
  fs::remove(folder, error);
}

}  // namespace wnpu::app
