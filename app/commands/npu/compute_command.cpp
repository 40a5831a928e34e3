#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/npu/compute_report.h"
#include "app/commands/npu/npu_command.h"
#include "app/commands/npu/npy_file.h"
#include "app/engine/whisper_npu_tensor.hpp"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/output/written_file.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"
#include "npu/design/target.h"

namespace wnpu::app {
namespace {

constexpr std::array<std::string_view, 3> kOperandTypes{"bf16", "int8", "int16"};

struct Computation {
  std::vector<std::string> operands;  // for --help
  std::string output;
  bool overwrites = false;
  std::string device = "sim";
  TensorDeviceOptions device_options;
  std::string type{kOperandTypes[0]};
  std::optional<double> scale;
  std::optional<std::uint64_t> memory_limit;
  bool json = false;
};

void add_compute_options(CLI::App& app, Computation& computation) {
  TensorDeviceOptions& device = computation.device_options;
  app.add_option("-o,--output", computation.output, "File for the result, whole or not at all")
      ->type_name("FILE.npy");
  app.add_flag("--overwrite", computation.overwrites, "Replace that file");
  app.add_option("--device", computation.device, "sim, npu, or npu:N for the Nth of several")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--xclbin", device.xclbin, "The NPU's overlay, with its manifest beside it")
      ->type_name("PATH");
  add_preset(app, device.preset, "Whose times the simulator models");
  add_integer(app, "--threads", device.threads, {{0, 1024}, 0},
              "Of the simulator; 0: as many as there are CPUs");
  add_size(app, "--memory-limit", computation.memory_limit,
           "Of the device; larger operations are cut into calls");
  app.add_flag("--json", computation.json, "What was done as JSON on stdout");
}

using Operands = std::vector<Tensor>;
using Submit = TensorHandle (*)(TensorDevice&, Operands, const Computation&);

struct Operation {
  const char* name;
  const char* help;
  const char* operands;
  std::size_t n_operands;
  void (*add_options)(CLI::App&, Computation&);
  Submit submit;
};

Operands read_operands(const Operation& operation, const std::vector<std::string>& paths) {
  if (paths.size() != operation.n_operands) {
    throw UsageError("npu compute " + std::string(operation.name) + ": expected " +
                     std::to_string(operation.n_operands) + " files (" + operation.operands +
                     "), found " + std::to_string(paths.size()));
  }
  Operands operands;
  for (const std::string& path : paths) operands.push_back(read_npy(path));
  return operands;
}

int compute(const Operation& operation, const Computation& computation,
            const std::vector<std::string>& paths) {
  if (computation.output.empty()) throw UsageError("npu compute: --output is required");
  require_free_file(computation.output, computation.overwrites, paths);
  Operands operands = read_operands(operation, paths);
  TensorDevice device(computation.device, computation.device_options);
  device.set_memory_limit(computation.memory_limit);
  const TensorHandle handle = operation.submit(device, std::move(operands), computation);
  const TensorResult& result = handle.result();
  write_file(computation.output, npy_bytes(result.value), !computation.overwrites);
  Messages(std::cerr, Verbosity::normal, false).note(report_text(result.report));
  if (computation.json) print_report(report_json(result.report));
  return static_cast<int>(ExitCode::ok);
}

void add_nothing(CLI::App& /*app*/, Computation& /*computation*/) {}

void add_type(CLI::App& app, Computation& computation) {
  add_name(app, "--type", kOperandTypes, computation.type, "What the array takes operands in");
}

void add_scale(CLI::App& app, Computation& computation) {
  app.add_option("--scale", computation.scale, "Of the scores; 1 / sqrt(width) if not given")
      ->type_name("NUMBER");
}

constexpr std::array kOperations{
    Operation{"matmul", "A [m, k] times B [k, n]", "A.npy B.npy", 2, add_type,
              [](TensorDevice& device, Operands x, const Computation& computation) {
                return device.matmul(std::move(x[0]), std::move(x[1]), computation.type);
              }},
    Operation{"softmax", "Softmax of each row", "X.npy", 1, add_nothing,
              [](TensorDevice& device, Operands x, const Computation&) {
                return device.softmax(std::move(x[0]));
              }},
    Operation{"layer-norm", "Each row to mean 0 and variance 1", "X.npy", 1, add_nothing,
              [](TensorDevice& device, Operands x, const Computation&) {
                return device.layer_norm(std::move(x[0]));
              }},
    Operation{"gelu", "GELU of each value", "X.npy", 1, add_nothing,
              [](TensorDevice& device, Operands x, const Computation&) {
                return device.gelu(std::move(x[0]));
              }},
    Operation{"attention", "softmax(scale Q K^T) V, of each head where there are three sizes",
              "Q.npy K.npy V.npy", 3, add_scale,
              [](TensorDevice& device, Operands x, const Computation& computation) {
                return device.attention(std::move(x[0]), std::move(x[1]), std::move(x[2]),
                                        computation.scale);
              }}};

Subcommand action_of_compute(const Operation& operation) {
  const auto computation = std::make_shared<Computation>();
  return {operation.name, operation.help,
          [computation, &operation](CLI::App& app) {
            app.add_option("files", computation->operands, operation.operands);
            operation.add_options(app, *computation);
            add_compute_options(app, *computation);
          },
          [computation, &operation](const std::vector<std::string>& files) {
            return compute(operation, *computation, files);
          }};
}

}  // namespace

Subcommand compute_action() {
  Subcommand compute{"compute",
                     "One tensor operation on an NPU or its simulator, from .npy files to one",
                     {},
                     {},
                     {}};
  for (const Operation& operation : kOperations)
    compute.actions.push_back(action_of_compute(operation));
  return compute;
}

}  // namespace wnpu::app
