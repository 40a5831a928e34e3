// Control program: operations of the array's controller for a call, in order. One list, for there
// is one controller, and an operation that waits at its head holds back all that follow. encode()
// writes the transaction format that the firmware reads (mlir-aie lib/Targets/AIETargetNPU.cpp,
// "npu.*" operations).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "npu/control/buffer_descriptor.h"
#include "npu/control/registers.h"

namespace wnpu::npu {

// A descriptor's registers, as one block.
struct WriteDescriptor {
  TileId tile;
  int descriptor = 0;
  BufferDescriptor content;
  bool operator==(const WriteDescriptor&) const = default;
};

// Adds the address of an argument of the call, and `offset` bytes, to a shim's descriptor.
struct PatchAddress {
  RegisterAddress place = 0;  // ddr_address_register()
  std::uint32_t argument = 0;
  std::uint64_t offset = 0;
  bool operator==(const PatchAddress&) const = default;
};

// Gives the tokens of a channel's finished tasks the packet id of a route (Design::token_routes).
// The register's name for it is controller id.
struct RouteTokens {
  DmaPort port;
  int controller = 0;
  bool operator==(const RouteTokens&) const = default;
};

// Gives a channel a task: `repeats` times the chain that begins with a descriptor. A channel holds
// kTaskQueueDepth tasks; one more is lost.
struct PushTask {
  DmaPort port;
  int descriptor = 0;
  std::uint32_t repeats = 1;
  bool has_token = false;  // sends one when the task is finished
  bool operator==(const PushTask&) const = default;
};

struct SetLock {
  TileId tile;
  int lock = 0;
  int value = 0;
  bool operator==(const SetLock&) const = default;
};

// Waits for one token of the same channel of `columns` x `rows` tiles from `port.tile` on.
struct WaitForTokens {
  DmaPort port;
  int columns = 1;
  int rows = 1;
  bool operator==(const WaitForTokens&) const = default;
};

// Registers that are none of the above, by their address.
struct WriteRegister {
  RegisterAddress address = 0;
  std::uint32_t value = 0;
  bool operator==(const WriteRegister&) const = default;
};
struct WriteMasked {
  RegisterAddress address = 0;
  std::uint32_t value = 0;
  std::uint32_t mask = 0;
  bool operator==(const WriteMasked&) const = default;
};
struct WriteBlock {
  RegisterAddress address = 0;
  std::vector<std::uint32_t> words;
  bool operator==(const WriteBlock&) const = default;
};

using Operation = std::variant<WriteDescriptor, PatchAddress, RouteTokens, PushTask, SetLock,
                               WaitForTokens, WriteRegister, WriteMasked, WriteBlock>;

// The array that a program is for, as its header says.
struct ArrayShape {
  int generation = 0;  // 3: XDNA1 (AIE-ML), 4: XDNA2
  int rows = 0;        // of tiles, shim and mem tiles included
  int columns = 0;
  int mem_tile_rows = 0;
  bool operator==(const ArrayShape&) const = default;
};
ArrayShape array_shape(const Target& target);

struct ControlProgram {
  ArrayShape shape;
  std::vector<Operation> operations;
  bool operator==(const ControlProgram&) const = default;
};

// Operation as untyped register writes, address patches and waits.
using PlainOperation =
    std::variant<PatchAddress, WaitForTokens, WriteRegister, WriteMasked, WriteBlock>;
PlainOperation without_type(const Operation& operation);

// encode(): the bytes of `program` in the firmware's transaction format. Throws ControlError for a
// value that its register cannot hold.
std::size_t encoded_bytes(const Operation& operation);
std::vector<std::byte> encode(const ControlProgram& program);
// Every operation that has a type of its own has it; what is encoded again is the same bytes.
// Throws ControlError with the offset, what was expected and what was found.
ControlProgram decode(std::span<const std::byte> bytes);

}  // namespace wnpu::npu
