#include "models/base/json_file.h"

#include <limits>
#include <set>
#include <utility>

#include "models/base/error.h"
#include "models/base/mapped_file.h"

namespace wnpu::models {
namespace {

using nlohmann::json;

// tokenizer.json, the deepest file read, nests 6 levels.
constexpr std::size_t kMaxDepth = 32;

// Follows the parser of a tree.
class Watch {
 public:
  explicit Watch(const std::string& path) : nesting_(path) {}

  bool operator()(int /*depth*/, json::parse_event_t event, json& value) {
    switch (event) {
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        nesting_.open();
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        nesting_.close();
        break;
      case json::parse_event_t::key:
        nesting_.key(value.get_ref<const std::string&>());
        break;
      case json::parse_event_t::value:
        break;
    }
    return true;
  }

 private:
  JsonNesting nesting_;
};

[[noreturn]] void fail(const std::string& path, const std::string& key, const std::string& expected,
                       const json& found) {
  throw ModelError(path + ": " + key + ": expected " + expected + ", found " +
                   found.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60));
}

// The array under `key`, or an empty one where the key is missing or null.
json array_at(const json& object, const std::string& key, const std::string& path) {
  if (!object.is_object()) fail(path, key, "a JSON object around it", object);
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return json::array();
  if (!found->is_array()) fail(path, key, "a list", *found);
  return *found;
}

int id_below(const json& value, std::size_t limit, const std::string& key,
             const std::string& path) {
  if (!value.is_number_unsigned() || value.get<std::size_t>() >= limit) {
    fail(path, key, "numbers from 0 to " + std::to_string(limit - 1), value);
  }
  return value.get<int>();
}

}  // namespace

void JsonNesting::open() {
  if (keys_.size() == kMaxDepth) {
    throw ModelError(path_ + ": expected at most " + std::to_string(kMaxDepth) +
                     " levels of nesting, found more");
  }
  keys_.emplace_back();
}

void JsonNesting::close() { keys_.pop_back(); }

void JsonNesting::key(const std::string& key) {
  if (!keys_.back().insert(key).second) {
    throw ModelError(path_ + ": expected each key once, found \"" + key + "\" twice");
  }
}

json parse_json(std::string_view text, const std::string& path) {
  Watch watch(path);
  json parsed = json::parse(text, std::ref(watch), /*allow_exceptions=*/false);
  if (parsed.is_discarded()) throw ModelError(path + ": expected JSON, found what is none");
  return parsed;
}

void check_json_size(std::size_t bytes, std::size_t max_bytes, const std::string& path) {
  if (bytes <= max_bytes) return;
  throw ModelError(path + ": expected at most " + std::to_string(max_bytes) +
                   " bytes of JSON, found " + std::to_string(bytes));
}

json read_json(const std::filesystem::path& path, std::size_t max_bytes) {
  const MappedFile file(path);
  check_json_size(file.bytes().size(), max_bytes, path.string());
  return parse_json(as_text(file.bytes()), path.string());
}

std::size_t size_at(const json& object, const std::string& key, const std::string& path) {
  if (!object.is_object()) fail(path, key, "a JSON object around it", object);
  const auto found = object.find(key);
  if (found == object.end()) {
    throw ModelError(path + ": " + key + ": expected a number, found nothing");
  }
  if (!found->is_number_unsigned()) fail(path, key, "a number", *found);
  return found->get<std::size_t>();
}

std::vector<int> ids_at(const json& object, const std::string& key, std::size_t limit,
                        const std::string& path) {
  std::vector<int> ids;
  for (const json& value : array_at(object, key, path)) {
    ids.push_back(id_below(value, limit, key, path));
  }
  return ids;
}

std::vector<std::pair<int, int>> pairs_at(const json& object, const std::string& key,
                                          std::pair<std::size_t, std::size_t> limits,
                                          const std::string& path) {
  std::vector<std::pair<int, int>> pairs;
  std::set<std::pair<int, int>> known;
  for (const json& value : array_at(object, key, path)) {
    if (!value.is_array() || value.size() != 2) fail(path, key, "pairs", value);
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    const std::pair<int, int> pair(id_below(value[0], kMost, key, path),
                                   id_below(value[1], kMost, key, path));
    if (!known.insert(pair).second) fail(path, key, "each pair once", value);
    const bool is_there =
        std::cmp_less(pair.first, limits.first) && std::cmp_less(pair.second, limits.second);
    if (is_there) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace wnpu::models
