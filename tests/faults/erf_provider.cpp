// A plug-in provider of ONNX Runtime that computes Erf and nothing else; its option fail_at=N makes
// the N-th call of a session fail.
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <onnxruntime_c_api.h>
#include <string>
#include <vector>

namespace {

const OrtApi* api = nullptr;
constexpr const char* kName = "ErfExecutionProvider";

// Passes a failure on.
#define WNPU_TRY(call) \
  if (OrtStatus* const status = (call)) return status

std::vector<std::int64_t> shape_of(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  std::size_t n_dims = 0;
  if (api->GetTensorTypeAndShape(value, &info) != nullptr) return {};
  std::vector<std::int64_t> dims;
  if (api->GetDimensionsCount(info, &n_dims) == nullptr) {
    dims.resize(n_dims);
    if (api->GetDimensions(info, dims.data(), n_dims) != nullptr) dims.clear();
  }
  api->ReleaseTensorTypeAndShapeInfo(info);
  return dims;
}

OrtStatus* erf_of(OrtKernelContext* context) {
  const OrtValue* input = nullptr;
  WNPU_TRY(api->KernelContext_GetInput(context, 0, &input));
  const std::vector<std::int64_t> dims = shape_of(input);
  OrtValue* output = nullptr;
  WNPU_TRY(api->KernelContext_GetOutput(context, 0, dims.data(), dims.size(), &output));
  void* from = nullptr;
  void* to = nullptr;
  WNPU_TRY(api->GetTensorMutableData(const_cast<OrtValue*>(input), &from));  // NOLINT
  WNPU_TRY(api->GetTensorMutableData(output, &to));
  std::int64_t n = 1;
  for (const std::int64_t extent : dims) n *= extent;
  for (std::int64_t i = 0; i < n; ++i) {
    static_cast<float*>(to)[i] = std::erf(static_cast<const float*>(from)[i]);  // NOLINT
  }
  return nullptr;
}

struct Provider : OrtEp {
  int n_calls_left = 0;  // to the one that fails; 0: none does
};

struct Node : OrtNodeComputeInfo {
  Provider* provider = nullptr;
};

OrtStatus* ORT_API_CALL create_state(OrtNodeComputeInfo* /*node*/,
                                     OrtNodeComputeContext* /*context*/, void** state) {
  *state = nullptr;
  return nullptr;
}

OrtStatus* ORT_API_CALL compute(OrtNodeComputeInfo* node, void* /*state*/,
                                OrtKernelContext* context) {
  Provider& provider = *static_cast<Node*>(node)->provider;
  if (provider.n_calls_left > 0 && --provider.n_calls_left == 0) {
    return api->CreateStatus(ORT_EP_FAIL, "a planted fault");
  }
  return erf_of(context);
}

void ORT_API_CALL release_state(OrtNodeComputeInfo* /*node*/, void* /*state*/) {}

OrtStatus* ORT_API_CALL take_erf(OrtEp* /*provider*/, const OrtGraph* graph,
                                 OrtEpGraphSupportInfo* taken) noexcept {
  std::size_t n_nodes = 0;
  WNPU_TRY(api->Graph_GetNumNodes(graph, &n_nodes));
  std::vector<const OrtNode*> nodes(n_nodes);
  WNPU_TRY(api->Graph_GetNodes(graph, nodes.data(), n_nodes));
  for (const OrtNode* const node : nodes) {
    const char* type = nullptr;
    WNPU_TRY(api->Node_GetOperatorType(node, &type));
    if (std::string(type) != "Erf") continue;
    const OrtNodeFusionOptions options{ORT_API_VERSION, false};
    WNPU_TRY(api->GetEpApi()->EpGraphSupportInfo_AddNodesToFuse(taken, &node, 1, &options));
  }
  return nullptr;
}

OrtStatus* ORT_API_CALL compile(OrtEp* provider, const OrtGraph** /*graphs*/,
                                const OrtNode** /*nodes*/, std::size_t count,
                                OrtNodeComputeInfo** made, OrtNode** /*contexts*/) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    auto* const node = new Node;
    node->ort_version_supported = ORT_API_VERSION;
    node->CreateState = create_state;
    node->Compute = compute;
    node->ReleaseState = release_state;
    node->provider = static_cast<Provider*>(provider);
    made[i] = node;
  }
  return nullptr;
}

