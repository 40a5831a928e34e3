#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/python/src/bindings.h"
#include "npu/probe.h"
#include "npu/xrt/xrt_devices.h"

namespace nb = nanobind;

namespace wnpu::python {

void bind_npu(nb::module_& module) {
  nb::class_<npu::ProbeResult>(module, "NpuNode")
      .def_ro("name", &npu::ProbeResult::name)
      .def_ro("usable", &npu::ProbeResult::usable)
      .def_ro("reason", &npu::ProbeResult::reason)
      .def_ro("remedy", &npu::ProbeResult::remedy)
      .def_ro("bdf", &npu::ProbeResult::bdf);
  nb::class_<npu::XrtDeviceInfo>(module, "XrtDevice")
      .def_ro("bdf", &npu::XrtDeviceInfo::bdf)
      .def_ro("name", &npu::XrtDeviceInfo::name)
      .def_ro("firmware", &npu::XrtDeviceInfo::firmware)
      .def_ro("power_mode", &npu::XrtDeviceInfo::power_mode)
      .def_ro("columns", &npu::XrtDeviceInfo::columns);
  module.def(
      "npu_nodes", [](const std::string& root) { return npu::probe(root); }, nb::arg("root") = "/");
  module.def("xrt_devices", [] {
    auto found = npu::list_xrt_devices();
    return nb::make_tuple(std::move(found.devices), std::move(found.problem));
  });
  module.def("xrt_version", &npu::xrt_version);
}

}  // namespace wnpu::python
