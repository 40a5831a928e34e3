#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu_tensor.hpp"
#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

using Given = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Made = nb::ndarray<nb::numpy, const float>;

Tensor to_tensor(const Given& array) {
  Tensor tensor;
  for (std::size_t i = 0; i < array.ndim(); ++i) tensor.shape.push_back(array.shape(i));
  tensor.values.assign(array.data(), array.data() + array.size());
  return tensor;
}

// A view of the handle's result, which lives as long as one of them.
Made tensor_array(const TensorHandle& handle) {
  const Tensor& value = handle.result().value;
  auto* const kept = new TensorHandle(handle);
  const nb::capsule owner(
      kept, [](void* pointer) noexcept { delete static_cast<TensorHandle*>(pointer); });
  return Made(value.values.data(), value.shape.size(), value.shape.data(), owner);
}

nb::dict to_dict(const TensorReport& report) {
  nb::dict bound;
  bound["absolute"] = report.bound.absolute;
  bound["relative"] = report.bound.relative;
  bound["of"] = report.bound.magnitude;
  bound["half_bf16_step"] = report.bound.has_half_step;
  bound["operands"] = report.bound.operands;
  nb::dict dict;
  dict["operation"] = report.operation;
  dict["ran_on"] = report.ran_on;
  dict["reason"] = report.reason;
  dict["device"] = report.device;
  dict["simulated"] = report.is_simulated;
  dict["calls"] = report.calls;
  dict["modelled_ms"] = report.modelled_ms;
  dict["wall_ms"] = report.wall_ms;
  dict["sent_bytes"] = report.sent_bytes;
  dict["fetched_bytes"] = report.fetched_bytes;
  dict["ddr_bytes"] = report.ddr_bytes;
  dict["memory_bytes"] = report.memory_bytes;
  dict["memory_bytes_apart"] = report.apart_bytes;
  dict["bound"] = bound;
  return dict;
}

}  // namespace

void bind_tensor(nb::module_& module) {
  nb::class_<TensorHandle>(module, "TensorHandle")
      .def("wait", &TensorHandle::wait, nb::call_guard<WithoutInterpreter>())
      .def("ready", &TensorHandle::ready)
      .def("value", &tensor_array)
      .def("report", [](const TensorHandle& handle) { return to_dict(handle.result().report); });
  nb::class_<TensorDevice>(module, "TensorDevice")
      .def(
          "__init__",
          [](TensorDevice* self, const std::string& device, const std::string& xclbin,
             const std::string& preset, unsigned threads) {
            TensorDeviceOptions options{.xclbin = xclbin, .preset = {}, .threads = threads};
            options.preset = preset.empty() ? TensorDeviceOptions().preset : preset;
            new (self) TensorDevice(device, options);
          },
          nb::arg("device"), nb::arg("xclbin") = "", nb::arg("preset") = "", nb::arg("threads") = 0)
      .def_prop_ro("description", &TensorDevice::description)
      .def_prop_ro("is_simulated", &TensorDevice::is_simulated)
      .def("set_memory_limit", &TensorDevice::set_memory_limit, nb::arg("bytes").none())
      .def(
          "matmul",
          [](TensorDevice& device, const Given& a, const Given& b, const std::string& type) {
            return device.matmul(to_tensor(a), to_tensor(b), type);
          },
          nb::arg("a"), nb::arg("b"), nb::arg("type"))
      .def("softmax",
           [](TensorDevice& device, const Given& x) { return device.softmax(to_tensor(x)); })
      .def("layer_norm",
           [](TensorDevice& device, const Given& x) { return device.layer_norm(to_tensor(x)); })
      .def("gelu", [](TensorDevice& device, const Given& x) { return device.gelu(to_tensor(x)); })
      .def(
          "attention",
          [](TensorDevice& device, const Given& q, const Given& k, const Given& v,
             std::optional<double> scale) {
            return device.attention(to_tensor(q), to_tensor(k), to_tensor(v), scale);
          },
          nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("scale").none());
}

}  // namespace wnpu::python