void ORT_API_CALL release_nodes(OrtEp* /*provider*/, OrtNodeComputeInfo** nodes,
                                std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) delete static_cast<Node*>(nodes[i]);
}

const char* ORT_API_CALL provider_name(const OrtEp* /*provider*/) noexcept { return kName; }
const char* ORT_API_CALL factory_name(const OrtEpFactory* /*factory*/) noexcept { return kName; }
const char* ORT_API_CALL vendor(const OrtEpFactory* /*factory*/) noexcept { return "test"; }
const char* ORT_API_CALL version(const OrtEpFactory* /*factory*/) noexcept { return "1.0.0"; }
std::uint32_t ORT_API_CALL vendor_id(const OrtEpFactory* /*factory*/) noexcept { return 0; }

OrtStatus* ORT_API_CALL supported(OrtEpFactory* factory, const OrtHardwareDevice* const* devices,
                                  std::size_t n_devices, OrtEpDevice** made, std::size_t most,
                                  std::size_t* n_made) noexcept {
  *n_made = 0;
  for (std::size_t i = 0; i < n_devices && *n_made < most; ++i) {
    if (api->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
    WNPU_TRY(
        api->GetEpApi()->CreateEpDevice(factory, devices[i], nullptr, nullptr, &made[(*n_made)++]));
  }
  return nullptr;
}

OrtStatus* ORT_API_CALL create(OrtEpFactory* /*factory*/, const OrtHardwareDevice* const* /*of*/,
                               const OrtKeyValuePairs* const* /*metadata*/, std::size_t /*n*/,
                               const OrtSessionOptions* options, const OrtLogger* /*logger*/,
                               OrtEp** made) noexcept {
  auto* const provider = new Provider;
  static_cast<OrtEp&>(*provider) = {};
  provider->ort_version_supported = ORT_API_VERSION;
  provider->GetName = provider_name;
  provider->GetCapability = take_erf;
  provider->Compile = compile;
  provider->ReleaseNodeComputeInfos = release_nodes;
  std::array<char, 16> text{};
  std::size_t size = text.size();
  if (OrtStatus* const none = api->GetSessionConfigEntry(options, "ep.erfexecutionprovider.fail_at",
                                                         text.data(), &size)) {
    api->ReleaseStatus(none);
  }
  provider->n_calls_left = std::atoi(text.data());
  *made = provider;
  return nullptr;
}

void ORT_API_CALL release(OrtEpFactory* /*factory*/, OrtEp* provider) noexcept {
  delete static_cast<Provider*>(provider);
}

OrtStatus* ORT_API_CALL no_transfer(OrtEpFactory* /*factory*/,
                                    OrtDataTransferImpl** transfer) noexcept {
  *transfer = nullptr;
  return nullptr;
}

bool ORT_API_CALL has_no_streams(const OrtEpFactory* /*factory*/) noexcept { return false; }

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* CreateEpFactories(
    const char* /*name*/, const OrtApiBase* base, const OrtLogger* /*logger*/,
    OrtEpFactory** factories, std::size_t /*most*/, std::size_t* n_factories) {
  api = base->GetApi(ORT_API_VERSION);
  static OrtEpFactory factory{};
  factory.ort_version_supported = ORT_API_VERSION;
  factory.GetName = factory_name;
  factory.GetVendor = vendor;
  factory.GetVendorId = vendor_id;
  factory.GetVersion = version;
  factory.GetSupportedDevices = supported;
  factory.CreateEp = create;
  factory.ReleaseEp = release;
  factory.CreateDataTransfer = no_transfer;
  factory.IsStreamAware = has_no_streams;
  factories[0] = &factory;
  *n_factories = 1;
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(
    OrtEpFactory* /*factory*/) {
  return nullptr;
}
