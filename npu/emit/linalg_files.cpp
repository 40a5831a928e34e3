#include "npu/emit/linalg_files.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "npu/emit/core_sources.h"

namespace wnpu::npu {
namespace {

std::string extents(const LayerValue& argument, std::string_view between) {
  std::string text;
  for (const std::size_t extent : argument.shape) {
    text += (text.empty() ? "" : std::string(between)) + std::to_string(extent);
  }
  return text;
}

std::string type(const LayerValue& argument, std::string_view kind) {
  return std::string(kind) + "<" + extents(argument, "x") + "xf32>";
}

// The lines of @main that make an argument.
std::string argument_lines(const LayerValue& argument) {
  const std::string value = "%" + argument.name;
  const std::string memory = type(argument, "memref");
  return "  " + value + " = memref.alloc() : " + memory + "\n  " + value + "_read = memref.cast " +
         value + " : " + memory + " to memref<*xf32>\n  func.call @read_values(" + value +
         "_read) : (memref<*xf32>) -> ()\n";
}

TemplateWords lists_of(const LayerShape& shape) {
  std::string lines;
  std::string names;
  std::string types;
  std::string list;
  for (const LayerValue& argument : layer_values(shape)) {
    const std::string comma = names.empty() ? "" : ", ";
    lines += argument_lines(argument);
    names += comma + "%" + argument.name;
    types += comma + type(argument, "memref");
    list += "- `" + argument.name + "` [" + extents(argument, ", ") + "]\n";
  }
  return {{"$ARGUMENTS", lines}, {"$NAMES", names}, {"$TYPES", types}, {"$LIST", list}};
}

// Lists before single letters, which their names begin with.
TemplateWords file_words(const LayerShape& shape) {
  const std::size_t head = shape.width / shape.heads;
  TemplateWords words = lists_of(shape);
  for (const auto& [name, number] :
       std::array<std::pair<std::string_view, std::size_t>, 5>{{{"$M", shape.frames},
                                                                {"$W", shape.width},
                                                                {"$F", shape.hidden},
                                                                {"$H", shape.heads},
                                                                {"$D", head}}}) {
    words.emplace_back(name, std::to_string(number));
  }
  words.emplace_back("$N", std::to_string(shape.width) + ".0");
  words.emplace_back("$S", std::to_string(1 / std::sqrt(static_cast<double>(head))));
  return words;
}

}  // namespace

std::vector<LayerValue> layer_values(const LayerShape& shape) {
  const std::size_t width = shape.width;
  const std::size_t hidden = shape.hidden;
  return {{"states", {shape.frames, width}},
          {"attn_gain", {width}},
          {"attn_bias", {width}},
          {"wq", {width, width}},
          {"bq", {width}},
          {"wk", {width, width}},
          {"wv", {width, width}},
          {"bv", {width}},
          {"wo", {width, width}},
          {"bo", {width}},
          {"mlp_gain", {width}},
          {"mlp_bias", {width}},
          {"w1", {width, hidden}},
          {"b1", {hidden}},
          {"w2", {hidden, width}},
          {"b2", {width}}};
}

std::vector<EmittedFile> linalg_files(const LayerShape& shape) {
  const TemplateWords words = file_words(shape);
  return {{"layer.mlir", from_template("layer.mlir", words)},
          {"run.mlir", from_template("run.mlir", words)},
          {"values.c", from_template("values.c")},
          {"run.sh", from_template("run.sh"), true},
          {"README.md", from_template("linalg_readme.md", words)}};
}

}  // namespace wnpu::npu
