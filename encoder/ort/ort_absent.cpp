// Stands in for the other files where the build found no onnxruntime_c_api.h.
#include "encoder/ort/ort_encoder.h"
#include "npu/device.h"

namespace wnpu::encoder {
namespace {

constexpr const char* kAbsent =
    "ort: built without ONNX Runtime's C header (hint: bash app/quickstart.sh fetches it)";

}  // namespace

OrtProviders list_ort_providers(const OrtPlaces& /*places*/) { return {"", "", kAbsent, {}}; }

std::string check_ort(const OrtSettings& /*settings*/) { throw npu::DeviceError(kAbsent); }

std::unique_ptr<OrtEncoder> open_ort(const OrtSettings& /*settings*/, const OrtModel& /*model*/) {
  throw npu::DeviceError(kAbsent);
}

}  // namespace wnpu::encoder
