#include "npu/control/buffer_descriptor.h"

#include <algorithm>

namespace wnpu::npu {
namespace {

// Bits of one register word; none: the kind of tile has no such field.
struct Field {
  std::uint8_t word = 0;
  std::uint8_t low = 0;
  std::uint8_t bits = 0;
};

struct Layout {
  const char* kind;
  std::size_t n_words;
  int n_locks;  // that its DMA sees
  Field length, address, address_high;
  std::array<Field, 4> step, wrap;
  std::array<Field, 3> zeros_before, zeros_after;
  Field iterations, iteration_step, iteration;
  Field acquire_enable, acquire_id, acquire_value, release_id, release_value;
  Field packet_enable, packet_type, packet_id;
  Field next_enable, next, valid, tlast_suppress, burst, cache;
};

constexpr Field kNoField{};

constexpr Layout kShimLayout{
    .kind = "shim descriptor",
    .n_words = 8,
    .n_locks = 16,
    .length = {0, 0, 32},
    .address = {1, 2, 30},
    .address_high = {2, 0, 16},
    .step = {{{3, 0, 20}, {4, 0, 20}, {5, 0, 20}, kNoField}},
    .wrap = {{{3, 20, 10}, {4, 20, 10}, kNoField, kNoField}},
    .zeros_before = {},
    .zeros_after = {},
    .iterations = {6, 20, 6},
    .iteration_step = {6, 0, 20},
    .iteration = {6, 26, 6},
    .acquire_enable = {7, 12, 1},
    .acquire_id = {7, 0, 4},
    .acquire_value = {7, 5, 7},
    .release_id = {7, 13, 4},
    .release_value = {7, 18, 7},
    .packet_enable = {2, 30, 1},
    .packet_type = {2, 16, 3},
    .packet_id = {2, 19, 5},
    .next_enable = {7, 26, 1},
    .next = {7, 27, 4},
    .valid = {7, 25, 1},
    .tlast_suppress = {7, 31, 1},
    .burst = {4, 30, 2},
    .cache = {5, 24, 4},
};

constexpr Layout kMemLayout{
    .kind = "mem-tile descriptor",
    .n_words = 8,
    .n_locks = 3 * kOwnMemTileLock,
    .length = {0, 0, 17},
    .address = {1, 0, 19},
    .address_high = kNoField,
    .step = {{{2, 0, 17}, {3, 0, 17}, {4, 0, 17}, {5, 0, 17}}},
    .wrap = {{{2, 17, 10}, {3, 17, 10}, {4, 17, 10}, kNoField}},
    .zeros_before = {{{1, 26, 6}, {3, 27, 5}, {4, 27, 4}}},
    .zeros_after = {{{5, 17, 6}, {5, 23, 5}, {5, 28, 4}}},
    .iterations = {6, 17, 6},
    .iteration_step = {6, 0, 17},
    .iteration = {6, 23, 6},
    .acquire_enable = {7, 15, 1},
    .acquire_id = {7, 0, 8},
    .acquire_value = {7, 8, 7},
    .release_id = {7, 16, 8},
    .release_value = {7, 24, 7},
    .packet_enable = {0, 31, 1},
    .packet_type = {0, 28, 3},
    .packet_id = {0, 23, 5},
    .next_enable = {1, 19, 1},
    .next = {1, 20, 6},
    .valid = {7, 31, 1},
    .tlast_suppress = {2, 31, 1},
    .burst = kNoField,
    .cache = kNoField,
};

constexpr Layout kCoreLayout{
    .kind = "core descriptor",
    .n_words = 6,
    .n_locks = 16,
    .length = {0, 0, 14},
    .address = {0, 14, 14},
    .address_high = kNoField,
    .step = {{{2, 0, 13}, {2, 13, 13}, {3, 0, 13}, kNoField}},
    .wrap = {{{3, 13, 8}, {3, 21, 8}, kNoField, kNoField}},
    .zeros_before = {},
    .zeros_after = {},
    .iterations = {4, 13, 6},
    .iteration_step = {4, 0, 13},
    .iteration = {4, 19, 6},
    .acquire_enable = {5, 12, 1},
    .acquire_id = {5, 0, 4},
    .acquire_value = {5, 5, 7},
    .release_id = {5, 13, 4},
    .release_value = {5, 18, 7},
    .packet_enable = {1, 30, 1},
    .packet_type = {1, 16, 3},
    .packet_id = {1, 19, 5},
    .next_enable = {5, 26, 1},
    .next = {5, 27, 4},
    .valid = {5, 25, 1},
    .tlast_suppress = {5, 31, 1},
    .burst = kNoField,
    .cache = kNoField,
};

const Layout& layout_of(TileKind kind) {
  constexpr std::array kLayouts{&kShimLayout, &kMemLayout, &kCoreLayout};
  return *kLayouts[static_cast<std::size_t>(kind)];
}

std::uint64_t largest(Field field) { return (std::uint64_t{1} << field.bits) - 1; }

// Name of a descriptor field, for error messages.
struct FieldName {
  FieldName(const char* field) : text(field) {}
  FieldName(const char* field, std::size_t of) : text(field), dimension(of) {}

