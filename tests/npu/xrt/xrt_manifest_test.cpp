#include "npu/xrt/xrt_manifest.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

#include "npu/device.h"

namespace fs = std::filesystem;
using namespace wnpu::npu;

namespace {

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("wnpu_manifest_" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
  const fs::path path;
};

constexpr const char* kManifest = R"({"schema": 1, "overlay": "00c0ffee", "target": "npu1",
  "kernel": "MLIR_AIE", "streams": {"beef": "layer.bin", "dead": "absent.bin", "odd": "odd.bin"}})";

template <typename Action>
std::string manifest_error(Action action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("xrt_manifest: names overlay, target, kernel and the streams beside it") {
  const Folder folder;
  const fs::path xclbin = folder.write("npu1.xclbin", "container");
  folder.write("npu1.xclbin.json", kManifest);
  folder.write("layer.bin", std::string("\x01\0\0\0\x02\0\0\x80", 8));
  const XrtManifest manifest = read_manifest(xclbin);
  CHECK(manifest.overlay == "00c0ffee");
  CHECK(manifest.target == "npu1");
  CHECK(manifest.kernel == "MLIR_AIE");
  CHECK(read_stream(manifest, "beef") == std::vector<std::uint32_t>{1, 0x80000002});
}

TEST_CASE("xrt_manifest: refuses another overlay or target, naming both") {
  const Folder folder;
  const fs::path xclbin = folder.write("npu1.xclbin", "container");
  folder.write("npu1.xclbin.json", kManifest);
  const XrtManifest manifest = read_manifest(xclbin);
  CHECK_NOTHROW(require_overlay(manifest, "00c0ffee"));
  CHECK_NOTHROW(require_target(manifest, "npu1"));
  CHECK(contains(manifest_error([&] { require_overlay(manifest, "facade"); }),
                 "npu1.xclbin: expected overlay facade, found 00c0ffee"));
  CHECK(contains(manifest_error([&] { require_target(manifest, "npu4"); }),
                 "npu1.xclbin: expected target npu4, found npu1"));
}

TEST_CASE("xrt_manifest: says which file is wrong and how") {
  const Folder folder;
  const fs::path xclbin = folder.write("npu1.xclbin", "container");
  const auto error_with = [&](const std::string& manifest) {
    folder.write("npu1.xclbin.json", manifest);
    return manifest_error([&] { read_manifest(xclbin); });
  };
  CHECK(contains(manifest_error([&] { read_manifest(folder.path / "other.xclbin"); }),
                 "other.xclbin.json: expected the manifest"));
  CHECK(contains(error_with("hello"), "npu1.xclbin.json: expected an XCLBIN manifest, found: "));
  CHECK(contains(error_with("{\"schema\": 2}"), "expected schema 1, found 2"));
  CHECK(contains(error_with("{\"schema\": 4294967297}"), "expected schema 1, found 4294967297"));
  CHECK(contains(error_with("{\"schema\": 1.5}"), "expected schema 1, found 1.5"));
  CHECK(contains(error_with("{\"schema\": [1]}"), "expected schema 1, found array"));
  CHECK(contains(error_with("{\"schema\": 1}"), "overlay"));
  CHECK(contains(error_with("[]"), "expected an XCLBIN manifest"));
}

TEST_CASE("xrt_manifest: an instruction stream is there and whole, or refused") {
  const Folder folder;
  const fs::path xclbin = folder.write("npu1.xclbin", "container");
  folder.write("npu1.xclbin.json", kManifest);
  folder.write("odd.bin", "12345");
  const XrtManifest manifest = read_manifest(xclbin);
  CHECK(contains(manifest_error([&] { read_stream(manifest, "feed"); }), "design feed"));
  CHECK(contains(manifest_error([&] { read_stream(manifest, "dead"); }), "absent.bin: expected"));
  CHECK(contains(manifest_error([&] { read_stream(manifest, "odd"); }),
                 "odd.bin: expected 32-bit words, found 5 bytes"));
}

TEST_CASE("xrt_manifest: a stream lies beside the manifest or below it, links included") {
  const Folder folder;
  const fs::path inside = folder.path / "inside";
  fs::create_directories(inside / "sub");
  folder.write("outside.bin", "1234");
  folder.write("inside/sub/layer.bin", "1234");
  fs::create_symlink(folder.path / "outside.bin", inside / "link.bin");
  fs::create_symlink(folder.path, inside / "up");
  fs::create_symlink("sub/layer.bin", inside / "good.bin");
  const auto error_with = [&](const std::string& stream) {
    folder.write(
        "inside/a.xclbin.json",
        R"({"schema": 1, "overlay": "0", "target": "npu1", "kernel": "k", "streams": {"d": ")" +
            stream + "\"}}");
    return manifest_error([&] { read_stream(read_manifest(inside / "a.xclbin"), "d"); });
  };
  for (const std::string& bad :
       {(folder.path / "outside.bin").string(), std::string("../outside.bin"),
        std::string("sub/../../outside.bin"), std::string("sub/../good.bin"),
        std::string("link.bin"), std::string("up/outside.bin"), std::string("/dev/zero"),
        std::string("."), std::string("")}) {
    CAPTURE(bad);
    CHECK(contains(error_with(bad), "a.xclbin.json: expected a stream's file in the manifest's"));
  }
  CHECK(error_with("sub/layer.bin") == "no error");
  CHECK(error_with("good.bin") == "no error");
}

TEST_CASE("xrt_manifest: a container is whole, or refused before XRT reads it") {
  const Folder folder;
  std::string container("xclbin2\0", 8);
  container.resize(500);
  container[304] = static_cast<char>(500 & 0xff);
  container[305] = 500 >> 8;
  CHECK_NOTHROW(require_container(folder.write("whole.xclbin", container)));
  const fs::path cut = folder.write("cut.xclbin", container.substr(0, 400));
  CHECK(contains(manifest_error([&] { require_container(cut); }),
                 "cut.xclbin: expected 500 bytes, as its header says, found 400"));
  const fs::path text = folder.write("text.xclbin", "this is a text");
  CHECK(contains(manifest_error([&] { require_container(text); }),
                 "text.xclbin: expected an XCLBIN, found 14 bytes"));
}

TEST_CASE("find_xclbin: the one named, else the environment's, else the data folders'") {
  const Folder folder;
  const fs::path named = folder.write("mine.xclbin", "x");
  const fs::path environment = folder.write("env.xclbin", "x");
  fs::create_directories(folder.path / "user");
  fs::create_directories(folder.path / "system");
  const fs::path system = folder.write("system/npu1.xclbin", "x");

  XclbinPlaces places{named, environment.string(), folder.path / "user", folder.path / "system"};
  CHECK(find_xclbin(places, "npu1") == named);
  places.named.clear();
  CHECK(find_xclbin(places, "npu1") == environment);
  places.environment.clear();
  CHECK(find_xclbin(places, "npu1") == system);
  const fs::path user = folder.write("user/npu1.xclbin", "x");
  CHECK(find_xclbin(places, "npu1") == user);

  // One that is named and missing is never replaced by another.
  places.named = folder.path / "missing.xclbin";
  CHECK(contains(manifest_error([&] { find_xclbin(places, "npu1"); }), "missing.xclbin (hint:"));
  places.named.clear();
  const std::string error = manifest_error([&] { find_xclbin(places, "npu4"); });
  CHECK(contains(error, (folder.path / "user/npu4.xclbin").string()));
  CHECK(contains(error, (folder.path / "system/npu4.xclbin").string()));
  CHECK(contains(error, "this project ships no XCLBIN"));
}
