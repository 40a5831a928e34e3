// Fields of a row's result beside its columns: result.schema.json.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/engine/whisper_npu.hpp"
#include "app/jobs/rows/row.h"

namespace wnpu::app {

nlohmann::ordered_json fields_of(const Transcript& transcript, bool with_words);
nlohmann::ordered_json fields_of(const std::exception& failure);
nlohmann::ordered_json failure_fields(std::string_view code, int exit_code,
                                      const std::string& message);

// Error code of a row that lacked memory or threads.
inline constexpr std::string_view kResourcesCode = "resources";

// The result as a line: the row's columns as they came, without those that the fields replace.
std::string result_line(const Row& row, const nlohmann::ordered_json& fields);

}  // namespace wnpu::app
