#include "app/input/url_inputs.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "app/options/exit_code.h"
#include "app/system/url.h"

namespace wnpu::app {
namespace {

// Shown name of a URL. If only secrets tell two URLs apart, a number does: "https://host/get#2".
std::string shown_name(const std::string& url, Options& options) {
  const std::string shown = shown_url(url);
  std::string name = shown;
  for (std::size_t number = 2;; ++number) {
    const auto [there, is_new] = options.urls.emplace(name, url);
    if (is_new || there->second == url) return name;
    name = shown + "#" + std::to_string(number);
  }
}

std::string file_path(const std::string& url) {
  const auto path = path_in_file_url(url);
  const auto decoded = path ? percent_decoded(*path) : std::nullopt;
  if (decoded && decoded->find('\0') == std::string::npos) return *decoded;
  throw UsageError(shown_url(url) +
                   ": expected file:///path of this machine, with two hex digits behind each %");
}

}  // namespace

Options with_urls(Options options) {
  const bool is_batch = options.inputs.size() > 1;
  for (std::string& input : options.inputs) {
    const std::string scheme = scheme_of(input);
    std::error_code error;
    if (scheme.empty()) continue;
    if (scheme == "file") {
      input = file_path(input);
    } else if (is_web_url(input)) {
      input = shown_name(input, options);
    } else if (!std::filesystem::exists(input, error)) {
      throw UsageError(shown_url(input) +
                       ": expected a file, or a URL of http, https or file, found one of " +
                       scheme);
    }
  }
  if (options.urls.empty()) return options;
  const std::string& name = options.urls.begin()->first;
  if (options.offline) throw UsageError(name + ": --offline keeps it from being fetched");
  if (is_batch && !options.allows_urls) {
    throw UsageError(name + ": a URL among several files is fetched with --allow-urls alone");
  }
  return options;
}

void check_row_urls(const Options& options) {
  if (options.allows_urls && options.offline) {
    throw UsageError("--allow-urls and --offline exclude each other");
  }
}

}  // namespace wnpu::app
