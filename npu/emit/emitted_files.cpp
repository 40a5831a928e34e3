#include "npu/emit/emitted_files.h"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "npu/emit/core_sources.h"

namespace wnpu::npu {
namespace {

std::string stream_name(const EmittedCall& call) { return call.name + ".bin"; }

std::string stream(const EmittedCall& call) {
  const std::vector<std::byte> bytes = encode(call.program);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Manifest of the XCLBIN beside it: inputs of its build, and all that xrt/xrt_manifest.h reads.
std::string manifest(std::span<const EmittedCall> calls) {
  const Design& first = calls.front().design;
  nlohmann::ordered_json json;
  json["schema"] = 1;
  json["overlay"] = hash_text(overlay_hash(first));
  json["target"] = first.target->name;
  json["kernel"] = "MLIR_AIE";
  for (const EmittedCall& call : calls) {
    json["streams"][hash_text(design_hash(call.design))] = stream_name(call);
  }
  json["core_program"] = first.core.program_digest;
  json["mlir_aie"] = kMlirAieState;
  return json.dump(2) + "\n";
}

}  // namespace

std::string from_template(std::string_view name, const TemplateWords& words) {
  const std::vector<CoreSource> templates = emit_templates();
  const auto found = std::ranges::find(templates, name, &CoreSource::path);
  if (found == templates.end()) throw std::logic_error("no template " + std::string(name));
  std::string text(found->text);
  for (const auto& [mark, value] : words) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

std::vector<EmittedFile> emitted_files(std::span<const EmittedCall> calls) {
  const std::string module = module_text(calls);
  const Design& first = calls.front().design;
  const std::string name(first.target->name);
  std::vector<EmittedFile> files{{name + ".mlir", module},
                                 {name + ".xclbin.json", manifest(calls)},
                                 {"build.sh", build_script(*first.target), true},
                                 {"resident.ld", linker_script(first)}};
  for (const EmittedCall& call : calls) files.push_back({stream_name(call), stream(call)});
  for (const CoreSource& source : core_sources()) {
    files.push_back({"src/" + std::string(source.path), std::string(source.text)});
  }
  return files;
}

}  // namespace wnpu::npu
