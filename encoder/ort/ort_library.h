// ONNX Runtime's C interface from its shared library, one environment a process.
#pragma once

#include <memory>
#include <mutex>
#include <onnxruntime_c_api.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace wnpu::encoder {

// An object of the runtime's.
template <typename T>
using OrtOwned = std::unique_ptr<T, void(ORT_API_CALL*)(T*)>;

class OrtLibrary {
 public:
  // The library that OrtPlaces::library asks for, loaded once a process and never unloaded. Throws
  // npu::DeviceError.
  static const OrtLibrary& open(const std::string& asked);

  // Loads a library of providers, once a process. Throws npu::DeviceError.
  void register_plugin(const std::string& name, const std::string& path) const;

  const OrtApi& api() const { return *api_; }
  OrtEnv& env() const { return *env_; }
  const std::string& file() const { return file_; }
  std::string version() const;

  // Throws npu::DeviceError with what the runtime says, where it says anything.
  void check(OrtStatus* status, std::string_view what) const;

  template <typename T>
  OrtOwned<T> own(T* object, void(ORT_API_CALL* release)(T*)) const {
    return {object, release};
  }
  OrtOwned<OrtSessionOptions> session_options() const;

  // Devices of all providers that name some.
  std::vector<const OrtEpDevice*> devices() const;
  // Names of providers that are part of the library.
  std::vector<std::string> built_in() const;

  explicit OrtLibrary(std::string file);  // by open() alone

 private:
  std::string file_;
  const OrtApiBase* base_ = nullptr;
  const OrtApi* api_ = nullptr;
  OrtEnv* env_ = nullptr;  // as long as the process: plug-ins have threads of their own
  mutable std::mutex mutex_;
  mutable std::set<std::string> plugins_;
};

}  // namespace wnpu::encoder
