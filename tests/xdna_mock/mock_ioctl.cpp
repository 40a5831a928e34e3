// The ioctls of the amdxdna driver (drm/amdxdna_accel.h), as libxrt_driver_xdna 2.25 sends them.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/ioctl.h>
#include <time.h>

#include "tests/xdna_mock/fake_sysfs.h"
#include "tests/xdna_mock/mock_device.h"
#include "tests/xdna_mock/mock_hooks.h"
#include "tests/xdna_mock/mock_settings.h"

namespace wnpu::tests {
namespace {

// Copies `value` to where the caller wants it, or says how much room it takes.
template <typename Value>
int answer(amdxdna_drm_get_info& request, const Value& value) {
  const bool fits = request.buffer_size >= sizeof(value);
  request.buffer_size = sizeof(value);
  if (!fits) return ENOSPC;
  std::memcpy(reinterpret_cast<void*>(request.buffer), &value, sizeof(value));
  return 0;
}

// Rows: one of shims, one of mem tiles, four of cores (AM020); Phoenix has 5 columns, Strix 8.
amdxdna_drm_query_aie_metadata array_metadata() {
  amdxdna_drm_query_aie_metadata data{};
  data.col_size = 0x2000000;
  data.cols = is_strix() ? 8 : 5;
  data.rows = 6;
  data.version = {2, 0};
  data.core = {4, 2, 2, 16, 0, {}};
  data.mem = {1, 1, 6, 64, 0, {}};
  data.shim = {1, 0, 2, 16, 0, {}};
  return data;
}

int get_info(amdxdna_drm_get_info& request) {
  switch (request.param) {
    case DRM_AMDXDNA_QUERY_AIE_METADATA:
      return answer(request, array_metadata());
    case DRM_AMDXDNA_QUERY_AIE_VERSION:
      return answer(request, amdxdna_drm_query_aie_version{2, 0});
    case DRM_AMDXDNA_QUERY_FIRMWARE_VERSION:
      return answer(request, amdxdna_drm_query_firmware_version{1, 5, 5, 391});
    case DRM_AMDXDNA_QUERY_CLOCK_METADATA:
      return answer(request, amdxdna_drm_query_clock_metadata{});
    case DRM_AMDXDNA_GET_POWER_MODE:
      return answer(request, amdxdna_drm_get_power_mode{});
    case DRM_AMDXDNA_QUERY_RESOURCE_INFO:
      return answer(request, amdxdna_drm_get_resource_info{1024, 10, 6, 10, 0});
    case DRM_AMDXDNA_QUERY_HW_CONTEXTS:
    case DRM_AMDXDNA_QUERY_SENSORS:
      request.buffer_size = 0;
      return 0;
    default:
      return EOPNOTSUPP;
  }
}

int get_array(amdxdna_drm_get_array& request) {
  if (request.param != DRM_AMDXDNA_HW_CONTEXT_ALL &&
      request.param != DRM_AMDXDNA_HW_LAST_ASYNC_ERR) {
    return EOPNOTSUPP;
  }
  request.num_element = 0;
  return 0;
}

int wait_for_point(MockDevice& device, const drm_syncobj_timeline_wait& request) {
  if (request.count_handles != 1) return EOPNOTSUPP;
  std::int64_t left_ms = -1;
  if (request.timeout_nsec != INT64_MAX) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t now_nsec = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
    left_ms = std::max<std::int64_t>(0, (request.timeout_nsec - now_nsec) / 1'000'000);
  }
  return device.wait(*reinterpret_cast<const std::uint32_t*>(request.handles),
                     *reinterpret_cast<const std::uint64_t*>(request.points), left_ms);
}

template <typename Request>
Request& as(void* argument) {
  return *static_cast<Request*>(argument);
}

}  // namespace

int serve(MockDevice& device, unsigned long request, void* argument) {
  if (_IOC_TYPE(request) != DRM_IOCTL_BASE) return ENOTTY;
  const auto number = _IOC_NR(request);
  trace("ioctl " + std::to_string(static_cast<int>(number) - DRM_COMMAND_BASE));
  const int injected =
      injected_failure(std::to_string(static_cast<int>(number) - DRM_COMMAND_BASE));
  if (injected != 0) return injected;
  // As in the DRM core the number alone decides: headers differ in the direction bits.
  switch (number) {
    case _IOC_NR(DRM_IOCTL_AMDXDNA_CREATE_BO):
      return device.create_buffer(as<amdxdna_drm_create_bo>(argument));
    case _IOC_NR(DRM_IOCTL_AMDXDNA_GET_BO_INFO):
      return device.buffer_info(as<amdxdna_drm_get_bo_info>(argument));
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
      return device.close_buffer(as<drm_gem_close>(argument).handle);
    case _IOC_NR(DRM_IOCTL_AMDXDNA_SYNC_BO):
      return device.sync_buffer(as<amdxdna_drm_sync_bo>(argument));
    case _IOC_NR(DRM_IOCTL_AMDXDNA_CREATE_HWCTX):
      return device.create_context(as<amdxdna_drm_create_hwctx>(argument));
    case _IOC_NR(DRM_IOCTL_AMDXDNA_DESTROY_HWCTX):
      return device.destroy_context(as<amdxdna_drm_destroy_hwctx>(argument).handle);
    case _IOC_NR(DRM_IOCTL_AMDXDNA_CONFIG_HWCTX):
      return device.configure_context(as<amdxdna_drm_config_hwctx>(argument));
    case _IOC_NR(DRM_IOCTL_AMDXDNA_EXEC_CMD):
      return device.submit(as<amdxdna_drm_exec_cmd>(argument));
    case _IOC_NR(DRM_IOCTL_AMDXDNA_WAIT_CMD): {
      const auto& wait = as<amdxdna_drm_wait_cmd>(argument);
      return device.wait(wait.hwctx, wait.seq, wait.timeout == 0 ? -1 : wait.timeout);
    }
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
      return wait_for_point(device, as<drm_syncobj_timeline_wait>(argument));
    case _IOC_NR(DRM_IOCTL_AMDXDNA_GET_INFO):
      return get_info(as<amdxdna_drm_get_info>(argument));
    case _IOC_NR(DRM_IOCTL_AMDXDNA_GET_ARRAY):
      return get_array(as<amdxdna_drm_get_array>(argument));
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
    case _IOC_NR(DRM_IOCTL_AMDXDNA_SET_STATE):
      return 0;
    default:
      return EOPNOTSUPP;
  }
}

}  // namespace wnpu::tests
