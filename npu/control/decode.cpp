
#include "npu/control/control_program.h"
#include "npu/control/transaction.h"

namespace wnpu::npu {
namespace {

using Words = std::span<const std::uint32_t>;

std::string hex(std::uint32_t value) {
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

[[noreturn]] void refuse(std::size_t word, const std::string& what, const std::string& expected,
                         const std::string& found) {
  throw ControlError("control program: byte " + std::to_string(word * kWordBytes) + ": " + what +
                     ": expected " + expected + ", found " + found);
}

std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes) {
  if (bytes.size() % kWordBytes != 0) {
    refuse(0, "length", "whole words of 4 bytes", std::to_string(bytes.size()) + " bytes");
  }
  std::vector<std::uint32_t> words(bytes.size() / kWordBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / kWordBytes] |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * (i % kWordBytes));
  }
  return words;
}

// Typed operation of a register write, if address and value are exactly one; else the plain write.
Operation typed_write(RegisterAddress address, std::uint32_t value) {
  const WriteRegister plain{address, value};
  if (const auto lock = lock_at(address)) {
    if (value > static_cast<std::uint32_t>(kMaxLockValue)) return plain;
    return SetLock{lock->tile, lock->lock, static_cast<int>(value)};
  }
  const auto channel = channel_at(address);
  if (!channel || !channel->is_queue) return plain;
  const std::uint32_t repeats = (value >> kQueueRepeatLow & 0xff) + 1;
  const std::uint32_t rest = value & ~(kQueueToken | 0xffu << kQueueRepeatLow);
  if (rest >= static_cast<std::uint32_t>(dma_registers(channel->port.tile.kind).n_descriptors)) {
    return plain;
  }
  return PushTask{channel->port, static_cast<int>(rest), repeats, (value & kQueueToken) != 0};
}

Operation typed_masked(RegisterAddress address, std::uint32_t value, std::uint32_t mask) {
  const auto channel = channel_at(address);
  const bool is_route =
      channel && !channel->is_queue && mask == kControllerMask && (value & ~kControllerMask) == 0;
  if (!is_route) return WriteMasked{address, value, mask};
  return RouteTokens{channel->port, static_cast<int>(value >> kControllerLow)};
}

Operation typed_block(RegisterAddress address, Words content) {
  if (const auto place = descriptor_at(address)) {
    if (const auto descriptor = decode_descriptor(place->tile.kind, content)) {
      return WriteDescriptor{place->tile, place->descriptor, *descriptor};
    }
  }
  return WriteBlock{address, {content.begin(), content.end()}};
}

class Decoder {
 public:
  explicit Decoder(Words words) : words_(words) {}

  ControlProgram run() {
    ControlProgram program;
    program.shape = read_header();
    while (at_ < words_.size()) program.operations.push_back(read_operation());
    constexpr std::size_t kCountWord = 2;
    if (program.operations.size() != words_[kCountWord]) {
      refuse(kCountWord, "number of operations", std::to_string(program.operations.size()),
             std::to_string(words_[kCountWord]));
    }
    return program;
  }

 private:
  ArrayShape read_header() {
    if (words_.size() < kHeaderWords) {
      refuse(0, "length", "a header of 16 bytes",
             std::to_string(words_.size() * kWordBytes) + " bytes");
    }
    const std::uint32_t version = words_[0] & 0xffff;
    if (version != (kFormatMinor << 8 | kFormatMajor)) {
      refuse(0, "version of the format", hex(kFormatMinor << 8 | kFormatMajor), hex(version));
    }
    if (words_[1] >> 16 != 0) refuse(1, "reserved half", "0", hex(words_[1] >> 16));
    constexpr std::size_t kSizeWord = 3;
    if (words_[kSizeWord] != words_.size() * kWordBytes) {
      refuse(kSizeWord, "size of the program", std::to_string(words_.size() * kWordBytes),
             std::to_string(words_[kSizeWord]));
    }
    at_ = kHeaderWords;
    const auto byte = [](std::uint32_t word, unsigned shift) {
      return static_cast<int>(word >> shift & 0xff);
    };
    return {byte(words_[0], 16), byte(words_[0], 24), byte(words_[1], 0), byte(words_[1], 8)};
  }

