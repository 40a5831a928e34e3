#include "npu/xrt/xrt_manifest.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <nlohmann/json.hpp>

#include "npu/device.h"
#include "npu/xdg_folder.h"

namespace wnpu::npu {
namespace fs = std::filesystem;
namespace {

constexpr int kManifestSchema = 1;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read once at start
  return value == nullptr ? std::string() : std::string(value);
}

std::string read_bytes(const fs::path& path, const char* what) {
  std::error_code error;
  // A device or a pipe might never end.
  std::ifstream file;
  if (fs::is_regular_file(path, error)) file.open(path, std::ios::binary);
  if (!file.is_open()) {
    throw DeviceError(path.string() + ": expected " + what + ", found no readable file");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// The stream's file, with all links followed: beside the manifest or below it, and nowhere else,
// for what is named here is read and given to a device.
fs::path stream_path(const fs::path& manifest, const std::string& name) {
  const fs::path relative(name);
  const bool climbs = std::find(relative.begin(), relative.end(), "..") != relative.end();
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(manifest).parent_path(), error);
  fs::path file = error ? fs::path() : fs::weakly_canonical(folder.native() + "/" + name, error);
  const auto rest = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  const bool is_below = !error && rest.first == folder.end() && rest.second != file.end();
  if (relative.is_absolute() || climbs || !is_below) {
    throw DeviceError(manifest.string() + ": expected a stream's file in the manifest's folder, " +
                      "found \"" + name + "\"");
  }
  return file;
}

// json's own exceptions become one that names the file.
template <typename Read>
auto with_path(const fs::path& path, Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw DeviceError(path.string() + ": expected an XCLBIN manifest, found: " + error.what());
  }
}

}  // namespace

XclbinPlaces xclbin_places(const fs::path& named) {
  XclbinPlaces places;
  places.named = named;
  places.environment = from_environment("WHISPER_NPU_XCLBIN");
  places.user_data = xdg_folder("XDG_DATA_HOME", ".local/share").native() + "/whisper-npu";
  return places;
}

fs::path find_xclbin(const XclbinPlaces& places, const std::string& target) {
  std::vector<fs::path> candidates;
  if (!places.named.empty()) {
    candidates = {places.named};
  } else if (!places.environment.empty()) {
    candidates = {places.environment};
  } else {
    candidates = {places.user_data / (target + ".xclbin"),
                  places.system_data / (target + ".xclbin")};
  }
  std::string looked_at;
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return candidate;
    looked_at += (looked_at.empty() ? "" : ", ") + candidate.string();
  }
  throw DeviceError("npu: find XCLBIN: no file at " + looked_at +
                    " (hint: this project ships no XCLBIN, since building one needs AMD's "
                    "toolchain; name yours with --xclbin or WHISPER_NPU_XCLBIN)");
}

void require_container(const fs::path& xclbin) {
  // struct axlf (XRT's xclbin.h): magic, and the length of the whole in its header.
  static constexpr std::string_view kMagic("xclbin2\0", 8);
  static constexpr std::size_t kLengthAt = 304;
  const std::string bytes = read_bytes(xclbin, "an XCLBIN");
  if (bytes.size() < kLengthAt + sizeof(std::uint64_t) || !bytes.starts_with(kMagic)) {
    throw DeviceError(xclbin.string() + ": expected an XCLBIN, found " +
                      std::to_string(bytes.size()) + " bytes of something else");
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data() + kLengthAt, sizeof(length));
  if (length != bytes.size()) {
    throw DeviceError(xclbin.string() + ": expected " + std::to_string(length) +
                      " bytes, as its header says, found " + std::to_string(bytes.size()));
  }
}

XrtManifest read_manifest(const fs::path& xclbin) {
  const fs::path path = xclbin.string() + ".json";
  const std::string text = read_bytes(path, "the manifest of the XCLBIN beside it");
  return with_path(path, [&] {
    const nlohmann::json json = nlohmann::json::parse(text);
    // Not as an int, which 4294967297 and 1.5 become 1 in.
    const nlohmann::json& schema = json.at("schema");
    if (!schema.is_number() || schema != kManifestSchema) {
      throw DeviceError(path.string() + ": expected schema " + std::to_string(kManifestSchema) +
                        ", found " + (schema.is_number() ? schema.dump() : schema.type_name()));
    }
    XrtManifest manifest;
    manifest.xclbin = xclbin;
    manifest.overlay = json.at("overlay").get<std::string>();
    manifest.target = json.at("target").get<std::string>();
    manifest.kernel = json.at("kernel").get<std::string>();
    for (const auto& [design, file] : json.at("streams").items()) {
      manifest.streams[design] = stream_path(path, file.get<std::string>());
    }
    return manifest;
  });
}

void require_target(const XrtManifest& manifest, const std::string& target) {
  if (manifest.target == target) return;
  throw DeviceError(manifest.xclbin.string() + ": expected target " + target + ", found " +
                    manifest.target + " (hint: name the XCLBIN of this NPU with --xclbin)");
}

void require_overlay(const XrtManifest& manifest, const std::string& overlay) {
  if (manifest.overlay == overlay) return;
  throw DeviceError(manifest.xclbin.string() + ": expected overlay " + overlay + ", found " +
                    manifest.overlay + " (hint: rebuild the XCLBIN from this version)");
}

XrtManifest installed_overlay(const XclbinPlaces& places, const std::string& target) {
  const fs::path xclbin = find_xclbin(places, target);
  require_container(xclbin);
  XrtManifest manifest = read_manifest(xclbin);
  require_target(manifest, target);
  return manifest;
}

std::vector<std::uint32_t> read_stream(const XrtManifest& manifest, const std::string& design) {
  const auto found = manifest.streams.find(design);
  if (found == manifest.streams.end()) {
    throw DeviceError(manifest.xclbin.string() + ".json: expected an instruction stream for " +
                      "design " + design + ", found " + std::to_string(manifest.streams.size()) +
                      " for others");
  }
  const std::string bytes = read_bytes(found->second, "an instruction stream");
  if (bytes.empty() || bytes.size() % sizeof(std::uint32_t) != 0) {
    throw DeviceError(found->second.string() + ": expected 32-bit words, found " +
                      std::to_string(bytes.size()) + " bytes");
  }
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace wnpu::npu
