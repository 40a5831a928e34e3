// Settings of the stand-in for the driver: from the environment (XDNA_MOCK_<NAME>) at its start,
// and from the test in the same process afterwards.
//
//   DEVICE   phoenix (default), strix or none
//   SHADOW   1: device memory apart from host memory, filled with 0xcd, moved only by SYNC_BO; XRT
//            sends that only with [Debug] force_driver_sync=true in the xrt.ini beside the program
//   FAIL     <what>:<errno>[:<n>]: fails open, mmap or an ioctl (its DRM_AMDXDNA number) from its
//            n-th call on, n counting from 1 since the setting was made
//   COMMAND  <state>[:<n>]: commands end in this ERT state, uncomputed, from the n-th on; 0: never
//   DELAY_MS time a command takes at least
//   WAIT_CMD 1: contexts have no syncobj, as with older kernels
//   LOCKED   1: MAP_LOCKED stays, so that RLIMIT_MEMLOCK bites as with the real driver
//   TRACE    1: every call on stderr
#pragma once

#include <string>

namespace wnpu::tests {

std::string mock_setting(const std::string& name);
bool is_set(const std::string& name);

// 0, or the errno with which this call of `what` must fail.
int injected_failure(const std::string& what);

// -1, or the ERT state in which this command must end.
int injected_state();

void trace(const std::string& line);

}  // namespace wnpu::tests

// For tests in the same process (found by name, since the library is preloaded). A null value takes
// the setting back. Counts: "commands" done, "buffers", "contexts" and "devices" open.
extern "C" void xdna_mock_set(const char* name, const char* value);
extern "C" unsigned long xdna_mock_count(const char* what);
