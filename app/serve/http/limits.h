// Bounds of what clients may ask for, and how long they may take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace wnpu::serve {

struct Limits {
  std::uint64_t body_bytes = std::uint64_t{1} << 30U;   // of a request
  std::uint64_t spool_bytes = std::uint64_t{8} << 30U;  // of all uploads on disk
  double audio_s = 4 * 60 * 60;                         // of a request
  std::size_t requests = 64;                            // transcribed or waiting for it at once
  double queue_s = 60 * 60;                             // of audio that waits
  std::size_t connections = 16384;
  double header_s = 10;  // for a request's head, once it has begun
  double body_s = 60;    // for each MiB of a body; and for what is sent to be taken
  double idle_s = 75;    // between requests of a connection
};

// Address to listen at.
struct Place {
  std::string host = "127.0.0.1";
  unsigned port = 8000;
};

}  // namespace wnpu::serve
