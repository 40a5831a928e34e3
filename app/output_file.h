// Results reach the disk whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace wnpu::app {

// Writes all of `contents` to the descriptor; `name` is for the message. Throws BrokenPipe where
// the reader went away, OutputError for all else.
void write_all(int descriptor, std::string_view contents, const std::string& name);

// Writes to a temporary file in the same folder, syncs and renames it to `path`: at no time is
// there a part of a result under that name. What is there and is no regular file (/dev/null, a
// pipe) is written to as it is. Throws OutputError; the temporary file is then gone.
void write_file(const std::filesystem::path& path, std::string_view contents);

// Where the result of a stopped run goes instead of `path`: "talk.partial.srt", so that nothing
// takes it for the whole. What is there and is no regular file keeps its name.
std::filesystem::path partial_path(const std::filesystem::path& path);

// Removes the temporary file that write_file is writing now, if any. May be called in a signal
// handler that then ends the process.
void remove_unfinished_file() noexcept;

}  // namespace wnpu::app
