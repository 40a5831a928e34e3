// Files that are written as they were when this library was built.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wnpu::npu {

struct CoreSource {
  std::string_view path;  // "npu/core/core_memory.h", as others include it
  std::string_view text;
};

// The sources of the program that every core runs: what core_program_digest() is of, as far as a
// core's compiler reads it.
std::vector<CoreSource> core_sources();

// Files of npu/emit/templates, by their names.
std::vector<CoreSource> emit_templates();

// A template with each of `words`' first, in this order, replaced by its second; empty: as it is.
// Throws std::logic_error where there is no such template.
using TemplateWords = std::vector<std::pair<std::string_view, std::string>>;
std::string from_template(std::string_view name, const TemplateWords& words = {});

}  // namespace wnpu::npu
