
#include "npu/control/control_program.h"
#include "npu/control/transaction.h"

namespace wnpu::npu {
namespace {

std::uint32_t byte_count(std::uint32_t words) {
  return words * static_cast<std::uint32_t>(kWordBytes);
}

std::uint32_t number_of(OperationCode code) { return static_cast<std::uint32_t>(code); }

std::uint32_t in_byte(const std::string& what, int value) {
  if (value >= 0 && value <= 0xff) return static_cast<std::uint32_t>(value);
  throw ControlError(what + ": expected 0 to 255, found " + std::to_string(value));
}

// An operation as a write of registers, a patch or a wait.
class TypeRemover {
 public:
  PlainOperation operator()(const WriteDescriptor& w) const {
    return WriteBlock{descriptor_address(w.tile, w.descriptor),
                      encode_descriptor(w.tile.kind, w.content)};
  }
  PlainOperation operator()(const RouteTokens& r) const {
    const auto largest = static_cast<int>(kControllerMask >> kControllerLow);
    if (r.controller < 0 || r.controller > largest) {
      throw ControlError(port_name(r.port) + ": controller: expected 0 to " +
                         std::to_string(largest) + ", found " + std::to_string(r.controller));
    }
    return WriteMasked{control_address(r.port),
                       static_cast<std::uint32_t>(r.controller) << kControllerLow, kControllerMask};
  }
  PlainOperation operator()(const PushTask& t) const {
    descriptor_address(t.port.tile, t.descriptor);  // refuses one that is not there
    if (t.repeats < 1 || t.repeats > kMaxTaskRepeats) {
      throw ControlError(port_name(t.port) + ": repeats of a task: expected 1 to " +
                         std::to_string(kMaxTaskRepeats) + ", found " + std::to_string(t.repeats));
    }
    return WriteRegister{queue_address(t.port), static_cast<std::uint32_t>(t.descriptor) |
                                                    (t.repeats - 1) << kQueueRepeatLow |
                                                    (t.has_token ? kQueueToken : 0)};
  }
  PlainOperation operator()(const SetLock& s) const {
    if (s.value < 0 || s.value > kMaxLockValue) {
      throw ControlError(tile_name(s.tile) + ": value of lock " + std::to_string(s.lock) +
                         ": expected 0 to " + std::to_string(kMaxLockValue) + ", found " +
                         std::to_string(s.value));
    }
    return WriteRegister{lock_address(s.tile, s.lock), static_cast<std::uint32_t>(s.value)};
  }
  PlainOperation operator()(const auto& plain) const { return plain; }
};

// Words of an operation without a type.
class OperationWriter {
 public:
  void operator()(const PatchAddress& p) {
    constexpr std::size_t kPlace = 6;
    constexpr std::size_t kArgument = 8;
    constexpr std::size_t kOffset = 10;
    words_.assign(kPatchWords, 0);
    words_[0] = number_of(OperationCode::ddr_patch);
    words_[1] = byte_count(kPatchWords);
    words_[kPlace] = p.place;
    words_[kArgument] = p.argument;
    words_[kOffset] = static_cast<std::uint32_t>(p.offset);
    words_[kOffset + 1] = static_cast<std::uint32_t>(p.offset >> 32);
  }
  void operator()(const WaitForTokens& w) {
    control_address(w.port);  // refuses a channel that is not there
    const std::string name = port_name(w.port);
    const std::uint32_t column = in_byte(name + ": column", w.port.tile.column);
    const std::uint32_t row = in_byte(name + ": row", array_row(w.port.tile));
    const std::uint32_t columns = in_byte(name + ": columns", w.columns);
    const std::uint32_t rows = in_byte(name + ": rows", w.rows);
    const std::uint32_t direction = w.port.direction == Direction::mm2s ? 1 : 0;
    const auto channel = static_cast<std::uint32_t>(w.port.channel);
    words_ = {number_of(OperationCode::token_sync), byte_count(kSyncWords),
              column << 16 | row << 8 | direction, channel << 24 | columns << 16 | rows << 8};
  }
  void operator()(const WriteRegister& w) {
    words_ = {number_of(OperationCode::write), 0, w.address, 0, w.value, byte_count(kWriteWords)};
  }
  void operator()(const WriteMasked& w) {
    words_ = {number_of(OperationCode::masked_write),
              0,
              w.address,
              0,
              w.value,
              w.mask,
              byte_count(kMaskedWords)};
  }
  void operator()(const WriteBlock& w) {
    words_ = {number_of(OperationCode::block_write), 0, w.address,
              byte_count(kBlockHeadWords + static_cast<std::uint32_t>(w.words.size()))};
    words_.insert(words_.end(), w.words.begin(), w.words.end());
  }

  std::vector<std::uint32_t> take() { return std::move(words_); }

 private:
  std::vector<std::uint32_t> words_;
};

std::vector<std::uint32_t> encoded(const Operation& operation) {
  OperationWriter writer;
  std::visit(writer, without_type(operation));
  return writer.take();
}

std::vector<std::uint32_t> header(const ArrayShape& shape, std::size_t n_operations) {
  const std::uint32_t rows = in_byte("rows of the array", shape.rows);
  const std::uint32_t generation = in_byte("generation of the array", shape.generation);
  const std::uint32_t mem_rows = in_byte("rows of mem tiles", shape.mem_tile_rows);
  const std::uint32_t columns = in_byte("columns of the array", shape.columns);
  return {rows << 24 | generation << 16 | kFormatMinor << 8 | kFormatMajor, mem_rows << 8 | columns,
          static_cast<std::uint32_t>(n_operations), 0};
}

}  // namespace

PlainOperation without_type(const Operation& operation) {
  return std::visit(TypeRemover(), operation);
}

std::size_t encoded_bytes(const Operation& operation) {
  return encoded(operation).size() * kWordBytes;
}

std::vector<std::byte> encode(const ControlProgram& program) {
  std::vector<std::uint32_t> words = header(program.shape, program.operations.size());
  for (const Operation& operation : program.operations) {
    const std::vector<std::uint32_t> more = encoded(operation);
    words.insert(words.end(), more.begin(), more.end());
  }
  constexpr std::size_t kSizeWord = 3;
  words[kSizeWord] = static_cast<std::uint32_t>(words.size() * kWordBytes);
  std::vector<std::byte> bytes;
  bytes.reserve(words.size() * kWordBytes);
  for (const std::uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::byte>(word >> shift & 0xff));
    }
  }
  return bytes;
}

}  // namespace wnpu::npu
