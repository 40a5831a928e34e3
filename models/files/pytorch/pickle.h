// A pickle as torch.save writes one for tensors (Python's pickle, protocol 2), read as data:
// values, and the few names of types that tensors need. Nothing is imported and nothing called;
// whatever else a pickle can say is refused by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wnpu::models {

// Elements of a storage.
enum class StorageType { f32, f16, bf16, other };

struct PickleValue {
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    text,
    tuple,    // items
    list,     // items
    dict,     // keys and values in turn, in items
    global,   // text: "torch._utils _rebuild_tensor_v2"
    storage,  // text: key; type, integer: elements
    tensor,   // items: storage, offset, size, stride
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  StorageType type = StorageType::other;
  std::vector<const PickleValue*> items;

  // The value under a text key of a dict; nullptr: there is none.
  const PickleValue* find(const std::string& key) const;
};

class Pickle {
 public:
  // `path` goes into the messages. Throws ModelError.
  Pickle(std::span<const std::byte> bytes, const std::string& path);

  const PickleValue& root() const { return *root_; }

 private:
  std::deque<PickleValue> values_;  // all there are, so that cycles and depth cost nothing
  const PickleValue* root_ = nullptr;
};

}  // namespace wnpu::models
