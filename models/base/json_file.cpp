#include "models/base/json_file.h"

#include <set>
#include <unordered_set>
#include <utility>

#include "models/base/error.h"
#include "models/base/mapped_file.h"

namespace wnpu::models {
namespace {

using nlohmann::json;

// tokenizer.json, the deepest file read, nests 6 levels.
constexpr int kMaxDepth = 32;

// Watches the parser: nlohmann/json alone keeps the last of two equal keys without a word.
class Watch {
 public:
  explicit Watch(const std::string& path) : path_(path) {}

  bool operator()(int depth, json::parse_event_t event, json& value) {
    if (depth > kMaxDepth) {
      throw ModelError(path_ + ": expected at most " + std::to_string(kMaxDepth) +
                       " levels of nesting, found more");
    }
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) {
        throw ModelError(path_ + ": expected each key once, found \"" + key + "\" twice");
      }
    }
    return true;
  }

 private:
  const std::string& path_;
  std::vector<std::unordered_set<std::string>> keys_;
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

json parse_json(std::string_view text, const std::string& path) {
  Watch watch(path);
  json parsed = json::parse(text, std::ref(watch), /*allow_exceptions=*/false);
  if (parsed.is_discarded()) throw ModelError(path + ": expected JSON, found what is none");
  return parsed;
}

json read_json(const std::filesystem::path& path, std::size_t max_bytes) {
  const MappedFile file(path);
  if (file.bytes().size() > max_bytes) {
    throw ModelError(path.string() + ": expected at most " + std::to_string(max_bytes) +
                     " bytes of JSON, found " + std::to_string(file.bytes().size()));
  }
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
    const std::pair<int, int> pair(id_below(value[0], limits.first, key, path),
                                   id_below(value[1], limits.second, key, path));
    if (!known.insert(pair).second) fail(path, key, "each pair once", value);
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace wnpu::models
