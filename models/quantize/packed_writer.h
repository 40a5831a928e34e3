// Writes a packed model file, section by section, in one go.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/base/folder.h"
#include "models/files/model_file.h"
#include "models/files/operand_store.h"

namespace wnpu::models {

// Made a store of the file whose weights are packed (ModelFile::use_operands), it writes each
// operand as it is made.
class PackedWriter final : public OperandStore {
 public:
  // Writes all but the operands. The sink must outlive the writer, which throws what it throws.
  PackedWriter(const Sink& sink, const ModelFile& source, const PackedOrigin& origin);

  const Packing& packing() const override { return packing_; }
  const PackedOperand* find(const std::string& /*key*/) const override { return nullptr; }
  // Several precisions have some of them in common: what is there already is not written again.
  void keep(const std::string& key, const PackedOperand& made) override;
  // The index and the tail; last.
  void finish();

 private:
  void write(std::span<const std::byte> bytes);
  // Its place: offset, size, checksum.
  nlohmann::json section(std::span<const std::byte> bytes);
  void add_tensors(const ModelFile& source);
  void add_tokens(const std::vector<std::string>& tokens);

  const Sink& sink_;
  Packing packing_;
  std::uint64_t offset_ = 0;
  nlohmann::json index_;
  std::set<std::string> kept_;
};

}  // namespace wnpu::models
