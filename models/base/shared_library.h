// A shared library that is loaded when it is wanted and stays to the end of the process, so that
// nothing but what needs it has to be installed.
#pragma once

#include <dlfcn.h>
#include <string>
#include <utility>

#include "models/base/error.h"
#include "models/base/folder.h"

namespace wnpu::models {

// Failure is the error that is thrown: the file, what was expected and found, Debian's package.
template <typename Failure = LibraryError>
class SharedLibrary {
 public:
  // "libcurl.so.4", "libcurl", "libcurl4".
  SharedLibrary(std::string file, const std::string& title, std::string package)
      : file_(std::move(file)),
        package_(std::move(package)),
        handle_(::dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ != nullptr) return;
    const std::string found = ::dlerror();
    check_can_open_files(file_);
    fail(title, found);
  }

  // An address, which becomes a pointer to whatever function it is taken for.
  struct Found {
    void* address;

    template <typename Function>
    operator Function*() const {                    // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function*>(address);  // NOLINT: as dlsym(3) says
    }
  };
  Found find(const char* name) const {
    const Found found{::dlsym(handle_, name)};
    if (found.address == nullptr) fail(std::string("the function ") + name, "none");
    return found;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw Failure(file_ + ": expected " + expected + ", found " + found +
                  " (Debian's package: " + package_ + ")");
  }

 private:
  std::string file_;
  std::string package_;
  void* handle_;
};

}  // namespace wnpu::models
