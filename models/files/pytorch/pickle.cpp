#include "models/files/pytorch/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"

namespace wnpu::models {
namespace {

using Kind = PickleValue::Kind;

// The types and functions that a checkpoint's pickle names; all others are refused.
constexpr std::string_view kRebuildTensor = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils _rebuild_parameter";
constexpr std::string_view kOrderedDict = "collections OrderedDict";
constexpr std::string_view kStorages = "torch ";
constexpr std::array kGlobals = {kRebuildTensor, kRebuildParameter, kOrderedDict};
// Types of what a checkpoint of pyannote.audio says beside its weights: they become empty dicts.
constexpr std::array<std::string_view, 4> kInertTypes = {
    "torch.torch_version TorchVersion", "pyannote.audio.core.task Specifications",
    "pyannote.audio.core.task Problem", "pyannote.audio.core.task Resolution"};

struct Storage {
  std::string_view name;
  StorageType type;
};
// Weights, and what an optimiser or a step counter may have beside them.
constexpr std::array kStorageTypes = {Storage{"torch FloatStorage", StorageType::f32},
                                      Storage{"torch HalfStorage", StorageType::f16},
                                      Storage{"torch BFloat16Storage", StorageType::bf16},
                                      Storage{"torch DoubleStorage", StorageType::other},
                                      Storage{"torch LongStorage", StorageType::other},
                                      Storage{"torch IntStorage", StorageType::other},
                                      Storage{"torch BoolStorage", StorageType::other},
                                      Storage{"torch ByteStorage", StorageType::other}};

// Lib/pickletools.py of CPython: what each opcode does.
class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, const std::string& path,
                std::deque<PickleValue>& values)
      : cursor_(bytes, path), path_(path), values_(&values) {}

