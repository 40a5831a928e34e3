// A zip archive whose members lie in it as they are: what torch.save writes. APPNOTE.TXT 6.3.10 of
// PKWARE, with its 64-bit fields.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace wnpu::models {

// Its members by their names, as views into `file`. They are found by the directory at its end;
// each of its offsets and sizes is checked. Refused are compressed and encrypted members, archives
// of several files, and two members of one name. `path` goes into the messages. Throws ModelError.
std::map<std::string, std::span<const std::byte>> read_zip(std::span<const std::byte> file,
                                                           const std::string& path);

}  // namespace wnpu::models
