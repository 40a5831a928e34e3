#include "tests/xdna_mock/design_stream.h"

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

namespace wnpu::tests {
namespace {

using namespace npu;

constexpr std::uint32_t kMagic = 0x44534e57;  // "WNSD"

// The fields of each struct, for both directions. A new field of a Design belongs here: the test
// compares hashes, which cover every field.
auto fields(TileId& t) { return std::tie(t.kind, t.column, t.row); }
auto fields(Channel& c) { return std::tie(c.tile, c.direction, c.index, c.descriptors); }
auto fields(Link& l) { return std::tie(l.name, l.source, l.sinks, l.max_element_bytes); }
auto fields(CoreBuffer& b) { return std::tie(b.name, b.offset, b.bytes, b.depth); }
auto fields(CoreLayout& c) {
  return std::tie(c.buffers, c.stack_bytes, c.table_bytes, c.program_bytes);
}
auto fields(Memory& m) { return std::tie(m.name, m.is_argument, m.bytes, m.first_tile, m.n_tiles); }
auto fields(Region& r) { return std::tie(r.name, r.memory, r.offset, r.bytes, r.eras); }
auto fields(Lock& l) { return std::tie(l.tile, l.name, l.initial); }
auto fields(Dimension& d) { return std::tie(d.count, d.stride); }
auto fields(Access& a) {
  return std::tie(a.memory, a.offset, a.run, a.dims, a.step, a.first, a.wrap);
}
auto fields(LockUse& u) { return std::tie(u.lock, u.count, u.each); }
auto fields(Transfer& t) {
  return std::tie(t.link, t.elements, t.access, t.acquire, t.release, t.wait_token, t.wait_count,
                  t.signal_token);
}
auto fields(Phase& p) {
  return std::tie(p.name, p.kernel, p.epilogue, p.outer, p.inner, p.m, p.k, p.n, p.valid,
                  p.quantised_output);
}
auto fields(Design& d) {
  return std::tie(d.name, d.channels, d.links, d.core, d.memories, d.regions, d.locks, d.n_tokens,
                  d.transfers, d.phases);
}

template <typename T>
constexpr bool kIsNumber = std::is_integral_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  template <typename T>
  void field(T& value) {
    if constexpr (kIsNumber<T>) {
      number(static_cast<std::uint64_t>(value));
    } else {
      std::apply([this](auto&... each) { (this->field(each), ...); }, fields(value));
    }
  }
  void field(std::string& text) {
    number(text.size());
    for (const char c : text) words.push_back(static_cast<unsigned char>(c));
  }
  template <typename T>
  void field(std::vector<T>& list) {
    number(list.size());
    for (T& item : list) field(item);
  }
  std::vector<std::uint32_t> words{kMagic};

 private:
  void number(std::uint64_t value) {
    words.push_back(static_cast<std::uint32_t>(value));
    words.push_back(static_cast<std::uint32_t>(value >> 32));
  }
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint32_t> words) : words_(words) {
    if (word() != kMagic) throw std::runtime_error("no stream of this test's kind");
  }
  template <typename T>
  void field(T& value) {
    if constexpr (kIsNumber<T>) {
      value = static_cast<T>(number());
    } else {
      std::apply([this](auto&... each) { (this->field(each), ...); }, fields(value));
    }
  }
  void field(std::string& text) {
    text.resize(length());
    for (char& c : text) c = static_cast<char>(word());
  }
  template <typename T>
  void field(std::vector<T>& list) {
    list.resize(length());
    for (T& item : list) field(item);
  }

 private:
  std::uint32_t word() {
    if (next_ == words_.size()) throw std::runtime_error("stream cut short");
    return words_[next_++];
  }
  std::uint64_t number() {
    const std::uint64_t low = word();
    return low | static_cast<std::uint64_t>(word()) << 32;
  }
  std::size_t length() {
    const std::uint64_t n = number();
    if (n > words_.size() - next_) throw std::runtime_error("stream cut short");
    return static_cast<std::size_t>(n);
  }
  std::span<const std::uint32_t> words_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<std::uint32_t> to_stream(Design design) {
  Writer writer;
  std::string target(design.target->name);
  writer.field(target);
  writer.field(design);
  return std::move(writer.words);
}

Design from_stream(std::span<const std::uint32_t> words) {
  Reader reader(words);
  std::string target;
  Design design;
  reader.field(target);
  reader.field(design);
  design.target = find_target(target);
  if (design.target == nullptr) throw std::runtime_error("stream for no target: " + target);
  return design;
}

}  // namespace wnpu::tests
