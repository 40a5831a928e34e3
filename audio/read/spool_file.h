// Temporary copy of a recording that cannot be read twice where it is: a file without a name, which
// is gone when the process is, whatever ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace wnpu::audio {

// In `folder`, or where that is empty in TMPDIR or else /var/tmp: hours of audio do not belong on a
// /tmp that may be memory. Returns its descriptor, to read and write. Throws AudioError; `name` is
// the recording's, for messages.
int open_spool(const std::string& name, const std::string& folder = {});

// Bytes that it may take: `limit`, and at most half of what is free there, for others want to write
// there, too.
std::uint64_t room_for_spool(int spool, std::uint64_t limit);

// All of them, behind what was written before. Throws AudioError.
void append_to_spool(int spool, std::span<const std::byte> bytes, const std::string& name);

}  // namespace wnpu::audio
