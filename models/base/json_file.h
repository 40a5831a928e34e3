// JSON read from disk or from a model's header: bounded, and refused in this project's words.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace wnpu::models {

// Limits on any JSON while it is read: each key once in an object, and nesting no deeper than any
// model file has. nlohmann/json alone keeps the last of two equal keys without a word. Throws
// ModelError, with `path` in the messages.
class JsonNesting {
 public:
  explicit JsonNesting(std::string path) : path_(std::move(path)) {}

  // An object or an array begins, ends.
  void open();
  void close();
  // In an object.
  void key(const std::string& key);

  // Objects and arrays around what is read now.
  std::size_t depth() const { return keys_.size(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::unordered_set<std::string>> keys_;
};

// Throws ModelError for what is not JSON, for a key that comes twice and for nesting deeper than
// any model file has. `path` goes into the messages.
nlohmann::json parse_json(std::string_view text, const std::string& path);

// Throws ModelError for a larger file.
void check_json_size(std::size_t bytes, std::size_t max_bytes, const std::string& path);

// JSON of a whole file, read and checked likewise. Throws ModelError for more than `max_bytes`.
nlohmann::json read_json(const std::filesystem::path& path, std::size_t max_bytes);

// The unsigned number under `key` of an object; ModelError if there is none.
std::size_t size_at(const nlohmann::json& object, const std::string& key, const std::string& path);

// The list of token ids under `key`, each below `limit`; empty if the key is missing or null.
std::vector<int> ids_at(const nlohmann::json& object, const std::string& key, std::size_t limit,
                        const std::string& path);

// The list of (layer, head) pairs under `key`, each pair once; empty if the key is missing or null.
// Pairs that are not below the limits are left out: a distilled model may carry the list of the
// larger one that it was made of.
std::vector<std::pair<int, int>> pairs_at(const nlohmann::json& object, const std::string& key,
                                          std::pair<std::size_t, std::size_t> limits,
                                          const std::string& path);

}  // namespace wnpu::models
