#include "app/jobs/watch_folder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <set>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

#include "app/engine/error.h"
#include "app/input/file_stability.h"
#include "app/input/folder_events.h"
#include "app/input/input_folders.h"
#include "app/options/exit_code.h"
#include "app/output/output_plan.h"
#include "app/system/progress.h"
#include "models/base/descriptor.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// From one look at files that are written to the next, and at the signals.
constexpr milliseconds kLookEvery{100};

// The options of a batch of that one recording.
Options options_of_file(const Options& options, const std::string& file) {
  Options one = options;
  one.inputs = {file};
  one.existing = ExistingOutput::skip;
  const std::size_t begin = options.watch.size() + (options.watch.ends_with('/') ? 0 : 1);
  const fs::path below = fs::path(file.substr(begin)).parent_path();
  if (!below.empty()) one.subfolders.emplace(file, below.string());
  return one;
}

void check_watched_folder(const std::string& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  throw Error(ErrorCode::audio, folder + ": expected a folder to watch, found " +
                                    (error ? error.message() : "a file, or nothing"));
}

// The folder, as long as this process watches it: another would do each file a second time. Where
// the file system knows no locks, nothing is claimed.
models::Descriptor claimed(const std::string& folder) {
  models::Descriptor claim(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!claim.is_open() || ::flock(claim.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return claim;
  throw UsageError(folder + ": is watched by another process already");
}

class Watch {
 public:
  Watch(const Options& options, const TranscribeFn& transcribe, const Environment& environment)
      : options_(options),
        transcribe_(transcribe),
        environment_(environment),
        messages_(*environment.err, options.verbosity, false),
        claim_(claimed(options.watch)),
        folder_(state_of(options.watch)) {}

  int run() {
    look_again();
    messages_.detail(options_.watch + ": watched");
    while (environment_.stop_signal() == 0) {
      take(events_.wait(take_next() ? milliseconds{0} : kLookEvery));
      check_there();
    }
    return static_cast<int>(ExitCode::signal) + environment_.stop_signal();
  }

 private:
  struct Done {
    FileState state;             // as it was then
    std::set<fs::path> results;  // that it was to have
  };

  void take(const FolderEvents::News& news) {
    for (const std::string& file : news.gone) forget(file);
    for (const std::string& file : news.files) add(file);
    if (news.looks_again || std::ranges::any_of(news.files, is_folder)) look_again();
  }

  // Everything that is there; the folders are watched before they are listed.
  void look_again() {
    check_there();
    FolderVisit visit;
    visit.is_recursive = options_.recursive;
    visit.follows_links = options_.follows_links;
    visit.on_link = [this](const std::string& link) { skip_link(link); };
    visit.should_stop = [this] { return environment_.stop_signal() != 0; };
    visit.on_folder = [this](const std::string& folder) { events_.add(folder); };
    visit.on_unreadable = [this](const std::string& folder, const std::error_code& error) {
      if (error == std::errc::no_such_file_or_directory) return;  // it went meanwhile
      if (told_.insert(folder).second) {
        messages_.error(folder + ": expected a folder of recordings, found " + error.message());
      }
    };
    for (const std::string& file : recordings_in(options_.watch, visit)) add(file);
    if (visit.should_stop()) return;
    events_.drop_others();
    std::vector<std::string> gone;
    for (const auto& [file, done] : done_) {
      if (!is_there(file)) gone.push_back(file);
    }
    for (const std::string& file : gone) forget(file);
  }

  // A link to one: of other folders the events tell.
  static bool is_folder(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error);
  }

  void skip_link(const std::string& link) {
    if (told_.insert(link).second) messages_.note(skipped_link_text(link), link);
  }

  static bool is_there(const std::string& file) { return !(state_of(file) == FileState{}); }

  // It is gone, or was: what comes under its name is another, and its results are free.
  void forget(const std::string& file) {
    const auto done = done_.find(file);
    if (done == done_.end()) return;
    for (const fs::path& result : done->second.results) {
      const auto owner = owners_.find(result);
      if (owner != owners_.end() && owner->second == file) owners_.erase(owner);
    }
    done_.erase(done);
  }

  void check_there() {
    const FileState now = state_of(options_.watch);
    if (now.device == folder_.device && now.number == folder_.number) return;
    throw Error(ErrorCode::audio, options_.watch +
                                      ": expected the watched folder to stay, found it removed, " +
                                      "renamed or replaced");
  }

  void add(const std::string& file) {
    if (fs::path(file).filename().native().starts_with('.') || !has_recording_name(file)) return;
    if (!options_.follows_links && leads_outside(file, options_.watch)) return skip_link(file);
    const auto done = done_.find(file);
    if (done != done_.end() && done->second.state == state_of(file)) return;
    if (awaited_.insert(file).second) {
      coming_.emplace_back(file);
    } else {
      std::ranges::find(coming_, file, &PendingFile::path)->wake();
    }
  }

  void drop(std::size_t index) {
    awaited_.erase(coming_[index].path());
    coming_.erase(coming_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // False: no file is whole that was not done.
  bool take_next() {
    const auto now = PendingFile::Clock::now();
    for (std::size_t i = 0; i < coming_.size() && environment_.stop_signal() == 0;) {
      const FileStability found = coming_[i].look(now);
      if (found == FileStability::whole) {
        const std::string file = coming_[i].path();
        drop(i);
        transcribe_or_fail(file);
        return true;
      }
      if (found == FileStability::gone) {
        drop(i);
      } else {
        ++i;
      }
    }
    return false;
  }

  void transcribe_or_fail(const std::string& file) {
    Done& done = done_[file];
    done.state = state_of(file);
    try {
      transcribe_file(file, done);
    } catch (const BrokenPipe&) {
      throw;
    } catch (const std::exception& error) {
      if (error_code(error) == ErrorCode::stopped) {
        return messages_.note(file + ": stopped", file);
      }
      const bool is_usage = dynamic_cast<const UsageError*>(&error) != nullptr;
      if (!is_usage && !is_of_one_file(error)) throw;
      const std::string text = text_of(error);
      messages_.error(text.starts_with(file) ? text : file + ": " + text, file);
    }
  }

  void transcribe_file(const std::string& file, Done& done) {
    const Options one = options_of_file(options_, file);
    const std::vector<PlannedInput> plan = plan_outputs(one);
    done.results = results_of(plan);
    for (const fs::path& result : done.results) {
      std::string& owner = owners_.emplace(result, file).first->second;
      if (owner != file && is_there(owner)) {
        throw UsageError(result.string() + ": would be written for " + file + ", but " + owner +
                         " writes it too");
      }
      owner = file;
    }
    if (plan.front().is_skipped) {
      return messages_.detail(file + ": skipped, its results are there", file);
    }
    BatchProgress progress;
    app::run(one, plan, transcribe_, environment_, progress);
  }

  const Options& options_;
  const TranscribeFn& transcribe_;
  const Environment& environment_;
  Messages messages_;
  models::Descriptor claim_;
  FileState folder_;
  FolderEvents events_;
  std::deque<PendingFile> coming_;          // in the order in which they came
  std::set<std::string> awaited_;           // their paths
  std::map<std::string, Done> done_;        // those that are there
  std::map<fs::path, std::string> owners_;  // of results: whose they are
  std::set<std::string> told_;  // folders that cannot be read, links that are not followed
};

}  // namespace

void check_watched(const Options& options) {
  check_watched_folder(options.watch);
  const std::string any = models::join(options.watch, "recording.wav").string();
  for (const fs::path& result : results_of(plan_outputs(options_of_file(options, any)))) {
    if (!has_recording_name(result)) continue;
    throw UsageError("--output-template: --watch would take results called " +
                     result.filename().string() + " for recordings");
  }
}

int watch_folder(const Options& options, const TranscribeFn& transcribe,
                 const Environment& environment) {
  return Watch(options, transcribe, environment).run();
}

}  // namespace wnpu::app