  Operation read_operation() {
    switch (static_cast<OperationCode>(words_[at_])) {
      case OperationCode::write:
        return read_write();
      case OperationCode::masked_write:
        return read_masked();
      case OperationCode::block_write:
        return read_block();
      case OperationCode::token_sync:
        return read_sync();
      case OperationCode::ddr_patch:
        return read_patch();
    }
    refuse(at_, "operation", "0, 1, 3, 0x80 or 0x81", hex(words_[at_]));
  }

  // The next `n` words, whose word `size_at` has to say so.
  Words take(std::uint32_t n, std::size_t size_at) {
    require_room(n);
    require(size_at, "size of the operation", n * kWordBytes);
    const Words taken = words_.subspan(at_, n);
    at_ += n;
    return taken;
  }
  void require_room(std::size_t n) const {
    if (words_.size() - at_ >= n) return;
    refuse(at_, "length", std::to_string(n * kWordBytes) + " bytes of an operation",
           std::to_string((words_.size() - at_) * kWordBytes) + " bytes to the end");
  }
  void require(std::size_t offset, const std::string& what, std::size_t value) const {
    const std::uint32_t found = words_[at_ + offset];
    if (found != value) refuse(at_ + offset, what, std::to_string(value), std::to_string(found));
  }
  template <typename... Offsets>
  void require_zero(Offsets... offsets) const {
    (require(static_cast<std::size_t>(offsets), "reserved word", 0), ...);
  }

  Operation read_write() {
    require_room(kWriteWords);
    require_zero(1, 3);
    const Words w = take(kWriteWords, kWriteWords - 1);
    return typed_write(w[2], w[4]);
  }

  Operation read_masked() {
    require_room(kMaskedWords);
    require_zero(1, 3);
    const Words w = take(kMaskedWords, kMaskedWords - 1);
    return typed_masked(w[2], w[4], w[5]);
  }

  Operation read_block() {
    require_room(kBlockHeadWords);
    require_zero(1);
    constexpr std::size_t kSizeAt = 3;
    const std::uint32_t bytes = words_[at_ + kSizeAt];
    const std::size_t room = (words_.size() - at_) * kWordBytes;
    if (bytes % kWordBytes != 0 || bytes < kBlockHeadWords * kWordBytes || bytes > room) {
      refuse(at_ + kSizeAt, "size of the operation",
             "whole words, 16 to " + std::to_string(room) + " bytes", std::to_string(bytes));
    }
    const Words w = take(static_cast<std::uint32_t>(bytes / kWordBytes), kSizeAt);
    return typed_block(w[2], w.subspan(kBlockHeadWords));
  }

  Operation read_sync() {
    const std::size_t begin = at_;
    const Words w = take(kSyncWords, 1);
    const int column = static_cast<int>(w[2] >> 16 & 0xff);
    const std::uint32_t row = w[2] >> 8 & 0xff;
    const std::uint32_t direction = w[2] & 0xff;
    if (direction > 1 || w[2] >> 24 != 0) refuse(begin + 2, "direction", "0 or 1", hex(w[2]));
    if ((w[3] & 0xff) != 0) refuse(begin + 3, "reserved byte", "0", hex(w[3] & 0xff));
    TileId tile{TileKind::shim, column, 0};
    if (row == 1) tile.kind = TileKind::mem;
    if (row > 1) tile = {TileKind::core, column, static_cast<int>(row) - 2};
    const auto channel = static_cast<int>(w[3] >> 24);
    if (channel >= dma_registers(tile.kind).n_channels) {
      refuse(begin + 3, "channel", "one of " + tile_name(tile), std::to_string(channel));
    }
    return WaitForTokens{{tile, direction == 1 ? Direction::mm2s : Direction::s2mm, channel},
                         static_cast<int>(w[3] >> 16 & 0xff),
                         static_cast<int>(w[3] >> 8 & 0xff)};
  }

  Operation read_patch() {
    require_room(kPatchWords);
    require_zero(2, 3, 4, 5, 7, 9);
    const Words w = take(kPatchWords, 1);
    return PatchAddress{w[6], w[8], w[10] | std::uint64_t{w[11]} << 32};
  }

  Words words_;
  std::size_t at_ = 0;
};

}  // namespace

ControlProgram decode(std::span<const std::byte> bytes) {
  const std::vector<std::uint32_t> words = words_of(bytes);
  return Decoder(words).run();
}

}  // namespace wnpu::npu
