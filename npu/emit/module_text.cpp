#include "npu/emit/module_text.h"

#include "npu/emit/module_parts.h"

namespace wnpu::npu {
namespace {

// mlir-aie's name of the whole array.
std::string device_name(const Target& target) {
  return target.generation == npu1().generation ? "npu1" : "npu2";
}

std::string heading(std::span<const EmittedCall> calls) {
  const Design& first = calls.front().design;
  std::string text = "// Written by whisper-npu npu emit, for mlir-aie as of " +
                     std::string(kMlirAieState) + ".\n// Target " +
                     std::string(first.target->name) + ", overlay " +
                     hash_text(overlay_hash(first)) + ".\n";
  for (const EmittedCall& call : calls) {
    text += "// Sequence " + call.name + ": design " + hash_text(design_hash(call.design)) + ", " +
            std::to_string(call.program.operations.size()) + " operations.\n";
  }
  return text;
}

void require_one_overlay(std::span<const EmittedCall> calls) {
  if (calls.empty()) throw ControlError("module: expected a call, found none");
  const std::string expected = hash_text(overlay_hash(calls.front().design));
  for (const EmittedCall& call : calls) {
    const std::string found = hash_text(overlay_hash(call.design));
    if (found != expected) {
      throw ControlError("module: call " + call.name + ": expected overlay " + expected +
                         ", found " + found);
    }
  }
}

}  // namespace

std::string module_text(std::span<const EmittedCall> calls) {
  require_one_overlay(calls);
  const Design& first = calls.front().design;
  std::string globals;
  std::string sequences;
  for (const EmittedCall& call : calls) {
    SequenceText text = sequence_text(call.name, call.design, call.program);
    globals += text.globals;
    sequences += text.sequence;
  }
  return heading(calls) + "module {\n aie.device(" + device_name(*first.target) + ") {\n" +
         device_text(first) + globals + sequences + " }\n}\n";
}

}  // namespace wnpu::npu
