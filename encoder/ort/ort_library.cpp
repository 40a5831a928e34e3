#include "encoder/ort/ort_library.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "models/base/folder.h"
#include "npu/device.h"

namespace wnpu::encoder {
namespace {

namespace fs = std::filesystem;
using npu::DeviceError;

constexpr const char* kLoaderName = "libonnxruntime.so.1";
// The first interface with Session_GetEpGraphAssignmentInfo, by which nodes are counted that ran
// elsewhere (onnxruntime_c_api.h).
constexpr std::uint32_t kApiVersion = 24;
static_assert(kApiVersion <= ORT_API_VERSION);

// libonnxruntime.so* in a folder, the last by name; empty: none.
std::string library_in(const fs::path& folder) {
  std::error_code error;
  std::string last;
  for (const std::string& name : models::names_in(folder, error)) {
    const bool is_library = name.starts_with("libonnxruntime.so");
    if (is_library && name > last) last = name;
  }
  return last.empty() ? "" : models::join(folder, last).string();
}

// The library of the wheel in a Python environment: lib/python3.11/site-packages/onnxruntime/capi.
std::string library_of_environment(const fs::path& environment) {
  std::error_code error;
  const fs::path lib = models::join(environment, "lib");
  for (const std::string& name : models::names_in(lib, error)) {
    if (!name.starts_with("python3")) continue;
    const std::string found =
        library_in(models::join(lib, name + "/site-packages/onnxruntime/capi"));
    if (!found.empty()) return found;
  }
  return "";
}

std::string library_file(const std::string& asked) {
  if (asked.empty()) {
    const char* const environment = std::getenv("VIRTUAL_ENV");  // NOLINT(concurrency-mt-unsafe)
    const std::string found = environment == nullptr ? "" : library_of_environment(environment);
    return found.empty() ? kLoaderName : found;
  }
  std::error_code error;
  if (!fs::is_directory(asked, error)) return asked;
  const std::string found = library_in(asked);
  if (!found.empty()) return found;
  throw DeviceError("ort: " + asked + ": expected libonnxruntime.so in the folder, found none");
}

void* load(const std::string& file) {
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const std::string found = ::dlerror();
  throw DeviceError("ort: " + file + ": expected ONNX Runtime, found " + found +
                    " (hint: in a Python environment that is active, pip install onnxruntime; or "
                    "name the library by --ort-library)");
}

}  // namespace

const OrtLibrary& OrtLibrary::open(const std::string& asked) {
  static std::mutex mutex;
  static auto& loaded = *new std::map<std::string, std::unique_ptr<OrtLibrary>>;
  const std::string file = library_file(asked);
  const std::lock_guard lock(mutex);
  std::unique_ptr<OrtLibrary>& library = loaded[file];
  if (!library) library = std::make_unique<OrtLibrary>(file);
  return *library;
}

OrtLibrary::OrtLibrary(std::string file) : file_(std::move(file)) {
  void* const handle = load(file_);
  const auto get_base =
      reinterpret_cast<decltype(&OrtGetApiBase)>(::dlsym(handle, "OrtGetApiBase"));  // NOLINT
  if (get_base == nullptr) {
    throw DeviceError("ort: " + file_ + ": expected ONNX Runtime, found no OrtGetApiBase in it");
  }
  base_ = get_base();
  api_ = base_->GetApi(kApiVersion);
  if (api_ == nullptr) {
    throw DeviceError("ort: " + file_ + ": expected ONNX Runtime 1." + std::to_string(kApiVersion) +
                      " or later, found " + base_->GetVersionString());
  }
  // Statuses of calls tell what the runtime's own log would.
  check(api_->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "whisper-npu", &env_), "environment");
}

std::string OrtLibrary::version() const {
  return std::string("ONNX Runtime ") + base_->GetVersionString();
}

void OrtLibrary::check(OrtStatus* status, std::string_view what) const {
  if (status == nullptr) return;
  const std::string message = api_->GetErrorMessage(status);
  api_->ReleaseStatus(status);
  const bool is_named = what.starts_with("ort:");  // the target
  throw DeviceError((is_named ? "" : "ort: ") + std::string(what) + ": " + message);
}

OrtOwned<OrtSessionOptions> OrtLibrary::session_options() const {
  OrtSessionOptions* options = nullptr;
  check(api_->CreateSessionOptions(&options), "session options");
  return own(options, api_->ReleaseSessionOptions);
}

void OrtLibrary::register_plugin(const std::string& name, const std::string& path) const {
  const std::lock_guard lock(mutex_);
  if (plugins_.contains(path)) return;
  check(api_->RegisterExecutionProviderLibrary(env_, name.c_str(), path.c_str()),
        "plug-in " + path);
  plugins_.insert(path);
}

std::vector<const OrtEpDevice*> OrtLibrary::devices() const {
  const OrtEpDevice* const* devices = nullptr;
  std::size_t count = 0;
  check(api_->GetEpDevices(env_, &devices, &count), "devices");
  return {devices, devices + count};  // NOLINT: a C array
}

std::vector<std::string> OrtLibrary::built_in() const {
  char** names = nullptr;
  int count = 0;
  check(api_->GetAvailableProviders(&names, &count), "providers");
  std::vector<std::string> all(names, names + count);  // NOLINT: a C array
  check(api_->ReleaseAvailableProviders(names, count), "providers");
  return all;
}

}  // namespace wnpu::encoder
