#include "npu/xrt/xrt_manifest.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "npu/device.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

namespace fs = std::filesystem;
using namespace wnpu::npu;
using wnpu::tests::has;
using wnpu::tests::TemporaryFolder;

namespace {

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

}  // namespace

TEST_CASE("xrt_manifest: names overlay, target, kernel and the streams beside it") {
  const TemporaryFolder folder;
  const fs::path xclbin = folder.make_file("npu1.xclbin", "container");
  folder.make_file("npu1.xclbin.json", kManifest);
  folder.make_file("layer.bin", std::string("\x01\0\0\0\x02\0\0\x80", 8));
  const XrtManifest manifest = read_manifest(xclbin);
  CHECK(manifest.overlay == "00c0ffee");
  CHECK(manifest.target == "npu1");
  CHECK(manifest.kernel == "MLIR_AIE");
  CHECK(read_stream(manifest, "beef") == std::vector<std::uint32_t>{1, 0x80000002});
}

TEST_CASE("xrt_manifest: refuses another overlay or target, naming both") {
  const TemporaryFolder folder;
  const fs::path xclbin = folder.make_file("npu1.xclbin", "container");
  folder.make_file("npu1.xclbin.json", kManifest);
  const XrtManifest manifest = read_manifest(xclbin);
  CHECK_NOTHROW(require_overlay(manifest, "00c0ffee"));
  CHECK_NOTHROW(require_target(manifest, "npu1"));
  CHECK(has(manifest_error([&] { require_overlay(manifest, "facade"); }),
            "npu1.xclbin: expected overlay facade, found 00c0ffee"));
  CHECK(has(manifest_error([&] { require_target(manifest, "npu4"); }),
            "npu1.xclbin: expected target npu4, found npu1"));
}

TEST_CASE("xrt_manifest: says which file is wrong and how") {
  const TemporaryFolder folder;
  const fs::path xclbin = folder.make_file("npu1.xclbin", "container");
  const auto error_with = [&](const std::string& manifest) {
    folder.make_file("npu1.xclbin.json", manifest);
    return manifest_error([&] { read_manifest(xclbin); });
  };
  CHECK(has(manifest_error([&] { read_manifest(folder.path() / "other.xclbin"); }),
            "other.xclbin.json: expected the manifest"));
  CHECK(has(error_with("hello"), "npu1.xclbin.json: expected an XCLBIN manifest, found: "));
  CHECK(has(error_with("{\"schema\": 2}"), "expected schema 1, found 2"));
  CHECK(has(error_with("{\"schema\": 4294967297}"), "expected schema 1, found 4294967297"));
  CHECK(has(error_with("{\"schema\": 1.5}"), "expected schema 1, found 1.5"));
  CHECK(has(error_with("{\"schema\": [1]}"), "expected schema 1, found array"));
  CHECK(has(error_with("{\"schema\": 1}"), "overlay"));
  CHECK(has(error_with("[]"), "expected an XCLBIN manifest"));
}

TEST_CASE("xrt_manifest: an instruction stream is there and whole, or refused") {
  const TemporaryFolder folder;
  const fs::path xclbin = folder.make_file("npu1.xclbin", "container");
  folder.make_file("npu1.xclbin.json", kManifest);
  folder.make_file("odd.bin", "12345");
  const XrtManifest manifest = read_manifest(xclbin);
  CHECK(has(manifest_error([&] { read_stream(manifest, "feed"); }), "design feed"));
  CHECK(has(manifest_error([&] { read_stream(manifest, "dead"); }), "absent.bin: expected"));
  CHECK(has(manifest_error([&] { read_stream(manifest, "odd"); }),
            "odd.bin: expected 32-bit words, found 5 bytes"));
}

TEST_CASE("xrt_manifest: a stream lies beside the manifest or below it, links included") {
  const TemporaryFolder folder;
  const fs::path inside = folder.path() / "inside";
  fs::create_directories(inside / "sub");
  folder.make_file("outside.bin", "1234");
  folder.make_file("inside/sub/layer.bin", "1234");
  fs::create_symlink(folder.path() / "outside.bin", inside / "link.bin");
  fs::create_symlink(folder.path(), inside / "up");
  fs::create_symlink("sub/layer.bin", inside / "good.bin");
  const auto error_with = [&](const std::string& stream) {
    folder.make_file(
        "inside/a.xclbin.json",
        R"({"schema": 1, "overlay": "0", "target": "npu1", "kernel": "k", "streams": {"d": ")" +
            stream + "\"}}");
    return manifest_error([&] { read_stream(read_manifest(inside / "a.xclbin"), "d"); });
  };
  for (const std::string& bad :
       {(folder.path() / "outside.bin").string(), std::string("../outside.bin"),
        std::string("sub/../../outside.bin"), std::string("sub/../good.bin"),
        std::string("link.bin"), std::string("up/outside.bin"), std::string("/dev/zero"),
        std::string("."), std::string("")}) {
    CAPTURE(bad);
    CHECK(has(error_with(bad), "a.xclbin.json: expected a stream's file in the manifest's"));
  }
  CHECK(error_with("sub/layer.bin") == "no error");
  CHECK(error_with("good.bin") == "no error");
}

TEST_CASE("xrt_manifest: a container is whole, or refused before XRT reads it") {
  const TemporaryFolder folder;
  std::string container("xclbin2\0", 8);
  container.resize(500);
  container[304] = static_cast<char>(500 & 0xff);
  container[305] = 500 >> 8;
  CHECK_NOTHROW(require_container(folder.make_file("whole.xclbin", container)));
  const fs::path cut = folder.make_file("cut.xclbin", container.substr(0, 400));
  CHECK(has(manifest_error([&] { require_container(cut); }),
            "cut.xclbin: expected 500 bytes, as its header says, found 400"));
  const fs::path text = folder.make_file("text.xclbin", "this is a text");
  CHECK(has(manifest_error([&] { require_container(text); }),
            "text.xclbin: expected an XCLBIN, found 14 bytes"));
}

TEST_CASE("find_xclbin: the one named, else the environment's, else the data folders'") {
  const TemporaryFolder folder;
  const fs::path named = folder.make_file("mine.xclbin", "x");
  const fs::path environment = folder.make_file("env.xclbin", "x");
  const fs::path system = folder.make_file("system/npu1.xclbin", "x");

  XclbinPlaces places{named, environment.string(), folder.path() / "user",
                      folder.path() / "system"};
  CHECK(find_xclbin(places, "npu1") == named);
  places.named.clear();
  CHECK(find_xclbin(places, "npu1") == environment);
  places.environment.clear();
  CHECK(find_xclbin(places, "npu1") == system);
  const fs::path user = folder.make_file("user/npu1.xclbin", "x");
  CHECK(find_xclbin(places, "npu1") == user);

  // One that is named and missing is never replaced by another.
  places.named = folder.path() / "missing.xclbin";
  CHECK(has(manifest_error([&] { find_xclbin(places, "npu1"); }), "missing.xclbin (hint:"));
  places.named.clear();
  const std::string error = manifest_error([&] { find_xclbin(places, "npu4"); });
  CHECK(has(error, (folder.path() / "user/npu4.xclbin").string()));
  CHECK(has(error, (folder.path() / "system/npu4.xclbin").string()));
  CHECK(has(error, "this project ships no XCLBIN"));
}
