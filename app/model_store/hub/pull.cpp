#include "app/model_store/hub/pull.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "app/model_store/hub/catalogue.h"
#include "app/model_store/hub/download.h"
#include "app/model_store/hub/pins.h"
#include "app/model_store/hub/pull_lock.h"
#include "app/options/exit_code.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "app/system/sha256.h"
#include "app/system/url.h"
#include "audio/speakers/speaker_model.h"
#include "audio/vad/silero_vad.h"
#include "models/base/descriptor.h"
#include "models/base/folder.h"
#include "models/files/open_model.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPullSums = "SHA256SUMS";

void sync_model_folder(const fs::path& folder) {
  const models::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.get());
}

void make_model_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw OutputError(folder.string() + ": cannot be made: " + error.message());
}

// The files of one source, into a folder that lasts until all of them are there.
class SourcePull {
 public:
  SourcePull(const PullRequest& order, const HubSource& source, const std::string& mirror,
             Messages& progress)
      : order_(&order),
        source_(&source),
        mirror_(mirror),
        progress_(&progress),
        parts_(models::join(order.folder, parts_name())),
        pins_(read_pins(order.folder)) {}

  void run(const fs::path& target) {
    make_model_folder(parts_);
    check_space();
    std::string sums;
    for (const HubFile& file : source_->files) {
      const std::string sha256 = ensure(file);
      sums.append(sha256).append("  ").append(file.name).append("\n");
    }
    check_model();
    write_file(models::join(parts_, kPullSums), sums);
    add_pins(order_->folder, new_pins_);
    if (::rename(parts_.c_str(), target.c_str()) != 0) {
      throw OutputError(target.string() +
                        ": cannot be given its name: " + std::system_category().message(errno));
    }
    sync_model_folder(order_->folder);
    for (const Pin& pin : new_pins_) {
      progress_->note(pin.file + ": no SHA-256 is published: it is held to this one from now on (" +
                      models::join(order_->folder, kPinsName).string() + ")");
    }
  }

 private:
  std::string parts_name() const {
    std::string name = ".";
    name.append(order_->model->folder_name()).append(".").append(source_->format);
    return name.append(".part");
  }

  // Expected SHA-256 and size: as published, else as pinned at the first pull.
  HubFile expected(const HubFile& file) const {
    HubFile wanted = file;
    const auto pin = pins_.find(source_->path_of(file));
    if (wanted.sha256.empty() && pin != pins_.end()) {
      wanted.sha256 = pin->second.sha256;
      wanted.bytes = pin->second.bytes;
    }
    return wanted;
  }

  std::string ensure(const HubFile& file) {
    const HubFile wanted = expected(file);
    const fs::path path = models::join(parts_, file.name);
    const std::string there = sha256_of_file(path);  // from an earlier run, if any
    const bool is_there = !there.empty() && (wanted.sha256.empty() || there == wanted.sha256);
    std::string sha256 = is_there ? there : fetch(file, wanted);
    if (wanted.sha256.empty()) {
      std::error_code error;
      new_pins_.push_back({source_->path_of(file), sha256, fs::file_size(path, error)});
    }
    return sha256;
  }

  std::string fetch(const HubFile& file, const HubFile& wanted) {
    progress_->begin_bytes(std::string(order_->model->name).append(" ").append(file.name));
    Download order{source_->url_of(file, mirror_),
                   parts_,
                   std::string(file.name),
                   wanted.bytes,
                   std::string(wanted.sha256),
                   [&](std::uint64_t done, std::uint64_t total) {
                     progress_->update_progress(static_cast<double>(done),
                                                static_cast<double>(total));
                   },
                   [&](const std::string& text) { progress_->note(text); }};
    order.should_stop = order_->should_stop;
    std::string sha256 = download(order);
    progress_->hide_progress();
    return sha256;
  }

  // Checks that the bytes left to pull fit; space that goes meanwhile shows when they are written.
  void check_space() const {
    std::error_code error;
    std::uint64_t left = source_->bytes();
    for (const std::string& name : models::names_in(parts_, error)) {
      const std::uint64_t size = fs::file_size(models::join(parts_, name), error);
      if (!error) left -= std::min(left, size);
    }
    const fs::space_info space = fs::space(order_->folder, error);
    if (!error && space.available < left) {
      throw OutputError(order_->folder.string() + ": no space: " + size_text(left) +
                        " are needed, " + size_text(std::max<std::uintmax_t>(space.available, 1)) +
                        " are free");
    }
  }

