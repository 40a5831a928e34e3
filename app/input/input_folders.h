// Folders on the command line stand for the recordings in them (--recursive).
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/options/options.h"

namespace wnpu::app {

// File extensions that mark a recording in a folder, in any case of letters: "wav", "mp4".
std::span<const std::string_view> recording_extensions();
bool has_recording_name(const std::filesystem::path& file);

// Paths of the recordings in `folder` and all folders below it, as they follow from its own, in the
// order of their bytes. Links to folders are followed where the visit says so; a folder that
// several lead to is looked into once, so that loops end. What begins with a dot is left out.
struct FolderVisit {
  bool is_recursive = true;  // false: that folder alone
  bool follows_links = false;
  // A link to a folder that is not followed.
  std::function<void(const std::string& link)> on_link;
  // Asked before each folder: true ends the visit, with what was found so far.
  std::function<bool()> should_stop;
  // Before what is in a folder is looked at.
  std::function<void(const std::string& folder)> on_folder;
  // A folder that cannot be read, in place of the exception; the others are looked into.
  std::function<void(const std::string& folder, const std::error_code&)> on_unreadable;
};
// Throws Error(audio) where a folder cannot be read and the visit does not take that.
std::vector<std::string> recordings_in(const std::string& folder, const FolderVisit& visit = {});

// Message about a link that was not followed.
std::string skipped_link_text(const std::string& link);

// Whether a file's place, behind links, is outside of that folder, behind links.
bool leads_outside(const std::string& file, const std::string& folder);

// With --recursive, the options with the recordings of a folder in its place, where they are below
// it, and links to folders that were not followed; else as they are. Throws Error(audio) where a
// folder has none.
Options with_files_of_folders(Options options);

}  // namespace wnpu::app