  std::string full() const {
    return dimension ? text + (" dimension " + std::to_string(*dimension)) : text;
  }

  const char* text;
  std::optional<std::size_t> dimension = std::nullopt;
};

class Encoder {
 public:
  explicit Encoder(const Layout& layout) : layout_(layout), words_(layout.n_words) {}

  // Fields that this kind of tile lacks accept only the value `absent`.
  void put(Field field, const FieldName& name, std::uint64_t value, std::uint64_t absent = 0) {
    if (field.bits == 0) {
      if (value != absent) refuse(name, "none", std::to_string(value));
      return;
    }
    if (value > largest(field)) {
      refuse(name, "at most " + std::to_string(largest(field)), std::to_string(value));
    }
    words_[field.word] |= static_cast<std::uint32_t>(value) << field.low;
  }
  // Registers hold one less.
  void put_count(Field field, const FieldName& name, std::uint64_t value) {
    const std::uint64_t most = field.bits == 0 ? 1 : largest(field) + 1;
    if (value < 1 || value > most) {
      refuse(name, "1 to " + std::to_string(most), std::to_string(value));
    }
    put(field, name, value - 1);
  }
  void put_signed(Field field, const FieldName& name, int value) {
    const int half = 1 << (field.bits - 1);
    if (value < -half || value >= half) {
      refuse(name, std::to_string(-half) + " to " + std::to_string(half - 1),
             std::to_string(value));
    }
    put(field, name, static_cast<std::uint64_t>(value) & largest(field));
  }
  void put_index(Field field, const FieldName& name, int value) {
    if (value < 0) refuse(name, "0 or more", std::to_string(value));
    put(field, name, static_cast<std::uint64_t>(value));
  }
  void put_below(int count, Field field, const FieldName& name, int value) {
    if (value >= count) refuse(name, "0 to " + std::to_string(count - 1), std::to_string(value));
    put_index(field, name, value);
  }
  std::vector<std::uint32_t> take() { return std::move(words_); }

 private:
  [[noreturn]] void refuse(const FieldName& name, const std::string& expected,
                           const std::string& found) const {
    throw ControlError(std::string(layout_.kind) + ": " + name.full() + ": expected " + expected +
                       ", found " + found);
  }

