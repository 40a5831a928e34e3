#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/commands/npu/npu_command.h"
#include "app/formats/text_table.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/system/write_all.h"
#include "npu/ops/library.h"
#include "npu/ops/report.h"

namespace wnpu::app {
namespace {

struct Request {
  std::vector<std::string> outside;  // libraries
  std::vector<std::string> names;    // for --help
  std::string sizes;                 // "64,64"
  std::size_t shapes = npu::ValidationOptions{}.shapes;
  std::uint64_t seed = npu::ValidationOptions{}.seed;
  bool json = false;
};

void add_operator_options(CLI::App& app, Request& request) {
  app.add_option("--operator", request.outside,
                 "A shared library with one from outside; repeatable")
      ->type_name("PATH");
  app.add_flag("--json", request.json, "JSON on stdout instead of text");
}

void add_describe_options(CLI::App& app, Request& request) {
  app.add_option("name", request.names, "The operator: one of `npu op list`");
  add_operator_options(app, request);
}

void add_validate_options(CLI::App& app, Request& request) {
  app.add_option("name", request.names, "The operator: one of `npu op list`");
  app.add_option("--sizes", request.sizes,
                 "Of the tile, in the operator's order; many if not given")
      ->type_name("N,N,...");
  add_integer(app, "--shapes", request.shapes, {{0, 10000}},
              "Random shapes, besides the smallest and the longest");
  add_integer(app, "--seed", request.seed, {{0, 1U << 30U}}, "Of shapes and values");
  add_operator_options(app, request);
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

int print_result(const Request& request, const nlohmann::ordered_json& report) {
  print_report(request.json ? report.dump(2) + "\n" : report_text(report));
  return static_cast<int>(report.value("holds", true) ? ExitCode::ok : ExitCode::some_failed);
}

int list_operators(const Request& request, const std::vector<std::string>& /*names*/) {
  return print_result(request, npu::list_of(registry_of(request)));
}

int describe(const Request& request, const std::vector<std::string>& names) {
  return print_result(request, npu::description_of(*operator_of(request, names)));
}

int validate(const Request& request, const std::vector<std::string>& names) {
  const auto op = operator_of(request, names);
  return print_result(request,
                      npu::validation_of(*op, npu::validate(*op, {request.shapes, request.seed,
                                                                  sizes_of(request, *op)})));
}

}  // namespace

Subcommand op_action() {
  return {"op",
          "Operators of the array: what they are, and whether they are right",
          {},
          {},
          {subcommand("list", "All operators, and whether a core or the CPU runs them",
                      add_operator_options, list_operators),
           subcommand("describe", "Shapes, types, attributes, bound, steps and cost of one",
                      add_describe_options, describe),
           subcommand("validate",
                      "Tile kernel and CPU reference against fp64, over shapes and hostile values",
                      add_validate_options, validate)}};
}

}  // namespace wnpu::app
