// A corpus's manifest.
#include <stdexcept>

#include "bench/input/manifest.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kTextBytes);
  folder.write(fuzz::as_text(data, size), {"manifest.tsv"});
  try {
    for (const bench::ManifestEntry& entry : bench::read_manifest(folder.path() / "manifest.tsv")) {
      if (entry.duration_s && !(*entry.duration_s >= 0)) __builtin_trap();
    }
  } catch (const std::runtime_error&) {
  }
  return 0;
}