  const Layout& layout_;
  std::vector<std::uint32_t> words_;
};

void put_pattern(Encoder& out, const Layout& layout, const BufferDescriptor& d) {
  for (std::size_t i = 0; i < d.dimensions.size(); ++i) {
    out.put(layout.wrap[i], {"wrap of", i}, d.dimensions[i].wrap);
    out.put_count(layout.step[i], {"step of", i}, d.dimensions[i].step);
  }
  for (std::size_t i = 0; i < d.zeros_before.size(); ++i) {
    out.put(layout.zeros_before[i], {"zeros before", i}, d.zeros_before[i]);
    out.put(layout.zeros_after[i], {"zeros after", i}, d.zeros_after[i]);
  }
  out.put_count(layout.iterations, "iterations", d.iterations);
  out.put_count(layout.iteration_step, "iteration step", d.iteration_step);
  out.put(layout.iteration, "iteration", d.iteration);
}

void put_locks(Encoder& out, const Layout& layout, const BufferDescriptor& d) {
  if (d.acquire) {
    out.put(layout.acquire_enable, "acquire", 1);
    out.put_below(layout.n_locks, layout.acquire_id, "lock to acquire", d.acquire->id);
    out.put_signed(layout.acquire_value, "value to acquire", d.acquire->value);
  }
  if (d.release) {
    out.put_below(layout.n_locks, layout.release_id, "lock to release", d.release->id);
    out.put_signed(layout.release_value, "value to release", d.release->value);
  }
}

std::uint64_t get(Field field, std::span<const std::uint32_t> words) {
  return field.bits == 0 ? 0 : (words[field.word] >> field.low) & largest(field);
}

std::uint32_t get_count(Field field, std::span<const std::uint32_t> words) {
  return static_cast<std::uint32_t>(get(field, words)) + 1;
}

int get_index(Field field, std::span<const std::uint32_t> words) {
  return static_cast<int>(get(field, words));
}

int get_signed(Field field, std::span<const std::uint32_t> words) {
  const int value = get_index(field, words);
  const int half = 1 << (field.bits - 1);
  return value < half ? value : value - 2 * half;
}

void get_pattern(BufferDescriptor& d, const Layout& layout, std::span<const std::uint32_t> words) {
  for (std::size_t i = 0; i < d.dimensions.size(); ++i) {
    d.dimensions[i].wrap = static_cast<std::uint32_t>(get(layout.wrap[i], words));
    d.dimensions[i].step = get_count(layout.step[i], words);
  }
  for (std::size_t i = 0; i < d.zeros_before.size(); ++i) {
    d.zeros_before[i] = static_cast<std::uint32_t>(get(layout.zeros_before[i], words));
    d.zeros_after[i] = static_cast<std::uint32_t>(get(layout.zeros_after[i], words));
  }
  d.iterations = get_count(layout.iterations, words);
  d.iteration_step = get_count(layout.iteration_step, words);
  d.iteration = static_cast<std::uint32_t>(get(layout.iteration, words));
}

void get_links(BufferDescriptor& d, const Layout& layout, std::span<const std::uint32_t> words) {
  if (get(layout.acquire_enable, words) != 0) {
    d.acquire = {get_index(layout.acquire_id, words), get_signed(layout.acquire_value, words)};
  }
  const LockChange release{get_index(layout.release_id, words),
                           get_signed(layout.release_value, words)};
  if (release != LockChange{}) d.release = release;
  if (get(layout.packet_enable, words) != 0) {
    d.packet = {get_index(layout.packet_type, words), get_index(layout.packet_id, words)};
  }
  if (get(layout.next_enable, words) != 0) d.next = get_index(layout.next, words);
  d.is_valid = get(layout.valid, words) != 0;
  d.suppresses_tlast = get(layout.tlast_suppress, words) != 0;
  d.burst = get_index(layout.burst, words);
  d.cache = get_index(layout.cache, words);
}

bool names_what_exists(TileKind kind, const BufferDescriptor& d) {
  const int n_locks = layout_of(kind).n_locks;
  return (!d.next || *d.next < dma_registers(kind).n_descriptors) &&
         (!d.acquire || d.acquire->id < n_locks) && (!d.release || d.release->id < n_locks);
}

}  // namespace

std::vector<std::uint32_t> encode_descriptor(TileKind kind, const BufferDescriptor& d) {
  const Layout& layout = layout_of(kind);
  Encoder out(layout);
  out.put(layout.length, "length in words", d.length);
  const std::uint64_t low = largest(layout.address);
  if (layout.address_high.bits == 0) {
    out.put(layout.address, "address in words", d.address);
  } else {
    out.put(layout.address, "address in words", d.address & low);
    out.put(layout.address_high, "upper half of the address", d.address >> layout.address.bits);
  }
  put_pattern(out, layout, d);
  put_locks(out, layout, d);
  if (d.packet) {
    out.put(layout.packet_enable, "packet", 1);
    out.put_index(layout.packet_type, "packet type", d.packet->type);
    out.put_index(layout.packet_id, "packet id", d.packet->id);
  }
  if (d.next) {
    out.put(layout.next_enable, "next descriptor", 1);
    out.put_below(dma_registers(kind).n_descriptors, layout.next, "next descriptor", *d.next);
  }
  out.put(layout.valid, "valid", d.is_valid ? 1 : 0);
  out.put(layout.tlast_suppress, "suppression of TLAST", d.suppresses_tlast ? 1 : 0);
  out.put_index(layout.burst, "burst", d.burst);
  out.put_index(layout.cache, "cache", d.cache);
  return out.take();
}

std::optional<BufferDescriptor> decode_descriptor(TileKind kind,
                                                  std::span<const std::uint32_t> words) {
  const Layout& layout = layout_of(kind);
  if (words.size() != layout.n_words) return std::nullopt;
  BufferDescriptor d;
  d.length = get(layout.length, words);
  d.address = get(layout.address, words) | (get(layout.address_high, words) << layout.address.bits);
  get_pattern(d, layout, words);
  get_links(d, layout, words);
  if (!names_what_exists(kind, d)) return std::nullopt;
  if (!std::ranges::equal(encode_descriptor(kind, d), words)) return std::nullopt;
  return d;
}

}  // namespace wnpu::npu
