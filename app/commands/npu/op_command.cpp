#include "app/commands/npu/op_command.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/system/write_all.h"
#include "npu/design/target.h"
#include "npu/ops/bench.h"
#include "npu/ops/outside/library.h"
#include "npu/ops/registry.h"
#include "npu/ops/report.h"
#include "npu/ops/validate.h"

namespace wnpu::app {
namespace {

struct Request {
  std::vector<std::string> outside;  // libraries and folders
  std::vector<std::string> names;    // for --help
  std::string sizes;                 // "64,64"
  std::size_t shapes = npu::ValidationOptions{}.shapes;
  std::uint64_t seed = npu::ValidationOptions{}.seed;
  std::string preset{npu::kDefaultPreset};
  std::size_t runs = 100;
  bool json = false;
};

void add_operator_options(CLI::App& app, Request& request) {
  app.add_option("--operator", request.outside,
                 "One from outside, repeatable: a shared library, or a folder with operator.cpp")
      ->type_name("PATH");
  app.add_flag("--json", request.json, "JSON on stdout instead of text");
}

void add_operator_name(CLI::App& app, Request& request) {
  app.add_option("name", request.names, "The operator: one of `npu op list`");
}

void add_sizes(CLI::App& app, Request& request, const std::string& otherwise) {
  app.add_option("--sizes", request.sizes, "Of the tile, in the operator's order; " + otherwise)
      ->type_name("N,N,...");
}

npu::OperatorRegistry registry_of(const Request& request) {
  npu::OperatorRegistry registry;
  for (const std::string& path : request.outside) registry.add(npu::load_operator(path));
  return registry;
}

std::shared_ptr<const npu::Operator> operator_of(const Request& request,
                                                 const std::vector<std::string>& names) {
  if (names.size() != 1) throw UsageError("npu op: expected one operator (see `npu op list`)");
  const npu::OperatorRegistry registry = registry_of(request);
  auto op = registry.find(names.front());
  if (op) return op;
  std::string known;
  for (const auto& each : registry.all()) known += (known.empty() ? "" : ", ") + each->name;
  throw UsageError("npu op: expected one of " + known + ", found " + names.front());
}

// Throws UsageError where they are not the operator's.
std::optional<npu::Sizes> sizes_of(const Request& request, const npu::Operator& op) {
  if (request.sizes.empty()) return std::nullopt;
  npu::Sizes sizes;
  try {
    for (const std::string& text : CLI::detail::split(request.sizes, ',')) {
      sizes.push_back(parse_integer("--sizes", text, {{1, 1U << 20U}}));
    }
  } catch (const CLI::ValidationError& error) {  // the command line has been parsed by now
    throw UsageError(error.what());
  }
  const std::string fault = op.size_fault(sizes);
  if (!fault.empty()) throw UsageError("--sizes: " + op.name + ": " + fault);
  return sizes;
}

int print_result(const std::string& text, bool is_good = true) {
  print_report(text);
  return static_cast<int>(is_good ? ExitCode::ok : ExitCode::some_failed);
}

int list_operators(const Request& request) {
  const npu::OperatorRegistry registry = registry_of(request);
  return print_result(request.json ? npu::list_json(registry) : npu::list_text(registry));
}

int describe(const Request& request, const std::vector<std::string>& names) {
  const auto op = operator_of(request, names);
  return print_result(request.json ? npu::description_json(*op) : npu::description_text(*op));
}

int validate(const Request& request, const std::vector<std::string>& names) {
  const auto op = operator_of(request, names);
  const npu::Validation result =
      npu::validate(*op, {request.shapes, request.seed, sizes_of(request, *op)});
  return print_result(
      request.json ? npu::validation_json(*op, result) : npu::validation_text(*op, result),
      result.holds());
}

int bench(const Request& request, const std::vector<std::string>& names) {
  const auto op = operator_of(request, names);
  const npu::TimePreset preset = npu::find_preset(request.preset);
  const npu::OperatorTimes times =
      npu::bench(*op, preset, sizes_of(request, *op).value_or(npu::usual_sizes(*op)), request.runs);
  return print_result(request.json ? npu::times_json(*op, times, preset.name)
                                   : npu::times_text(*op, times, preset.name));
}

using AddOptions = void (*)(CLI::App&, Request&);
using Work = int (*)(const Request&, const std::vector<std::string>&);

Subcommand action_of_op(const char* name, const char* help, AddOptions add_options, Work work) {
  const auto request = std::make_shared<Request>();
  return {name, help,
          [request, add_options](CLI::App& app) {
            add_options(app, *request);
            add_operator_options(app, *request);
          },
          [request, work](const std::vector<std::string>& names) { return work(*request, names); }};
}

}  // namespace

Subcommand op_action() {
  const auto add_validate_options = [](CLI::App& app, Request& request) {
    add_operator_name(app, request);
    add_sizes(app, request, "many if not given");
    add_integer(app, "--shapes", request.shapes, {{0, 10000}},
                "Random shapes, besides the smallest and the longest");
    add_integer(app, "--seed", request.seed, {{0, 1U << 30U}}, "Of shapes and values");
  };
  const auto add_bench_options = [](CLI::App& app, Request& request) {
    add_operator_name(app, request);
    add_sizes(app, request, "moderate ones if not given");
    add_preset(app, request.preset, "Whose times are modelled: CLOCK/KERNELS");
    add_integer(app, "--runs", request.runs, {{1, 1000000}}, "Of the CPU's reference");
  };
  return {
      "op",
      "Operators of the array: what they are, whether they are right, how fast",
      {},
      {},
      {action_of_op(
           "list", "All operators, and whether a core or the CPU runs them",
           [](CLI::App&, Request&) {},
           [](const Request& request, const std::vector<std::string>&) {
             return list_operators(request);
           }),
       action_of_op("describe", "Shapes, types, attributes, bound, steps and cost of one",
                    add_operator_name, describe),
       action_of_op("validate",
                    "Tile kernel and CPU reference against fp64, over shapes and hostile values",
                    add_validate_options, validate),
       action_of_op("bench", "A tile's time: of a core as modelled, of the CPU as measured",
                    add_bench_options, bench)}};
}

}  // namespace wnpu::app
