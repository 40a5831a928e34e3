// The files that a command has put into a folder, by the folder's own list: SHA256SUMS, as
// sha256sum reads it.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace wnpu::app {

inline constexpr const char* kSums = "SHA256SUMS";

// The list of these files, which are below `folder`. Throws OutputError where one cannot be read.
std::string checksums_of(const std::filesystem::path& folder, std::span<const std::string> names);

// Sums in the folder's list by the files' names; none where there is no list. Lines of another
// form, and names that lead elsewhere, name nothing.
std::map<std::string, std::string> listed_sums(const std::filesystem::path& folder);

// First thing in `folder`, at any depth, that its list does not account for: a file, link or folder
// that is not named there, or one whose contents are others, with the reason. Empty: nothing.
std::string stranger_in(const std::filesystem::path& folder);

// Removes what the list names, the list, and folders that are empty then. Nothing else.
void remove_listed(const std::filesystem::path& folder);

}  // namespace wnpu::app
