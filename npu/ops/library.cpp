#include "npu/ops/library.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

#include "npu/kernel/tile_kernels.h"
#include "npu/ops/operand_values.h"

namespace wnpu::npu {
namespace {

constexpr std::uint64_t kMost = 16;             // of sizes, attributes and operands
constexpr std::size_t kMostStructBytes = 4096;  // of any version's struct
constexpr std::uint64_t kTypeCount = 4;
constexpr std::uint64_t kMostOfSize = 1u << 16u;

class Library {
 public:
  explicit Library(const std::string& path)
      : handle_(::dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw OperatorError(path + ": no shared library: " + ::dlerror());
  }
  ~Library() { ::dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <typename F>
  F* find(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;
};

// Reads a library's struct field by field, and refuses what makes no sense.
class OperatorReader {
 public:
  OperatorReader(const whisper_npu_operator& c, std::string source)
      : c_(c), source_(std::move(source)) {}

  Operator read(const std::shared_ptr<Library>& library) {
    check_struct();
    Operator op;
    op.source = source_;
    op.name = name("name", c_.name);
    op.summary = c_.summary == nullptr ? "" : c_.summary;
    read_sizes(op);
    read_attributes(op);
    op.inputs = operands("input", c_.inputs, c_.n_inputs, op.sizes);
    op.outputs = operands("result", c_.outputs, c_.n_outputs, op.sizes);
    if (!(c_.largest >= 0)) refuse("largest", "0 or more", std::to_string(c_.largest));
    op.largest = c_.largest;
    op.keeps_nan = c_.keeps_nan != 0;
    if (c_.exact == nullptr) refuse("exact", "a function", "NULL");
    if (c_.reference == nullptr) refuse("reference", "a function", "NULL");
    op.exact = calling(library, c_.exact, "exact");
    op.reference = calling(library, c_.reference, "reference");
    if (c_.tile != nullptr) {
      op.tile = [run = calling(library, c_.tile, "tile")](const OperatorCall& call) {
        const kernel::ArrayFloatMode mode;
        run(call);
      };
    }
    read_cycles(library, op);
    return op;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& expected,
                           const std::string& found) const {
    throw OperatorError(source_ + ": " + what + ": expected " + expected + ", found " + found);
  }

  void check_struct() const {
    if (c_.version != WHISPER_NPU_OPERATOR_VERSION) {
      refuse("version", std::to_string(WHISPER_NPU_OPERATOR_VERSION), std::to_string(c_.version));
    }
    if (c_.size < sizeof(c_) || c_.size > kMostStructBytes || c_.size % sizeof(void*) != 0) {
      refuse("size",
             "that of whisper_npu_operator, " + std::to_string(sizeof(c_)) + " bytes or more",
             std::to_string(c_.size));
    }
  }

  std::string name(const std::string& what, const char* text) const {
    std::string found = text == nullptr ? "" : text;
    const bool is_name = !found.empty() && std::ranges::all_of(found, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_';
    });
    if (!is_name) refuse(what, "letters, digits and _", "\"" + found + "\"");
    return found;
  }

  template <typename T>
  std::span<const T> list(const std::string& what, const T* first, std::uint64_t n,
                          std::uint64_t least) const {
    if (n < least || n > kMost) {
      refuse(what, std::to_string(least) + " to " + std::to_string(kMost), std::to_string(n));
    }
    if (first == nullptr && n > 0) refuse(what, "a list", "NULL");
    return {first, n};
  }

  void read_sizes(Operator& op) const {
    for (const auto& size : list("sizes", c_.sizes, c_.n_sizes, 1)) {
      const std::string text = name("size", size.name);
      if (size.multiple == 0 || size.most < size.multiple || size.most > kMostOfSize) {
        refuse("size " + text,
               "multiple of at least 1, most from it to " + std::to_string(kMostOfSize),
               std::to_string(size.multiple) + " and " + std::to_string(size.most));
      }
      op.sizes.push_back({text, size.multiple, size.most});
    }
  }

  void read_attributes(Operator& op) const {
    for (const auto& a : list("attributes", c_.attributes, c_.n_attributes, 0)) {
      op.attributes.push_back(
          {name("attribute", a.name), a.value, a.meaning == nullptr ? "" : a.meaning});
    }
  }

  std::vector<Operand> operands(const std::string& what, const whisper_npu_operand* first,
                                std::uint64_t n, const std::vector<OperatorSize>& sizes) const {
    std::vector<Operand> found;
    for (const auto& c : list(what + "s", first, n, 1)) {
      Operand operand;
      operand.name = name(what, c.name);
      const std::string where = what + " " + operand.name;
      if (c.type >= kTypeCount) refuse(where + ": type", "0 to 3", std::to_string(c.type));
      operand.type = static_cast<ElementType>(c.type);
      operand.rows = size_index(where + ": rows", c.rows, sizes);
      if (c.columns != -1) operand.columns = size_index(where + ": columns", c.columns, sizes);
      operand.tile_rows = tile_of(where, c.tile_rows, sizes[operand.rows].multiple);
      operand.tile_columns =
          tile_of(where, c.tile_columns, c.columns == -1 ? 1 : sizes[operand.columns].multiple);
      const bool is_bound = c.absolute >= 0 && c.relative >= 0 && std::isfinite(c.absolute) &&
                            std::isfinite(c.relative);
      if (!is_bound) refuse(where + ": bound", "numbers from 0 on", "others");
      operand.bound = [bound = ErrorBound{c.absolute, c.relative}](const Sizes&) { return bound; };
      found.push_back(std::move(operand));
    }
    return found;
  }

  std::size_t size_index(const std::string& where, std::int64_t index,
                         const std::vector<OperatorSize>& sizes) const {
    if (index < 0 || static_cast<std::size_t>(index) >= sizes.size()) {
      refuse(where, "one of " + std::to_string(sizes.size()) + " sizes", std::to_string(index));
    }
    return static_cast<std::size_t>(index);
  }

  std::size_t tile_of(const std::string& where, std::uint64_t tile, std::size_t multiple) const {
    if (tile == 0) return 1;
    if (multiple % tile != 0) {
      refuse(where + ": tiles", "a divisor of " + std::to_string(multiple), std::to_string(tile));
    }
    return tile;
  }

  // The library lives as long as the function.
  std::function<void(const OperatorCall&)> calling(std::shared_ptr<Library> library,
                                                   whisper_npu_operator_function function,
                                                   const char* what) const {
    return
        [library = std::move(library), function,
         where = source_ + ": " + name("name", c_.name) + ": " + what](const OperatorCall& call) {
          int result = 0;
          try {
            result = function(&call);
          } catch (...) {
            throw OperatorError(where + ": expected no exception, found one");
          }
          if (result != 0) throw OperatorError(where + ": failed with " + std::to_string(result));
        };
  }

  void read_cycles(const std::shared_ptr<Library>& library, Operator& op) const {
    if (c_.cycles == nullptr) return;
    if (c_.cycles_provenance == WHISPER_NPU_CYCLES_NONE ||
        c_.cycles_provenance > WHISPER_NPU_CYCLES_ASSUMED) {
      refuse("cycles_provenance", "1 to 3", std::to_string(c_.cycles_provenance));
    }
    constexpr Provenance kKinds[] = {Provenance::measured, Provenance::counted,
                                     Provenance::assumed};
    op.cost = [library, cycles = c_.cycles, attributes = op.attribute_values(),
               kind = kKinds[c_.cycles_provenance - 1],
               text = std::string(c_.cycles_source == nullptr ? "its maker" : c_.cycles_source)](
                  const Sizes& sizes) {
      return std::optional(TileCost{cycles(sizes.data(), attributes.data()), kind, text});
    };
  }

  const whisper_npu_operator& c_;
  std::string source_;
};

// A first call of the references on the smallest tile, of ordinary values: what would otherwise be
// found in the middle of a run.
constexpr std::size_t kGuards = 16;  // elements behind each result
constexpr int kMark = 12345;         // no result of an ordinary value by chance

template <typename T>
void check_output(const std::vector<T>& found, std::size_t n, const std::string& where) {
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isfinite(found[i])) continue;
    throw OperatorError(where + "[" + std::to_string(i) +
                        "]: expected a finite number from ordinary " + "values, found " +
                        std::to_string(found[i]));
  }
  for (std::size_t i = n; i < found.size(); ++i) {
    if (found[i] == static_cast<T>(kMark)) continue;
    throw OperatorError(where + ": expected " + std::to_string(n) +
                        " elements, found one written behind them");
  }
}

template <typename T>
void probe_operator(const Operator& op, const std::function<void(const OperatorCall&)>& run,
                    const std::string& name) {
  Sizes sizes;
  for (const OperatorSize& size : op.sizes) sizes.push_back(size.multiple);
  std::vector<std::vector<T>> inputs, outputs;
  for (const Operand& operand : op.inputs) {
    auto& values = inputs.emplace_back(operand.elements(sizes));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 5) - T{2};
  }
  for (const Operand& operand : op.outputs) {
    auto& values = outputs.emplace_back(operand.elements(sizes) + kGuards, static_cast<T>(kMark));
    std::fill_n(values.begin(), operand.elements(sizes), std::numeric_limits<T>::quiet_NaN());
  }
  const std::vector<double> attributes = op.attribute_values();
  run(CallArrays::of(inputs, outputs).call(sizes, attributes));
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    check_output(outputs[o], op.outputs[o].elements(sizes),
                 op.source + ": " + op.name + ": " + name + ": " + op.outputs[o].name);
  }
}

}  // namespace

std::shared_ptr<const Operator> load_operator(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw OperatorError(path + ": expected a shared library, found nothing");
  }
  const auto library = std::make_shared<Library>(path);
  const auto entry =
      library->find<decltype(whisper_npu_operator_entry)>(WHISPER_NPU_OPERATOR_ENTRY);
  if (entry == nullptr) {
    throw OperatorError(path + ": expected a function " WHISPER_NPU_OPERATOR_ENTRY ", found none");
  }
  const whisper_npu_operator* const c = entry(WHISPER_NPU_OPERATOR_VERSION);
  if (c == nullptr) {
    throw OperatorError(path + ": expected an operator of version " +
                        std::to_string(WHISPER_NPU_OPERATOR_VERSION) +
                        ", found none: the library knows another version");
  }
  Operator op = OperatorReader(*c, path).read(library);
  probe_operator<double>(op, op.exact, "exact");
  probe_operator<float>(op, op.reference, "reference");
  return std::make_shared<const Operator>(std::move(op));
}

}  // namespace wnpu::npu
