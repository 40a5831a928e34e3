// The XCLBIN on disk and the manifest beside it, `<xclbin>.json`: which overlay it holds (tiles,
// fifos and resident program of a Design) and which instruction streams run on it. An XCLBIN itself
// does not say so, and one built from another Design would compute nonsense without an error.
//
//   {"schema": 1, "overlay": "<hash>", "target": "npu1", "kernel": "MLIR_AIE",
//    "streams": {"<hash of the Design>": "<file beside the manifest>", ...}}
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace wnpu::npu {

struct XrtManifest {
  std::filesystem::path xclbin;
  std::string overlay;  // hash of the overlay: the version of the ABI
  std::string target;   // "npu1", "npu4"
  std::string kernel;   // prefix of the kernel's name in the container
  std::map<std::string, std::filesystem::path> streams;  // Design's hash -> file of 32-bit words
};

// Places in which the XCLBIN is looked for.
struct XclbinPlaces {
  std::filesystem::path named;                                   // --xclbin; empty: not given
  std::string environment;                                       // WHISPER_NPU_XCLBIN
  std::filesystem::path user_data;                               // $XDG_DATA_HOME or ~/.local/share
  std::filesystem::path system_data = "/usr/share/whisper-npu";  // where packages put it
};
XclbinPlaces xclbin_places(const std::filesystem::path& named);

// The XCLBIN for `target`: the one named, else the environment's, else whisper-npu/<target>.xclbin
// of the data folders. Throws DeviceError with all places looked at.
std::filesystem::path find_xclbin(const XclbinPlaces& places, const std::string& target);

// Refuses what is no whole XCLBIN, since XRT trusts the offsets in it. Throws DeviceError with
// path, expected and found.
void require_container(const std::filesystem::path& xclbin);

// Reads and checks `<xclbin>.json`. Throws DeviceError with path, expected and found.
XrtManifest read_manifest(const std::filesystem::path& xclbin);

// Throws DeviceError naming what was expected and found, where the two differ.
void require_target(const XrtManifest& manifest, const std::string& target);
void require_overlay(const XrtManifest& manifest, const std::string& overlay);

// The manifest of the XCLBIN for `target` that is found in these places, both checked as above.
XrtManifest installed_overlay(const XclbinPlaces& places, const std::string& target);

// The words of the instruction stream of the Design with the hash `design`.
std::vector<std::uint32_t> read_stream(const XrtManifest& manifest, const std::string& design);

}  // namespace wnpu::npu
