#include "audio/read/input.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string>

#include "audio/read/error.h"

namespace wnpu::audio {
namespace {

struct FormatFacts {
  std::string_view name;
  std::size_t bytes;  // of a sample
};

// In the order of SampleFormat.
constexpr FormatFacts kFormats[] = {{"s8", 1},    {"u8", 1},    {"s16le", 2}, {"s16be", 2},
                                    {"s24le", 3}, {"s24be", 3}, {"s32le", 4}, {"s32be", 4},
                                    {"f32le", 4}, {"f32be", 4}, {"f64le", 8}, {"f64be", 8},
                                    {"mulaw", 1}, {"alaw", 1}};

std::optional<int> parse_int(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < low || value > high) return std::nullopt;
  return value;
}

std::optional<SampleFormat> parse_format(std::string_view text) {
  const auto* const found = std::ranges::find(kFormats, text, &FormatFacts::name);
  if (found == std::end(kFormats)) return std::nullopt;
  return static_cast<SampleFormat>(found - std::begin(kFormats));
}

// Behind the last dot, in lower case.
std::string extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::string extension(dot == name.npos ? "" : name.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

[[noreturn]] void refuse(std::string_view spec) {
  std::string names;
  for (const auto& [name, bytes] : kFormats)
    names += (names.empty() ? "" : ", ") + std::string(name);
  throw AudioError(
      "raw PCM format: expected FORMAT:RATE:CHANNELS such as s16le:16000:1, with a "
      "format of " +
      names + ", a rate of " + std::to_string(kMinSampleRate) + " to " +
      std::to_string(kMaxSampleRate) + " and 1 to " + std::to_string(kMaxChannels) +
      " channels, found \"" + std::string(spec) + "\"");
}

}  // namespace

std::string telephone_format(std::string_view name) {
  const std::string extension = extension_of(name);
  if (extension == "ulaw" || extension == "ul") return "mulaw:8000:1";
  return extension == "alaw" || extension == "al" ? "alaw:8000:1" : "";
}

bool is_raw_name(std::string_view name) {
  const std::string extension = extension_of(name);
  const bool is_format = std::ranges::any_of(
      kFormats, [&](const auto& format) { return format.name.starts_with(extension); });
  return (is_format && extension.size() > 1) || extension == "raw" || extension == "pcm" ||
         extension.starts_with("sln");
}

std::size_t bytes_per_sample(SampleFormat format) {
  return kFormats[static_cast<std::size_t>(format)].bytes;
}

std::size_t bytes_per_frame(const RawFormat& format) {
  return bytes_per_sample(format.format) * static_cast<std::size_t>(format.channels);
}

RawFormat parse_raw_format(std::string_view spec) {
  const std::size_t first = spec.find(':');
  const std::size_t second = first == spec.npos ? spec.npos : spec.find(':', first + 1);
  if (second == spec.npos) refuse(spec);
  const auto format = parse_format(spec.substr(0, first));
  const auto rate =
      parse_int(spec.substr(first + 1, second - first - 1), kMinSampleRate, kMaxSampleRate);
  const auto channels = parse_int(spec.substr(second + 1), 1, kMaxChannels);
  if (!format || !rate || !channels) refuse(spec);
  return {*format, *rate, *channels};
}

}  // namespace wnpu::audio
