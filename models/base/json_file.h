// JSON read from disk or from a model's header: bounded, and refused in this project's words.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace wnpu::models {

// Throws ModelError for what is not JSON, for a key that comes twice and for nesting deeper than
// any model file has. `path` goes into the messages.
nlohmann::json parse_json(std::string_view text, const std::string& path);

// The same for a whole file, which may have at most `max_bytes`.
nlohmann::json read_json(const std::filesystem::path& path, std::size_t max_bytes);

// The unsigned number under `key` of an object; ModelError if there is none.
std::size_t size_at(const nlohmann::json& object, const std::string& key, const std::string& path);

// The list of token ids under `key`, each below `limit`; empty if the key is missing or null.
std::vector<int> ids_at(const nlohmann::json& object, const std::string& key, std::size_t limit,
                        const std::string& path);

// The list of (layer, head) pairs under `key`, each pair once; empty if the key is missing or null.
std::vector<std::pair<int, int>> pairs_at(const nlohmann::json& object, const std::string& key,
                                          std::pair<std::size_t, std::size_t> limits,
                                          const std::string& path);

}  // namespace wnpu::models
