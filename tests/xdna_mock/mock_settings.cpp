#include "tests/xdna_mock/mock_settings.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

namespace wnpu::tests {
namespace {

struct Setting {
  std::string value;
  int calls = 0;  // since it was made
};

// Never destroyed: the driver serves calls of other libraries' destructors too.
struct Settings {
  std::mutex mutex;
  std::map<std::string, Setting> values;

  Settings() {
    for (const char* name :
         {"DEVICE", "SHADOW", "FAIL", "COMMAND", "DELAY_MS", "WAIT_CMD", "LOCKED", "TRACE"}) {
      const char* value = std::getenv((std::string("XDNA_MOCK_") + name).c_str());
      if (value != nullptr) values[name] = {value};
    }
  }
};

Settings& settings() {
  static auto& all = *new Settings;
  return all;
}

// Counts a call; true from the n-th on, `rest` being "<value>[:<n>]".
bool is_due(Setting& setting, const std::string& rest) {
  const std::size_t colon = rest.find(':');
  const int from = colon == std::string::npos ? 1 : std::stoi(rest.substr(colon + 1));
  return ++setting.calls >= from;
}

}  // namespace

std::string mock_setting(const std::string& name) {
  const std::lock_guard lock(settings().mutex);
  const auto found = settings().values.find(name);
  return found == settings().values.end() ? std::string() : found->second.value;
}

bool is_set(const std::string& name) { return !mock_setting(name).empty(); }

int injected_failure(const std::string& what) {
  const std::lock_guard lock(settings().mutex);
  const auto found = settings().values.find("FAIL");
  if (found == settings().values.end()) return 0;
  Setting& setting = found->second;
  if (setting.value.compare(0, what.size() + 1, what + ":") != 0) return 0;
  const std::string rest = setting.value.substr(what.size() + 1);
  return is_due(setting, rest) ? std::stoi(rest) : 0;
}

int injected_state() {
  const std::lock_guard lock(settings().mutex);
  const auto found = settings().values.find("COMMAND");
  if (found == settings().values.end()) return -1;
  return is_due(found->second, found->second.value) ? std::stoi(found->second.value) : -1;
}

void trace(const std::string& line) {
  if (is_set("TRACE")) std::fprintf(stderr, "[xdna-mock] %s\n", line.c_str());
}

}  // namespace wnpu::tests

void xdna_mock_set(const char* name, const char* value) {
  auto& all = wnpu::tests::settings();
  const std::lock_guard lock(all.mutex);
  all.values.erase(name);
  if (value != nullptr) all.values[name] = {value};
}
