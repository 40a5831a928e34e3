#include "app/serve/api_keys.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/serve/http/api_error.h"
#include "app/system/sha256.h"

namespace wnpu::serve {
namespace {

constexpr std::string_view kScheme = "bearer ";
constexpr std::size_t kHashSize = 64;
constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kDay = 24 * 60 * 60;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The time does not depend on where they differ.
bool is_same_hash(std::string_view a, std::string_view b) {
  unsigned char difference = 0;
  for (std::size_t i = 0; i < kHashSize; ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

std::int64_t seconds_of(ApiKeys::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

[[noreturn]] void refuse_quota(const std::string& text, std::int64_t after_s) {
  ApiError error(429, "the key's quota is used up: " + text, "", "quota_exceeded");
  error.retry_after_s = static_cast<unsigned>(std::max<std::int64_t>(after_s, 1));
  throw error;
}

}  // namespace

ApiKeys::ApiKeys(std::string_view text, const std::string& name) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    keys_.push_back(read_key(line, name + ":" + std::to_string(number)));
  }
  if (keys_.empty()) throw app::UsageError(name + ": expected keys, found none");
}

ApiKeys::Key ApiKeys::read_key(std::string_view line, const std::string& place) {
  std::istringstream words{std::string(line)};
  std::string word;
  words >> word;
  Key key;
  key.sha256 = lower(word);
  const auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  if (key.sha256.size() != kHashSize || !std::ranges::all_of(key.sha256, is_hex)) {
    throw app::UsageError(place +
                          ": expected a key's SHA-256, 64 digits of hex (printf %s KEY | "
                          "sha256sum)");
  }
  while (words >> word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string quota = word.substr(0, equals);
    const auto value = app::integer_of_text(word.substr(std::min(equals + 1, word.size())));
    const bool is_minute = quota == "requests-per-minute";
    if (!value || *value == 0 || (!is_minute && quota != "audio-seconds-per-day")) {
      throw app::UsageError(
          place + ": expected requests-per-minute=N or audio-seconds-per-day=N, found " + word);
    }
    (is_minute ? key.requests_a_minute : key.audio_s_a_day) = *value;
  }
  return key;
}

std::optional<std::size_t> ApiKeys::find(std::string_view token) const {
  const std::string sha256 = app::Sha256()(token);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (is_same_hash(keys_[i].sha256, sha256)) found = i;
  }
  return found;
}

std::string authorization_among(std::string_view protocols) {
  constexpr std::string_view kPrefix = "openai-insecure-api-key.";
  const std::size_t found = protocols.find(kPrefix);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = protocols.substr(found + kPrefix.size());
  return "Bearer " + std::string(rest.substr(0, rest.find_first_of(", ")));
}

std::optional<std::size_t> ApiKeys::use(std::string_view authorization, Time now) {
  if (is_open()) return std::nullopt;
  const bool has_scheme = lower(authorization.substr(0, kScheme.size())) == kScheme;
  const auto number = has_scheme ? find(authorization.substr(kScheme.size())) : std::nullopt;
  if (!number) {
    throw ApiError(401, "Authorization: expected Bearer and a key of this server", "",
                   "invalid_api_key");
  }
  Key& key = keys_[*number];
  const std::int64_t seconds = seconds_of(now);
  if (key.minute != seconds / kMinute) key.n_requests = 0;
  if (key.day != seconds / kDay) key.audio_s = 0;
  key.minute = seconds / kMinute;
  key.day = seconds / kDay;
  if (key.requests_a_minute > 0 && key.n_requests >= key.requests_a_minute) {
    refuse_quota(std::to_string(key.requests_a_minute) + " requests a minute",
                 kMinute - seconds % kMinute);
  }
  if (key.audio_s_a_day > 0 && key.audio_s >= static_cast<double>(key.audio_s_a_day)) {
    refuse_quota(std::to_string(key.audio_s_a_day) + " seconds of audio a day",
                 kDay - seconds % kDay);
  }
  ++key.n_requests;
  return number;
}

void ApiKeys::add_audio(std::optional<std::size_t> key, double seconds, Time now) {
  if (!key) return;
  Key& of = keys_.at(*key);
  if (of.day == seconds_of(now) / kDay) of.audio_s += seconds;
}

ApiKeys read_api_keys(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw app::UsageError("--api-keys: expected a file, found none: " + path);
  return ApiKeys(text.str(), path);
}

}  // namespace wnpu::serve
