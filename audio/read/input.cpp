#include "audio/read/input.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>

#include "audio/read/error.h"

namespace wnpu::audio {
namespace {

constexpr std::pair<std::string_view, SampleFormat> kFormats[] = {
    {"s8", SampleFormat::s8},       {"u8", SampleFormat::u8},       {"s16le", SampleFormat::s16le},
    {"s16be", SampleFormat::s16be}, {"s24le", SampleFormat::s24le}, {"s24be", SampleFormat::s24be},
    {"s32le", SampleFormat::s32le}, {"s32be", SampleFormat::s32be}, {"f32le", SampleFormat::f32le},
    {"f32be", SampleFormat::f32be}, {"f64le", SampleFormat::f64le}, {"f64be", SampleFormat::f64be},
    {"mulaw", SampleFormat::mulaw}, {"alaw", SampleFormat::alaw}};

std::optional<int> parse_int(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < low || value > high) return std::nullopt;
  return value;
}

std::optional<SampleFormat> parse_format(std::string_view text) {
  for (const auto& [name, format] : kFormats) {
    if (name == text) return format;
  }
  return std::nullopt;
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
  for (const auto& [name, format] : kFormats)
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
      kFormats, [&](const auto& format) { return format.first.starts_with(extension); });
  return (is_format && extension.size() > 1) || extension == "raw" || extension == "pcm" ||
         extension.starts_with("sln");
}

std::size_t bytes_per_sample(SampleFormat format) {
  switch (format) {
    case SampleFormat::s8:
    case SampleFormat::u8:
    case SampleFormat::mulaw:
    case SampleFormat::alaw:
      return 1;
    case SampleFormat::s16le:
    case SampleFormat::s16be:
      return 2;
    case SampleFormat::s24le:
    case SampleFormat::s24be:
      return 3;
    case SampleFormat::s32le:
    case SampleFormat::s32be:
    case SampleFormat::f32le:
    case SampleFormat::f32be:
      return 4;
    case SampleFormat::f64le:
    case SampleFormat::f64be:
      break;
  }
  return 8;
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
