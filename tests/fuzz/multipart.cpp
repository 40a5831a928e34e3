// Bodies of multipart/form-data, cut into two pieces by the first byte: what comes out of them does
// not depend on the cut.
#include "app/serve/http/multipart.h"

#include <algorithm>
#include <string>

#include "tests/fuzz/input_folder.h"

namespace {

using namespace wnpu::serve;

struct Taken final : PartTaker {
  void begin_part(const PartHead& head) override {
    if (head.name.empty()) __builtin_trap();
    text += "\n[" + head.name + "|" + head.filename + "]";
  }
  void take_part(std::string_view bytes) override { text += bytes; }
  void end_part() override { text += "\n"; }

  std::string text;
};

std::string take(std::string_view first, std::string_view second) {
  Taken taken;
  MultipartParser parser("b", taken);
  try {
    parser.take(first);
    parser.take(second);
    parser.finish();
  } catch (const MultipartError& error) {
    taken.text += error.what();
  }
  return taken.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = wnpu::fuzz::as_text(data, size);
  if (text.empty()) return 0;
  const std::string_view body = text.substr(1);
  const std::size_t cut = std::min<std::size_t>(static_cast<unsigned char>(text[0]), body.size());
  if (take(body, "") != take(body.substr(0, cut), body.substr(cut))) __builtin_trap();
  boundary_of(text);
  return 0;
}
