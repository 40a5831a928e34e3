#include "encoder/ort/ort_placement.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "encoder/ort/ort_provider.h"
#include "npu/device.h"

namespace wnpu::encoder {
namespace {

struct Nodes {
  std::size_t count = 0;
  std::set<std::string> operators;
};

std::map<std::string, Nodes> nodes_by_provider(const OrtLibrary& library,
                                               const OrtSession* session) {
  const OrtApi& api = library.api();
  const OrtEpAssignedSubgraph* const* parts = nullptr;
  std::size_t n_parts = 0;
  library.check(api.Session_GetEpGraphAssignmentInfo(session, &parts, &n_parts), "placement");
  std::map<std::string, Nodes> all;
  for (std::size_t i = 0; i < n_parts; ++i) {
    const char* provider = nullptr;
    const OrtEpAssignedNode* const* nodes = nullptr;
    std::size_t n_nodes = 0;
    library.check(api.EpAssignedSubgraph_GetEpName(parts[i], &provider), "placement");
    library.check(api.EpAssignedSubgraph_GetNodes(parts[i], &nodes, &n_nodes), "placement");
    Nodes& its = all[provider];
    its.count += n_nodes;
    for (std::size_t j = 0; j < n_nodes; ++j) {
      const char* type = nullptr;
      library.check(api.EpAssignedNode_GetOperatorType(nodes[j], &type), "placement");
      its.operators.insert(type);
    }
  }
  return all;
}

std::string with_commas(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

bool is_own(const OrtPlacement& part, const OrtTarget& target) {
  return short_provider_name(part.provider) == target.provider;
}

}  // namespace

std::vector<OrtPlacement> placement_of(const OrtLibrary& library, const OrtSession* session,
                                       const OrtTarget& target) {
  std::vector<OrtPlacement> all;
  for (const auto& [provider, nodes] : nodes_by_provider(library, session)) {
    all.push_back({provider, nodes.count, with_commas(nodes.operators)});
  }
  const auto its =
      std::find_if(all.begin(), all.end(), [&](const auto& part) { return is_own(part, target); });
  if (its == all.end()) {
    all.insert(all.begin(), {target.provider, 0, ""});
  } else {
    std::rotate(all.begin(), its, its + 1);
  }
  return all;
}

void refuse_other_providers(const std::vector<OrtPlacement>& placement, const OrtTarget& target) {
  std::size_t all = 0;
  std::string elsewhere;
  for (const OrtPlacement& part : placement) {
    all += part.n_nodes;
    if (is_own(part, target)) continue;
    elsewhere += (elsewhere.empty() ? "" : "; ") + std::to_string(part.n_nodes) + " on " +
                 part.provider + " (" + part.operators + ")";
  }
  if (elsewhere.empty()) return;
  throw npu::DeviceError("ort:" + target.text() + ": expected all " + std::to_string(all) +
                         " nodes of the encoder on this provider, found " + elsewhere +
                         " (hint: --fallback cpu allows it)");
}

std::optional<std::vector<OrtPlacement>> read_placement(const std::filesystem::path& file) {
  std::vector<OrtPlacement> all;
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) {
    std::istringstream fields(line);
    OrtPlacement part;
    if (!(fields >> part.provider >> part.n_nodes)) return std::nullopt;
    std::getline(fields >> std::ws, part.operators);
    all.push_back(std::move(part));
  }
  if (all.empty()) return std::nullopt;
  return all;
}

bool write_placement(const std::filesystem::path& file,
                     const std::vector<OrtPlacement>& placement) {
  std::ofstream output(file, std::ios::trunc);
  for (const OrtPlacement& part : placement) {
    output << part.provider << ' ' << part.n_nodes << ' ' << part.operators << '\n';
  }
  output.close();
  return !output.fail();
}

}  // namespace wnpu::encoder
