#include "app/model_store/hub/hub_model.h"

#include <algorithm>

#include "app/formats/text_table.h"

namespace wnpu::app {

std::string HubSource::path_of(const HubFile& file) const {
  if (!file.at.empty()) return std::string(file.at);
  std::string path(repository);
  path.append("/resolve/").append(revision).append("/").append(file.name);
  return path;
}

std::string HubSource::url_of(const HubFile& file, std::string_view mirror) const {
  const std::string_view usual = file.host.empty() ? host : file.host;
  std::string url(mirror.empty() ? usual : mirror);
  while (url.ends_with('/')) url.pop_back();
  return url.append("/").append(path_of(file));
}

std::uint64_t HubSource::bytes() const {
  std::uint64_t sum = 0;
  for (const HubFile& file : files) {
    if (file.bytes == 0) return 0;
    sum += file.bytes;
  }
  return sum;
}

const HubSource* HubModel::find(std::string_view format) const {
  const auto found = std::ranges::find(sources, format, &HubSource::format);
  return found == sources.end() ? nullptr : &*found;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes == 0) return "an unknown size";
  const auto value = static_cast<double>(bytes);
  if (bytes < 1'000'000) return decimal("%.0f kB", value / 1e3);
  if (bytes < 1'000'000'000) return decimal("%.0f MB", value / 1e6);
  return decimal("%.1f GB", value / 1e9);
}

}  // namespace wnpu::app
