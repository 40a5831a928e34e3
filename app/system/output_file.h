// Results reach the disk whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "app/options/exit_code.h"
#include "models/base/folder.h"

namespace wnpu::app {

// The open descriptor that `path` stands for: /dev/stdout, /dev/stderr, /dev/fd/N, or a link to
// one. To open such a name is to write to the file behind it from its start.
std::optional<int> descriptor_of(std::filesystem::path path);

// The file that a chain of links ends in, whether it is there or not. With an error (a loop, a link
// that may not be read): how far it led.
std::filesystem::path behind_links(std::filesystem::path path, std::error_code& error);

// Name of an unfinished file or folder: ".whisper-npu.<number>.part". The number is random, since
// processes with one number, on several machines or in containers, may write to one folder.
std::filesystem::path new_part_name(const std::filesystem::path& folder);
bool is_part_name(std::string_view name);

// A new result's name was taken meanwhile.
struct NameTaken : OutputError {
  using OutputError::OutputError;
};

// Writes a file that gets its name when it is whole and synced (and the folder after it): at no
// time is there a part of a result under that name. What is replaced hands on its mode, owner and
// access list; a link to it stays. A descriptor (above), and what is there and is no regular file
// (/dev/null, a pipe), is written to as it is. Throws OutputError; the new file is then gone. A
// killed process leaves nothing either, but where the file system knows no files without a name, or
// in the moment of replacing: ".whisper-npu.<number>.part", which nothing reads. Where it `is_new`,
// throws NameTaken instead of replacing a regular file.
void write_file(const std::filesystem::path& path, std::string_view contents, bool is_new = false);
// Writes pieces that `write` gives a sink, likewise; if `write` throws, the new file is gone.
void write_file(const std::filesystem::path& path,
                const std::function<void(const models::Sink&)>& write, bool is_new = false);

// Removes such files of killed processes from the folders of these results. Those that a living
// process writes are locked (flock) and stay.
void remove_stale_files(const std::set<std::filesystem::path>& results);

// Path for the result of a stopped run, so that nobody takes it for the whole: "talk.partial.srt",
// or the first of "talk.partial-2.srt", ... that does not exist, since an earlier run may have got
// further. If a name would become too long, a checksum replaces the end of its stem. A descriptor,
// and anything but a regular file, keeps its name.
std::filesystem::path free_partial_path(const std::filesystem::path& path);

// Removes "talk.partial.srt", "talk.partial-2.srt", ... up to the first that is not there, or is
// to be kept.
void remove_partial_files(const std::filesystem::path& path,
                          const std::function<bool(const std::filesystem::path&)>& is_kept);

}  // namespace wnpu::app
