#include "app/model_store/hub/pins.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/model_store/hub/pull_lock.h"
#include "app/system/output_file.h"
#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/base/mapped_file.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPinGap = "  ";
constexpr std::string_view kPinsHeader =
    "# SHA-256 of files for which none is published, from the first time that they were pulled.\n";

// The text up to the next gap, which is taken away from `line`.
std::string_view next_field(std::string_view& line) {
  const std::size_t end = std::min(line.find(kPinGap), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + kPinGap.size(), line.size()));
  return field;
}

Pin pin_of(std::string_view line, const std::string& where) {
  Pin pin;
  pin.sha256 = next_field(line);
  const std::string_view bytes = next_field(line);
  pin.file = line;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), pin.bytes);
  const bool is_number = error == std::errc() && end == bytes.data() + bytes.size();
  if (!is_sha256(pin.sha256) || !is_number || pin.file.empty()) {
    throw models::ModelError(where +
                             ": expected a SHA-256, bytes and a file's name, found another");
  }
  return pin;
}

}  // namespace

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::map<std::string, Pin> read_pins(const fs::path& folder) {
  std::map<std::string, Pin> pins;
  const fs::path path = models::join(folder, kPinsName);
  std::error_code error;
  if (!fs::exists(path, error)) return pins;
  const models::MappedFile file(path);
  std::string_view text = models::as_text(file.bytes());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    Pin pin = pin_of(line, path.string() + ": line " + std::to_string(number));
    pins.insert_or_assign(pin.file, pin);
  }
  return pins;
}

void add_pins(const fs::path& folder, const std::vector<Pin>& pins) {
  if (pins.empty()) return;
  const PullLock lock(models::join(folder, ".models.lock.held"), [] {});
  std::map<std::string, Pin> all = read_pins(folder);
  for (const Pin& pin : pins) all.emplace(pin.file, pin);
  std::string text(kPinsHeader);
  for (const auto& [file, pin] : all) {
    text.append(pin.sha256).append(kPinGap).append(std::to_string(pin.bytes)).append(kPinGap);
    text.append(file).append("\n");
  }
  write_file(models::join(folder, kPinsName), text);
}

}  // namespace wnpu::app
