// A configuration file, and what is written of its texts and numbers.
#include <string>

#include "app/options/config_file.h"
#include "app/options/exit_code.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  using Kind = app::ConfigNode::Kind;
  const std::string text = fuzz::written_out(fuzz::as_text(data, size), fuzz::kLongTextBytes);
  app::ConfigNode config;
  try {
    config = app::parse_config(text, "config.toml");
  } catch (const app::UsageError&) {
    return 0;
  }
  if (config.kind != Kind::table) __builtin_trap();
  for (const auto& [key, node] : config.keys) {
    if (node.kind != Kind::text) continue;
    const auto again = app::parse_config("x = " + app::toml_string(node.text), "again");
    if (again.keys.size() != 1 || again.keys[0].second.text != node.text) __builtin_trap();
  }
  return 0;
}
