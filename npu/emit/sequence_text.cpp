#include <limits>
#include <map>
#include <set>
#include <vector>

#include "npu/emit/module_parts.h"

namespace wnpu::npu {
namespace {

using SequenceWords = std::vector<std::uint32_t>;

// For people: what an operation that is written as registers does.
class Remark {
 public:
  std::string operator()(const WriteDescriptor& w) const {
    return tile_name(w.tile) + " descriptor " + std::to_string(w.descriptor);
  }
  std::string operator()(const RouteTokens& r) const { return port_name(r.port) + " tokens"; }
  std::string operator()(const PushTask& t) const {
    return port_name(t.port) + " task: descriptor " + std::to_string(t.descriptor) + ", " +
           std::to_string(t.repeats) + " times";
  }
  std::string operator()(const SetLock& s) const {
    return tile_name(s.tile) + " lock " + std::to_string(s.lock);
  }
  std::string operator()(const WaitForTokens& w) const { return port_name(w.port) + " wait"; }
  std::string operator()(const auto& /*operation*/) const { return {}; }
};

class SequenceWriter {
 public:
  SequenceWriter(std::string name, const Design& design) : name_(std::move(name)), d_(design) {}

  SequenceText write(const ControlProgram& program) {
    for (const Operation& operation : program.operations) {
      const std::string remark = std::visit(Remark(), operation);
      if (!remark.empty()) line("// " + remark);
      std::visit([this](const auto& plain) { add(plain); }, without_type(operation));
    }
    SequenceText text;
    for (const auto& [words, global] : globals_) text.globals += global_text(words, global);
    text.sequence = "  aie.runtime_sequence @" + name_ + "(" + arguments() + ") {\n";
    for (const std::uint32_t value : constants_) {
      text.sequence += "   " + constant_name(value) + " = arith.constant " +
                       mlir::signed_word(value) + " : i32\n";
    }
    for (const auto& [words, global] : globals_) {
      text.sequence += "   %" + global + " = memref.get_global @" + global + " : " +
                       mlir::memref(words.size(), "i32") + "\n";
    }
    text.sequence += operations_ + "  }\n";
    return text;
  }

 private:
  void add(const PatchAddress& p) {
    if (p.offset > std::numeric_limits<std::int32_t>::max()) {
      throw ControlError(name_ + ": offset into an argument: expected at most " +
                         std::to_string(std::numeric_limits<std::int32_t>::max()) + ", found " +
                         std::to_string(p.offset));
    }
    line("aiex.npu.address_patch(" + constant(static_cast<std::uint32_t>(p.offset)) +
         " : i32) {addr = " + std::to_string(p.place) +
         " : ui32, arg_idx = " + std::to_string(p.argument) + " : i32}");
  }
  void add(const WaitForTokens& w) {
    const auto number = [&](int value) { return constant(static_cast<std::uint32_t>(value)); };
    line("aiex.npu.sync(" + number(w.port.tile.column) + ", " + number(array_row(w.port.tile)) +
         ", " + number(w.port.direction == Direction::mm2s ? 1 : 0) + ", " +
         number(w.port.channel) + ", " + number(w.columns) + ", " + number(w.rows) +
         ") : i32, i32, i32, i32, i32, i32");
  }
  void add(const WriteRegister& w) {
    line("aiex.npu.write32(" + constant(w.address) + ", " + constant(w.value) + ") : i32, i32");
  }
  void add(const WriteMasked& w) {
    line("aiex.npu.maskwrite32(" + constant(w.address) + ", " + constant(w.value) + ", " +
         constant(w.mask) + ") : i32, i32, i32");
  }
  void add(const WriteBlock& w) {
    auto [global, is_new] = globals_.try_emplace(w.words);
    if (is_new) global->second = name_ + "_words_" + std::to_string(globals_.size());
    line("aiex.npu.blockwrite(%" + global->second + ") {address = " + std::to_string(w.address) +
         " : ui32} : " + mlir::memref(w.words.size(), "i32"));
  }
  void line(const std::string& text) { operations_ += "   " + text + "\n"; }

  static std::string constant_name(std::uint32_t value) { return "%c" + std::to_string(value); }
  std::string constant(std::uint32_t value) {
    constants_.insert(value);
    return constant_name(value);
  }

  static std::string global_text(const SequenceWords& words, const std::string& global) {
    std::string text = "  memref.global \"private\" constant @" + global + " : " +
                       mlir::memref(words.size(), "i32") + " = dense<[";
    for (std::size_t i = 0; i < words.size(); ++i) {
      text += (i > 0 ? ", " : "") + mlir::signed_word(words[i]);
    }
    return text + "]>\n";
  }

  std::string arguments() const {
    std::string text;
    for (std::size_t i = 0; i < d_.n_arguments(); ++i) {
      const Memory& m = d_.memories[i];
      text += (i > 0 ? ", %" : "%") + mlir::identifier(m.name) + ": " + mlir::memref(m.bytes, "i8");
    }
    return text;
  }

  std::string name_;
  const Design& d_;
  std::map<SequenceWords, std::string> globals_;
  std::set<std::uint32_t> constants_;
  std::string operations_;
};

}  // namespace

SequenceText sequence_text(const std::string& name, const Design& design,
                           const ControlProgram& program) {
  return SequenceWriter(name, design).write(program);
}

}  // namespace wnpu::npu
