#include "app/model_store/packed_file.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/engine/available_cpus.h"
#include "app/engine/devices/device_choice.h"
#include "app/engine/model_path.h"
#include "app/model_store/packed_model.h"
#include "app/options/exit_code.h"
#include "app/system/build_info.h"
#include "app/system/output_file.h"
#include "app/system/sha256.h"
#include "models/base/descriptor.h"
#include "models/base/error.h"
#include "models/files/open_model.h"
#include "models/files/packed_file.h"
#include "models/files/packed_format.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

std::string program_text() {
  return std::string("whisper-npu ").append(kVersion).append(" (").append(kGitCommit).append(")");
}

// Lock (flock) on the file that is at `path` now, kept from others as long as it is open.
struct HeldFile {
  models::Descriptor file;
  bool is_held = false;
  bool may_be_written = false;
};
HeldFile hold(const fs::path& path) {
  HeldFile held{models::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
  struct stat ours {};
  struct stat there {};
  const int file = held.file.get();
  held.is_held = held.file.is_open() && ::flock(file, LOCK_EX | LOCK_NB) == 0 &&
                 ::fstat(file, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
                 ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;  // root may write without
  held.may_be_written = (ours.st_mode & kAnyWrite) != 0 && ::access(path.c_str(), W_OK) == 0;
  return held;
}

void write_packed(models::ModelFile& file, const fs::path& to, const PackedOrder& order,
                  std::size_t n_threads, bool is_new) {
  write_file(
      to, [&](const models::Sink& sink) { write_packed_model(file, order, n_threads, sink); },
      is_new);
}

// Writes a file that does not fit anew, if it may; returns the outcome for the note.
std::string renewed(const fs::path& path, models::Precision wanted, std::size_t n_threads) {
  const HeldFile held = hold(path);
  const std::string in_memory = ": packed in memory";
  if (!held.is_held) return "another process makes it anew" + in_memory;
  if (!held.may_be_written) return "it may not be written" + in_memory;
  const auto file = models::open_packed(path);
  std::vector<models::Precision> precisions = packed_precisions(*file->origin());
  if (std::ranges::find(precisions, wanted) == precisions.end()) precisions.push_back(wanted);
  try {
    write_packed(*file, path, {precisions, program_text(), ""}, n_threads, false);
  } catch (const OutputError& error) {
    return std::string("it cannot be made anew: ") + error.what() + in_memory;
  }
  return "made anew";
}

}  // namespace

void write_packed_file(const fs::path& model, const fs::path& to,
                       const std::vector<models::Precision>& precisions, std::size_t n_threads,
                       bool is_new) {
  const auto file = models::open_model(model, model_folder());
  write_packed(*file, to, {precisions, program_text(), sha256_of_file(weights_file(model))},
               n_threads, is_new);
}

void renew_packed_model(const Options& options, Messages& messages) try {
  if (options.dry_run || options.gemm != kernels::Gemm::own) return;
  const fs::path path = find_model(
      options.model, options.model_dir.empty() ? model_folder() : fs::path(options.model_dir));
  if (models::format_of_beginning(path) != models::kPacked) return;
  const models::Precision wanted = cpu_precision(options.device);
  const std::string why = misfit(models::packed_origin(path), wanted);
  if (why.empty()) return;
  const unsigned most = available_cpus();
  const unsigned threads = options.threads == 0 ? most : std::min(options.threads, most);
  messages.note(path.string() + ": " + why + ": " + renewed(path, wanted, threads));
} catch (const models::ModelError&) {  // which loading it will tell of
}

}  // namespace wnpu::app
