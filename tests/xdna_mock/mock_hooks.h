// The libc calls that XRT reaches a device by, and what they did before.
#pragma once

#include <cstddef>
#include <memory>
#include <sys/types.h>

namespace wnpu::tests {

class MockDevice;

// mmap of libc, past the hook.
void* real_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                off_t offset);

// Serves one ioctl on an open device; 0 or an errno. mock_ioctl.cpp.
int serve(MockDevice& device, unsigned long request, void* argument);

}  // namespace wnpu::tests
