#include "app/engine/devices/ort_graph.h"

#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "app/engine/devices/device_setup.h"
#include "app/engine/model_path.h"
#include "models/base/folder.h"
#include "models/onnx/export.h"
#include "npu/device.h"
#include "npu/fnv1a.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// Beside the graph: what it was made of. To be changed with the graph's form.
constexpr const char* kSource = "source";
constexpr const char* kForm = "graph 1";

// The model's file as it is now: path, inode, size, time.
std::string source_of(const fs::path& path, const std::string& weights) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    throw npu::DeviceError("ort: " + path.string() + ": " + std::system_category().message(errno));
  }
  return std::string(kForm) + " " + weights + "\n" + fs::absolute(path).string() + "\n" +
         std::to_string(found.st_ino) + " " + std::to_string(found.st_size) + " " +
         std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec) + "\n";
}

bool is_made_of(const fs::path& folder, const std::string& source) {
  std::ifstream input(folder / kSource, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(input), {}};
  return input.is_open() && found == source;
}

void write_whole(const fs::path& path, const std::function<void(const models::Sink&)>& text) {
  std::ofstream output(path, std::ios::binary | std::ios::trunc);
  text([&](std::string_view bytes) {
    output.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
  output.close();
  if (!output) throw npu::DeviceError("ort: " + path.string() + ": cannot be written");
}

// A folder beside another, removed unless it has got its name.
struct Part {
  fs::path path;

  explicit Part(const fs::path& target)
      : path(target.string() + "." + std::to_string(::getpid()) + ".part") {
    std::error_code error;
    fs::remove_all(path, error);
    fs::create_directories(path, error);
    if (error) throw npu::DeviceError("ort: " + path.string() + ": " + error.message());
  }
  ~Part() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
};

void make(const LoadedModel& model, const std::string& weights, const std::string& source,
          const fs::path& folder) {
  const Part part(folder);
  const models::OnnxOptions options{.batch = 1, .is_fp16 = weights == "fp16"};
  for (const models::StreamedFile& file : models::onnx_encoder_files(model.file(), options)) {
    write_whole(part.path / file.name, file.write);
  }
  write_whole(part.path / kSource, [&](const models::Sink& sink) { sink(source); });
  std::error_code error;
  fs::remove_all(folder, error);
  fs::rename(part.path, folder, error);
  // Another process may have been first, with the same.
  if (error && !is_made_of(folder, source)) {
    throw npu::DeviceError("ort: " + folder.string() + ": " + error.message());
  }
}

}  // namespace

fs::path ort_graph_folder(const LoadedModel& model, const std::string& weights) {
  const fs::path path = weights_file(model.file().path());
  const std::string source = source_of(path, weights);
  const fs::path of_model = fs::absolute(model.file().path());
  const std::string key = of_model.string() + "\n" + weights;
  const fs::path folder =
      model_folder() / kOrtBackend /
      (of_model.filename().string() + "-" + std::to_string(npu::Fnv1a().add_bytes(key).value()));
  if (!is_made_of(folder, source)) make(model, weights, source, folder);
  return folder;
}

}  // namespace wnpu::app