  const PickleValue* run() {
    for (;;) {
      const auto opcode = cursor_.read<unsigned char>("opcode");
      if (opcode == '.') return pop();
      if (!do_number(opcode) && !do_text(opcode) && !do_container(opcode) && !do_memo(opcode) &&
          !do_object(opcode)) {
        std::array<char, 8> name{};
        std::snprintf(name.data(), name.size(), "0x%02x", opcode);
        fail("opcodes that tensors need", std::string("opcode ") + name.data());
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw ModelError(path_ + ": pickle at " + std::to_string(cursor_.offset()) + ": expected " +
                     expected + ", found " + found.substr(0, 100));
  }

  PickleValue& make(Kind kind) {
    PickleValue& value = values_->emplace_back();
    value.kind = kind;
    return value;
  }

  void push(PickleValue& value) { stack_.push_back(&value); }

  void push_integer(std::int64_t number) {
    PickleValue& value = make(Kind::integer);
    value.integer = number;
    push(value);
  }

  // Stack height at the last mark: an opcode may take only values above it.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleValue* pop() {
    PickleValue* const value = top();
    stack_.pop_back();
    return value;
  }
  PickleValue* top() {
    if (stack_.size() <= floor()) fail("a value on the stack", "none");
    return stack_.back();
  }
  PickleValue* top_of(Kind kind, const char* what) {
    PickleValue* const value = top();
    if (value->kind != kind) fail(what, "another value");
    return value;
  }

  // The values above the last mark, and the mark.
  std::vector<const PickleValue*> pop_mark() {
    if (marks_.empty()) fail("a mark", "none");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<const PickleValue*> items(first, stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  bool do_number(unsigned char opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        if (const int version = cursor_.read<unsigned char>("protocol"); version != 2) {
          fail("protocol 2", std::to_string(version));
        }
        return true;
      case 'N':  // NONE
        push(make(Kind::none));
        return true;
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        push(make(Kind::boolean));
        stack_.back()->integer = opcode == 0x88 ? 1 : 0;
        return true;
      case 'K':  // BININT1
        push_integer(cursor_.read<unsigned char>("number"));
        return true;
      case 'M':  // BININT2
        push_integer(cursor_.read<std::uint16_t>("number"));
        return true;
      case 'J':  // BININT
        push_integer(cursor_.read<std::int32_t>("number"));
        return true;
      case 0x8a:  // LONG1
        push_long();
        return true;
      case 'G': {  // BINFLOAT, big-endian
        auto bits = cursor_.read<std::uint64_t>("number");
        bits = __builtin_bswap64(bits);
        PickleValue& value = make(Kind::real);
        value.real = std::bit_cast<double>(bits);
        push(value);
        return true;
      }
      default:
        return false;
    }
  }

  // Little-endian two's complement, as many bytes as are said.
  void push_long() {
    const auto n_bytes = cursor_.read<unsigned char>("length of a number");
    if (n_bytes > sizeof(std::int64_t)) fail("a number of 64 bits", "a longer one");
    std::uint64_t bits = 0;
    const auto bytes = cursor_.take(n_bytes, "number");
    for (std::size_t i = bytes.size(); i > 0; --i) {
      bits = bits << 8U | std::to_integer<std::uint64_t>(bytes[i - 1]);
    }
    const unsigned n_bits = 8U * n_bytes;
    if (n_bits > 0 && n_bits < 64 && (bits >> (n_bits - 1)) != 0)
      bits |= ~std::uint64_t{0} << n_bits;
    push_integer(static_cast<std::int64_t>(bits));
  }

  bool do_text(unsigned char opcode) {
    if (opcode == 'X') {  // BINUNICODE
      const auto length = cursor_.read<std::uint32_t>("length of a text");
      PickleValue& value = make(Kind::text);
      value.text = as_text(cursor_.take(length, "text"));
      push(value);
      return true;
    }
    if (opcode != 'c') return false;  // GLOBAL: module and name, a line each
    std::string name = read_line();
    name += " " + read_line();
    const bool is_storage =
        name.starts_with(kStorages) &&
        std::ranges::find(kStorageTypes, name, &Storage::name) != kStorageTypes.end();
    if (!is_storage && std::ranges::find(kGlobals, name) == kGlobals.end() && !is_inert(name)) {
      std::ranges::replace(name, ' ', '.');
      fail("types that tensors need", name + ", which is not run");
    }
    PickleValue& value = make(Kind::global);
    value.text = name;
    push(value);
    return true;
  }

  static bool is_inert(std::string_view name) {
    return std::ranges::find(kInertTypes, name) != kInertTypes.end();
  }

  std::string read_line() {
    std::string line;
    for (;;) {
      const auto c = cursor_.read<char>("name");
      if (c == '\n') return line;
      if (line.size() == 256) fail("a name of at most 256 bytes", "a longer one");
      line += c;
    }
  }

  bool do_container(unsigned char opcode) {
    switch (opcode) {
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return true;
      case '}':  // EMPTY_DICT
        push(make(Kind::dict));
        return true;
      case ']':  // EMPTY_LIST
        push(make(Kind::list));
        return true;
      case ')':  // EMPTY_TUPLE
        push(make(Kind::tuple));
        return true;
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        push_tuple(opcode - 0x84U);
        return true;
      case 't': {  // TUPLE
        PickleValue& value = make(Kind::tuple);
        value.items = pop_mark();
        push(value);
        return true;
      }
      default:
        return do_items(opcode);
    }
  }

  void push_tuple(std::size_t size) {
    PickleValue& value = make(Kind::tuple);
    value.items.resize(size);
    for (std::size_t i = size; i > 0; --i) value.items[i - 1] = pop();
    push(value);
  }

  bool do_items(unsigned char opcode) {
    std::vector<const PickleValue*> items;
    switch (opcode) {
      case 'a':  // APPEND
        items = {pop()};
        add(top_of(Kind::list, "a list"), items);
        return true;
      case 'e':  // APPENDS
        items = pop_mark();
        add(top_of(Kind::list, "a list"), items);
        return true;
      case 's': {  // SETITEM
        const PickleValue* const value = pop();
        items = {pop(), value};
        add(top_of(Kind::dict, "a dict"), items);
        return true;
      }
      case 'u':  // SETITEMS
        items = pop_mark();
        if (items.size() % 2 != 0) fail("keys with values", "a key without one");
        add(top_of(Kind::dict, "a dict"), items);
        return true;
      default:
        return false;
    }
  }

  static void add(PickleValue* container, const std::vector<const PickleValue*>& items) {
    container->items.insert(container->items.end(), items.begin(), items.end());
  }

  bool do_memo(unsigned char opcode) {
    switch (opcode) {
      case 'q':  // BINPUT
        memo_[cursor_.read<unsigned char>("place")] = top();
        return true;
      case 'r':  // LONG_BINPUT
        memo_[cursor_.read<std::uint32_t>("place")] = top();
        return true;
      case 'h':  // BINGET
        push(at(cursor_.read<unsigned char>("place")));
        return true;
      case 'j':  // LONG_BINGET
        push(at(cursor_.read<std::uint32_t>("place")));
        return true;
      default:
        return false;
    }
  }

  PickleValue& at(std::uint32_t place) const {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("a value at " + std::to_string(place), "none");
    return *found->second;
  }

  bool do_object(unsigned char opcode) {
    switch (opcode) {
      case 'Q':  // BINPERSID
        push(storage_of(*pop()));
        return true;
      case 'R':     // REDUCE
      case 0x81: {  // NEWOBJ: a type in place of the function
        const PickleValue* const arguments = pop();
        const PickleValue* const function = pop();
        push(made_by(*function, *arguments));
        return true;
      }
      case 'b':  // BUILD: what a state_dict has as attributes (_metadata) is not needed
        pop();
        top_of(Kind::dict, "a dict");
        return true;
      default:
        return false;
    }
  }

  // torch/serialization.py persistent_id: ("storage", type, key, place, elements).
  PickleValue& storage_of(const PickleValue& id) {
    const auto& items = id.items;
    const bool is_storage = id.kind == Kind::tuple && items.size() == 5 &&
                            items[0]->kind == Kind::text && items[0]->text == "storage" &&
                            items[1]->kind == Kind::global && items[2]->kind == Kind::text &&
                            items[4]->kind == Kind::integer && items[4]->integer >= 0;
    const auto type = is_storage ? std::ranges::find(kStorageTypes, items[1]->text, &Storage::name)
                                 : kStorageTypes.end();
    if (type == kStorageTypes.end()) fail("a storage's type, key and size", "others");
    PickleValue& value = make(Kind::storage);
    value.text = items[2]->text;
    value.type = type->type;
    value.integer = items[4]->integer;
    return value;
  }

  // Result of a call of one of the known functions, as data.
  PickleValue& made_by(const PickleValue& function, const PickleValue& arguments) {
    const auto& items = arguments.items;
    if (function.kind != Kind::global || arguments.kind != Kind::tuple) {
      fail("a function and its arguments", "other values");
    }
    if ((function.text == kOrderedDict && items.empty()) || is_inert(function.text))
      return make(Kind::dict);
    if (function.text == kRebuildParameter && !items.empty() && items[0]->kind == Kind::tensor) {
      return *values_->insert(values_->end(), *items[0]);
    }
    if (function.text != kRebuildTensor || items.size() < 4 || items[0]->kind != Kind::storage ||
        items[1]->kind != Kind::integer || items[2]->kind != Kind::tuple ||
        items[3]->kind != Kind::tuple) {
      fail("a tensor's storage, offset, size and stride", "other arguments");
    }
    PickleValue& value = make(Kind::tensor);
    value.items.assign(items.begin(), items.begin() + 4);
    return value;
  }

  ByteCursor cursor_;
  const std::string& path_;
  std::deque<PickleValue>* values_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, PickleValue*> memo_;
};

}  // namespace

const PickleValue* PickleValue::find(const std::string& key) const {
  if (kind != Kind::dict) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->kind == Kind::text && items[i]->text == key) return items[i + 1];
  }
  return nullptr;
}

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& path)
    : root_(PickleMachine(bytes, path, values_).run()) {}

}  // namespace wnpu::models