  // Each file may be what its server has, and yet no model.
  void check_model() const {
    try {
      if (order_->model == &hub_detector()) {
        (void)audio::SileroVad(models::join(parts_, source_->files.front().name));
      } else if (order_->model == &hub_speakers()) {
        (void)audio::SpeakerModel::open(parts_);
      } else {
        (void)models::open_model(parts_);
      }
    } catch (const models::ModelError& error) {
      std::error_code ignored;
      fs::remove_all(parts_, ignored);
      std::string text(source_->repository);
      throw models::ModelError(text.append(": what was pulled is no model: ").append(error.what()));
    }
  }

  const PullRequest* order_;
  const HubSource* source_;
  std::string mirror_;
  Messages* progress_;
  fs::path parts_;
  std::map<std::string, Pin> pins_;
  std::vector<Pin> new_pins_;
};

std::vector<const HubSource*> sources_of(const PullRequest& order) {
  std::vector<const HubSource*> sources;
  for (const HubSource& source : order.model->sources) {
    if (order.format.empty() || source.format == order.format) sources.push_back(&source);
  }
  if (sources.empty()) {
    std::string text(order.model->name);
    throw models::ModelError(text.append(": is not published as ").append(order.format));
  }
  return sources;
}

// Whether the model is there; an empty folder is replaced. Throws where it is there in another
// format than asked for, or where something else has its name.
bool is_pulled(const PullRequest& order, const fs::path& target) {
  std::error_code error;
  if (!fs::exists(target, error)) return false;
  if (pulled_weights(*order.model, target).empty()) {
    const bool is_folder = fs::is_directory(fs::symlink_status(target, error));
    if (is_folder && fs::is_empty(target, error) && !error) return false;
    throw OutputError(target.string() + ": expected a model or an empty folder, found other files" +
                      ": not replaced");
  }
  const std::string_view found = hub_format_of(target);
  if (order.format.empty() || order.format == found) return true;
  throw models::ModelError(target.string() + ": --format: expected " + order.format + ", found " +
                           (found.empty() ? "another file" : std::string(found)) +
                           ": not replaced (whisper-npu models remove " +
                           std::string(order.model->name) + " removes it)");
}

// Removes the parts of all sources, those that were not resumed too.
void remove_parts(const PullRequest& order) {
  std::error_code error;
  for (const std::string_view format : kHubFormats) {
    std::string name = ".";
    name.append(order.model->folder_name()).append(".").append(format).append(".part");
    fs::remove_all(models::join(order.folder, name), error);
  }
}

}  // namespace

fs::path pull_model(const PullRequest& order, std::ostream& err) {
  const std::string name(order.model->name);
  const std::string folder_name = order.model->folder_name();
  fs::path target = models::join(order.folder, folder_name);
  const std::string mirror = hub_mirror(order.mirror);
  const std::vector<const HubSource*> sources = sources_of(order);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a disk that is full
  Messages progress = pull_messages(err, order.verbosity);
  if (is_pulled(order, target)) return target;
  make_model_folder(order.folder);
  std::string lock = ".";
  const auto tell_wait = [&] {
    progress.note(name + ": another process pulls it: waiting for that");
  };
  const PullLock held(models::join(order.folder, lock.append(folder_name).append(".lock")),
                      tell_wait, order.should_stop);
  if (is_pulled(order, target)) return target;
  for (const HubSource* source : sources) {
    progress.note("pulling " + name + ": " + offer_text(*source) +
                  (mirror.empty() ? "" : " by " + shown_url(mirror)));
    try {
      SourcePull(order, *source, mirror, progress).run(target);
      remove_parts(order);
      return target;
    } catch (const DownloadError& failure) {
      if (failure.why != DownloadError::Why::absent || source == sources.back()) throw;
      progress.note(failure.what());
    }
  }
  return target;
}

std::string hub_mirror(const std::string& source) {
  const char* const variable = std::getenv("WHISPER_NPU_HUB");
  const std::string from = source.empty() ? "WHISPER_NPU_HUB" : "--source";
  std::string url = !source.empty() ? source : variable != nullptr ? variable : "";
  if (url.empty() || url.starts_with("http://") || url.starts_with("https://")) return url;
  throw UsageError(from + ": expected a URL with http:// or https://, found " + shown_url(url));
}

std::string offer_text(const HubSource& source) {
  std::string text = size_text(source.bytes());
  text.append(" from ").append(source.repository).append(" (").append(source.format);
  return text.append(", licence ").append(source.licence).append(")");
}

}  // namespace wnpu::app
