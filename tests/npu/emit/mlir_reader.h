// Reads back what npu/emit writes, and nothing else of MLIR: enough to compare a module's text with
// the Design and the control program that it was made of.
#pragma once

#include <cstdint>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "npu/control/control_program.h"

namespace wnpu::tests {

// Text of a module by the names in it.
struct ReadModule {
  std::string device;  // "npu1"
  std::vector<std::string>
      flows;  // "%t_0_0 DMA 1 -> %t_0_1 DMA 1", ", packet 2" behind those with one
  std::vector<std::string> tokens;       // "%t_0_1 -> %t_0_0, packet 14", of control ports
  std::vector<std::string> allocations;  // "%t_0_0 MM2S 1"
  struct Lock {
    std::string tile;
    int id = 0;
    int initial = 0;
  };
  std::map<std::string, Lock> locks;
  struct Buffer {
    std::string tile;
    std::size_t address = 0;
    std::size_t bytes = 0;
  };
  std::map<std::string, Buffer> buffers;
  std::vector<std::string> dma;    // lines within aie.mem, without values' tiles
  std::vector<std::string> cores;  // tiles with a program
  std::map<std::string, std::vector<npu::Operation>> sequences;
};

class MlirReader {
 public:
  static ReadModule read(const std::string& text) {
    MlirReader reader;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) reader.read_line(line);
    return std::move(reader.module_);
  }

 private:
  using Match = std::smatch;

  // A line with `word`, which the pattern has too, is worth its time.
  static bool matches(const std::string& line, const char* word, const char* pattern, Match& m) {
    if (line.find(word) == std::string::npos) return false;
    static std::map<const char*, std::regex> patterns;
    return std::regex_search(line, m, patterns.try_emplace(pattern, pattern).first->second);
  }
  static std::uint32_t word(const std::string& text) {
    return static_cast<std::uint32_t>(std::stoll(text));
  }
  static int number(const std::string& text) { return std::stoi(text); }

  void read_line(const std::string& line) {
    if (line.find("//") != std::string::npos) return;
    if (sequence_ != nullptr && line.find("aiex.npu.") != std::string::npos) {
      sequence_->push_back(operation(line));
      return;
    }
    Match m;
    if (matches(line, "aie.device(", R"(aie\.device\((\w+)\))", m)) module_.device = m[1];
    if (matches(line, "aie.runtime_sequence", R"(aie\.runtime_sequence @(\w+)\()", m))
      sequence_ = &module_.sequences[m[1]];
    if (matches(line, "memref.global", R"(memref\.global .* @(\w+) : .* = dense<\[(.*)\]>)", m)) {
      globals_[m[1]] = words(m[2]);
    }
    if (matches(line, "arith.constant", R"((%c\d+) = arith\.constant (-?\d+) : i32)", m)) {
      constants_[m[1]] = word(m[2]);
    }
    read_device_line(line);
  }

  void read_device_line(const std::string& line) {
    Match m;
    if (matches(line, "aie.flow(", R"(aie\.flow\((\S+), DMA : (\d), (\S+), DMA : (\d)\))", m)) {
      add_flow(m[1], m[2], m[3], m[4], "");
    }
    if (matches(line, "aie.packet_flow(", R"(aie\.packet_flow\((\d+)\))", m)) packet_ = m[1];
    if (matches(line, "aie.packet_source", R"(aie\.packet_source<(\S+), DMA : (\d)>)", m)) {
      source_ = {m[1], m[2]};
    }
    if (matches(line, "aie.packet_source", R"(aie\.packet_source<(\S+), TileControl : 0>)", m)) {
      source_ = {m[1]};
    }
    if (matches(line, "aie.packet_dest", R"(aie\.packet_dest<(\S+), South : 0>)", m)) {
      module_.tokens.push_back(source_.at(0) + " -> " + m[1].str() + ", packet " + packet_);
    }
    if (matches(line, "aie.packet_dest", R"(aie\.packet_dest<(\S+), DMA : (\d)>)", m)) {
      add_flow(source_.at(0), source_.at(1), m[1], m[2], packet_);
    }
    if (matches(line, "aie.shim_dma_allocation",
                R"(aie\.shim_dma_allocation @\w+ \((\S+), (\w+), (\d)\))", m)) {
      module_.allocations.push_back(m[1].str() + " " + m[2].str() + " " + m[3].str());
    }
    if (matches(line, "aie.lock(", R"((%\w+) = aie\.lock\((\S+), (\d+)\) \{init = (\d+))", m)) {
      module_.locks[m[1]] = {m[2], number(m[3]), number(m[4])};
    }
    if (matches(line, "aie.buffer(",
                R"((%\w+) = aie\.buffer\((\S+)\) \{address = (\d+) .*memref<(\d+)xi8>)", m)) {
      module_.buffers[m[1]] = {m[2], word(m[3]), word(m[4])};
    }
    if (matches(line, "aie.core(", R"(= aie\.core\((\S+)\))", m)) module_.cores.push_back(m[1]);
    if (line.find("aie.dma(") != std::string::npos ||
        line.find("aie.use_lock(") != std::string::npos ||
        line.find("aie.dma_bd(") != std::string::npos) {
      module_.dma.push_back(line.substr(line.find("aie.")));
    }
  }

