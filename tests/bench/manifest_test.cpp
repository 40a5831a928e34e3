#include "bench/input/manifest.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

namespace fs = std::filesystem;
using namespace wnpu::bench;

namespace {

class ManifestFile {
 public:
  explicit ManifestFile(const std::string& text) { std::ofstream(path) << text; }
  ManifestFile(const ManifestFile&) = delete;
  ManifestFile& operator=(const ManifestFile&) = delete;
  ~ManifestFile() { fs::remove(path); }

  const fs::path path = fs::temp_directory_path() / "wnpu_bench_manifest_test.tsv";
};

constexpr const char* kHeader = "file\tduration_s\treference\tkind\tlang\n";

// The message without the path, which must stand first.
std::string manifest_refusal(const std::string& text) {
  const ManifestFile file(text);
  try {
    read_manifest(file.path);
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    const std::string path = file.path.string();
    return message.compare(0, path.size(), path) == 0 ? message.substr(path.size()) : message;
  }
  return "no refusal";
}

}  // namespace

TEST_CASE("manifest: reads plain and quoted fields, in the header's order") {
  const ManifestFile file(
      "lang\tfile\tkind\treference\tduration_s\n"
      "en\ta.wav\ten-short\t\"He said \"\"go\"\",\tand\nwent.\"\t1.5\r\n"
      "de\tb.wav\tbroken\t-\t-");
  const auto entries = read_manifest(file.path);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].file == "a.wav");
  CHECK(entries[0].duration_s == 1.5);
  CHECK(entries[0].reference == "He said \"go\",\tand\nwent.");
  CHECK(entries[0].kind == "en-short");
  CHECK(entries[0].language == "en");
  CHECK_FALSE(entries[1].reference.has_value());
  CHECK_FALSE(entries[1].duration_s.has_value());
}

TEST_CASE("manifest: refuses what it cannot read, with path and line") {
  const std::string header = kHeader;
  CHECK(manifest_refusal("file\tkind\n") ==
        ":1: expected a column duration_s in the header, found none");
  CHECK(manifest_refusal(std::string("f\0i\0l\0e\0", 8)).starts_with(":1: expected UTF-8"));
  CHECK(manifest_refusal("") == ":1: expected a column file in the header, found none");
  CHECK(manifest_refusal(header + "a\t1\tx\tk\n") == ":2: expected 5 fields, found 4");
  CHECK(manifest_refusal(header + "a\tlong\tx\tk\ten\n") ==
        ":2: duration_s: expected seconds or -, found long");
  for (const std::string no_duration : {"nan", "inf", "-1", "1e999"}) {
    CHECK(manifest_refusal(
              std::string(header).append("a\t").append(no_duration).append("\tx\tk\ten\n")) ==
          ":2: duration_s: expected seconds or -, found " + no_duration);
  }
  CHECK(manifest_refusal(header + "a\t1\t\"x\n\nk\ten\n") ==
        ":2: expected a closing quote, found the end of the file");
  CHECK(manifest_refusal(header + "a\t1\t\"x\ny\"z\tk\ten\n") ==
        ":3: expected a tab or the line's end after a closing quote");
  const fs::path missing = fs::temp_directory_path() / "wnpu_bench_no_manifest.tsv";
  CHECK_THROWS_WITH(read_manifest(missing),
                    (missing.string() + ": expected a manifest, found no readable file").c_str());
}

TEST_CASE("manifest: reads that of the tests' recordings") {
  const fs::path path = WNPU_SOURCE_DIR "/tests/data/recordings/manifest.tsv";
  const auto entries = read_manifest(path);
  CHECK(entries.size() == 5);
  for (const auto& entry : entries) {
    CAPTURE(entry.file);
    CHECK(fs::exists(path.parent_path() / entry.file));
    CHECK(entry.language.size() == 2);
  }
}
