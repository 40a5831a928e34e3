// An archive of torch.save: its pickle, as data, and tensors where they lie in it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/files/pytorch/pickle.h"
#include "models/files/tensor_view.h"

namespace wnpu::models {

class TorchArchive {
 public:
  // Tensors may have `max_rank` extents. `path` goes into the messages. Throws ModelError.
  TorchArchive(std::span<const std::byte> file, std::string path, std::size_t max_rank = kMaxRank);

  // The bytes of data.pkl, to be read by Pickle.
  std::span<const std::byte> pickled() const { return pickled_; }
  // Tensors of a state dict by their names, views into the file. Integers among them (step
  // counters) are left out where `floats_alone`. Throws ModelError, also for anything else.
  enum class Numbers { all, floats_alone };
  std::map<std::string, TensorView> tensors(const PickleValue& state, Numbers numbers) const;

  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& found) const;

 private:
  std::span<const std::byte> find_pickle();
  void check_byte_order() const;
  TensorView view_of(const std::string& name, const PickleValue& tensor) const;
  std::vector<std::size_t> sizes_of(const std::string& name, const PickleValue& tuple) const;
  std::span<const std::byte> storage_bytes_of(const std::string& name, const PickleValue& storage,
                                              DType dtype) const;
  void check_strides(const std::string& name, const std::vector<std::size_t>& shape,
                     const std::vector<std::size_t>& strides) const;

  std::string path_;
  std::size_t max_rank_;
  std::map<std::string, std::span<const std::byte>> members_;
  std::string folder_;
  std::span<const std::byte> pickled_;
};

}  // namespace wnpu::models