  void add_flow(const std::string& from, const std::string& from_channel, const std::string& to,
                const std::string& to_channel, const std::string& packet) {
    module_.flows.push_back(from + " DMA " + from_channel + " -> " + to + " DMA " + to_channel +
                            (packet.empty() ? "" : ", packet " + packet));
  }

  static std::vector<std::uint32_t> words(const std::string& text) {
    std::vector<std::uint32_t> result;
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');) result.push_back(word(item));
    return result;
  }

  // Values of the operands of "name(%c1, %c2) ...".
  std::vector<std::uint32_t> operands(const std::string& line) const {
    std::vector<std::uint32_t> values;
    for (std::size_t at = line.find("%c"); at != std::string::npos; at = line.find("%c", at + 1)) {
      const std::size_t end = line.find_first_not_of("0123456789", at + 2);
      values.push_back(constants_.at(line.substr(at, end - at)));
    }
    return values;
  }

  npu::Operation operation(const std::string& line) const {
    Match m;
    if (matches(line, "blockwrite(", R"(blockwrite\(%(\w+)\) \{address = (\d+) : ui32\})", m)) {
      return npu::WriteBlock{word(m[2]), globals_.at(m[1])};
    }
    const std::vector<std::uint32_t> values = operands(line);
    if (matches(line, "address_patch(",
                R"(address_patch\(%\w+ : i32\) \{addr = (\d+) : ui32, arg_idx = (\d+))", m)) {
      return npu::PatchAddress{word(m[1]), word(m[2]), values.at(0)};
    }
    if (line.find("maskwrite32(") != std::string::npos) {
      return npu::WriteMasked{values.at(0), values.at(1), values.at(2)};
    }
    if (line.find("write32(") != std::string::npos) {
      return npu::WriteRegister{values.at(0), values.at(1)};
    }
    if (line.find("sync(") != std::string::npos) return wait(values);
    throw std::runtime_error("unknown operation: " + line);
  }

  static npu::Operation wait(const std::vector<std::uint32_t>& v) {
    const auto value = [&](std::size_t i) { return static_cast<int>(v.at(i)); };
    const npu::TileId tile = value(1) == 0 ? npu::TileId{npu::TileKind::shim, value(0), 0}
                             : value(1) == 1
                                 ? npu::TileId{npu::TileKind::mem, value(0), 0}
                                 : npu::TileId{npu::TileKind::core, value(0), value(1) - 2};
    const auto direction = value(2) == 0 ? npu::Direction::s2mm : npu::Direction::mm2s;
    return npu::WaitForTokens{{tile, direction, value(3)}, value(4), value(5)};
  }

  ReadModule module_;
  std::map<std::string, std::vector<std::uint32_t>> globals_;
  std::map<std::string, std::uint32_t> constants_;
  std::vector<npu::Operation>* sequence_ = nullptr;
  std::string packet_;
  std::vector<std::string> source_;
};

}  // namespace wnpu::tests
