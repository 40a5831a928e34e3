// Keys of clients, as a file has them: hashed, each with what it may ask for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wnpu::serve {

// A page sends no header with a WebSocket: as at OpenAI, its key is one of the protocols it offers.
std::string authorization_among(std::string_view protocols);

// On the server's thread. Seconds of audio count when a request's are known, so that the last one
// of a day may go beyond its quota.
class ApiKeys {
 public:
  using Time = std::chrono::system_clock::time_point;

  ApiKeys() = default;  // everybody may ask
  // `text` is that of the file `name`: lines of "SHA-256 in hex [requests-per-minute=N]
  // [audio-seconds-per-day=N]"; # begins a comment. Throws UsageError with the line.
  ApiKeys(std::string_view text, const std::string& name);

  bool is_open() const { return keys_.empty(); }
  // The number of the key in "Bearer KEY"; none: everybody may ask. Throws ApiError: 401, and 429
  // where the key's quota is used up.
  std::optional<std::size_t> use(std::string_view authorization, Time now);
  void add_audio(std::optional<std::size_t> key, double seconds, Time now);

 private:
  struct Key {
    std::string sha256;
    std::uint64_t requests_a_minute = 0;  // 0: any number
    std::uint64_t audio_s_a_day = 0;
    std::int64_t minute = 0;  // that n_requests is of
    std::uint64_t n_requests = 0;
    std::int64_t day = 0;  // that audio_s is of
    double audio_s = 0;
  };

  static Key read_key(std::string_view line, const std::string& place);
  std::optional<std::size_t> find(std::string_view token) const;

  std::vector<Key> keys_;
};

// The key file. Throws UsageError.
ApiKeys read_api_keys(const std::string& path);

}  // namespace wnpu::serve
