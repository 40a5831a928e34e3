#include "app/jobs/manifest/transcribe_manifest.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <ostream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/jobs/manifest/result_file.h"
#include "app/jobs/manifest/row_keys.h"
#include "app/jobs/manifest/shard.h"
#include "app/jobs/manifest/summary.h"
#include "app/jobs/rows/row_fields.h"
#include "app/jobs/rows/row_job.h"
#include "app/options/exit_code.h"
#include "app/output/result_guard.h"
#include "app/output/written_file.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"
#include "models/base/descriptor.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

class ManifestFile {
 public:
  explicit ManifestFile(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!descriptor_.is_open()) throw UsageError(path + ": open: " + std::strerror(errno));
    struct stat state {};
    if (::fstat(descriptor(), &state) == 0 && S_ISREG(state.st_mode)) return;
    throw UsageError(path +
                     ": expected a file, which is read twice; whisper-npu worker takes "
                     "rows from a pipe");
  }

  int descriptor() const { return descriptor_.get(); }

  // Each row, and its number from 0; the file is at its beginning again then.
  void read(RowReader& reader, const std::function<void(const Row&, std::size_t)>& take) const {
    std::size_t n_rows = 0;
    read_rows(descriptor(), path_, reader,
              [&](const Row& row, const Line& /*line*/) { take(row, n_rows++); });
    ::lseek(descriptor(), 0, SEEK_SET);
  }

 private:
  std::string path_;
  models::Descriptor descriptor_;
};

class ManifestRun {
 public:
  ManifestRun(const Options& options, const Environment& environment)
      : options_(options),
        environment_(environment),
        messages_(*environment.err, options.verbosity, false),
        manifest_(options.manifest.file),
        reader_(std::filesystem::path(options.manifest.file).parent_path(), options.allows_urls),
        shard_(
            shard_of(options.manifest.shard, [](const char* name) { return std::getenv(name); })) {}

  int run() {
    if (!shard_.source.empty()) {
      messages_.note("shard " + std::to_string(shard_.index + 1) + "/" +
                     std::to_string(shard_.count) + ", by " + shard_.source);
    }
    check_files();
    read_ids();
    open_results();
    const Clock::time_point begin = Clock::now();
    const int code = do_rows(
        options_, environment_,
        {.input = manifest_.descriptor(),
         .input_name = options_.manifest.file,
         .output = results_ ? results_->descriptor() : environment_.out,
         .reader = reader_,
         .is_wanted = [this](const Row& row) { return is_wanted(row); },
         .on_ready = [this](const RowOrigin& origin) { go_on(origin); },
         .take = [this](const RowResult& result, const std::string& line) { take(result, line); }});
    if (code != static_cast<int>(ExitCode::ok)) return code;
    summary_.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
    return conclude();
  }

 private:
  bool replaces_summary() const {
    return options_.existing == ExistingOutput::overwrite || !options_.manifest.resume.empty();
  }

  void check_files() const {
    const ManifestOptions& manifest = options_.manifest;
    const std::vector<std::string> inputs{manifest.file};
    require_free_file(manifest.summary, replaces_summary(), inputs);
    const std::string& results = manifest.resume.empty() ? options_.output : manifest.resume;
    if (results.empty() || results == "-") return;
    std::error_code error;
    if (!manifest.summary.empty() &&
        (results == manifest.summary ||
         std::filesystem::equivalent(results, manifest.summary, error))) {
      throw UsageError("--summary: expected another file than that of the results");
    }
    if (std::filesystem::equivalent(results, manifest.file, error)) {
      throw UsageError(results + ": expected another file than the manifest's for results");
    }
    ResultGuard(inputs).check_replaceable(results);
  }

  // Rows of this shard.
  void read_ids() {
    RowKeySet all;
    manifest_.read(reader_, [&](const Row& row, std::size_t number) {
      const RowKey key = keys_.key_of(row.id, row.line);
      all.add(key, row.line);
      if (shard_.has(number)) wanted_.add(key, row.line);
    });
    wanted_.sort();
    const auto twice = all.sort();
    if (!twice) return;
    throw UsageError(options_.manifest.file +
                     ": expected another id in each row, found the same "
                     "in lines " +
                     std::to_string(twice->first) + " and " + std::to_string(twice->second));
  }

  void open_results() {
    const std::string& resume = options_.manifest.resume;
    if (!resume.empty()) {
      results_.emplace(resume, ResultFile::Opening::go_on);
    } else if (!options_.output.empty() && options_.output != "-") {
      const bool overwrites = options_.existing == ExistingOutput::overwrite;
      results_.emplace(options_.output,
                       overwrites ? ResultFile::Opening::replace : ResultFile::Opening::make);
    }
  }

  void go_on(const RowOrigin& origin) {
    if (!results_) return;
    if (!options_.manifest.resume.empty()) take_earlier(origin);
    results_->begin();
  }

  // Reads the results that the file of --resume has already.
  void take_earlier(const RowOrigin& origin) {
    const std::string& file = options_.manifest.resume;
    std::size_t n_lines = 0;
    results_->read([&](const Line& line) {
      read_result(line, origin);
      ++n_lines;
    });
    if (n_lines == 0) check_begun();
    const auto twice = done_.sort();
    if (twice) {
      throw UsageError(file + ": expected one result of each row, found two in lines " +
                       std::to_string(twice->first) + " and " + std::to_string(twice->second));
    }
    summary_.n_earlier = done_.size();
    if (options_.manifest.retries_failed) {
      results_->clean([](const Line& line) {
        return ordered_json::parse(with_finite_numbers(line.text)).at("status") == "ok";
      });
    } else {
      results_->clean();
    }
  }

  // Without a whole line the file tells by its begin alone whose it is: all else than the begin of
  // a row's result is no killed run's, and would be cut off.
  void check_begun() {
    constexpr std::size_t kMost = std::size_t{1} << 16U;
    const std::string found = results_->first_bytes(kMost);
    bool is_ours = found.empty();
    manifest_.read(reader_, [&](const Row& row, std::size_t /*number*/) {
      if (is_ours) return;
      std::string begin = result_line(row, {{"status", nullptr}});
      begin.resize(begin.rfind("null"));
      const std::size_t size = std::min(begin.size(), found.size());
      is_ours = found.compare(0, size, begin, 0, size) == 0;
    });
    if (is_ours) return;
    throw UsageError(options_.manifest.resume +
                     ": expected results of this manifest's rows, a line each, found one line " +
                     "without an end that begins otherwise");
  }

  void read_result(const Line& line, const RowOrigin& origin) {
    const std::string place = options_.manifest.resume + ":" + std::to_string(line.number);
    const ordered_json result = ordered_json::parse(with_finite_numbers(line.text), nullptr, false);
    try {
      check_origin(result, "model_sha256", origin.model_sha256, place);
      check_origin(result, "options_sha256", origin.options_sha256, place);
      const ordered_json& id = result.at("id");
      const auto row_line = id.is_null() ? line_of_bad_row(result) : 0;
      const std::string id_text = id_of_object(line.text);
      const RowKey key = keys_.key_of(id_text, row_line);
      if (!wanted_.contains(key)) {
        throw UsageError(place + ": expected results of this manifest's rows" +
                         (shard_.count > 1 ? " and shard" : "") + ", found one of id " + id_text);
      }
      const bool is_again = options_.manifest.retries_failed && result.at("status") != "ok";
      if (is_again) return;
      done_.add(key, line.number);
      std::optional<std::string> text;
      if (result.contains("text") && result["text"].is_string()) text = result["text"];
      summary_.add(result, text);
    } catch (const ordered_json::exception&) {
      throw UsageError(place + ": expected a result, by result.schema.json (in " +
                       "share/whisper-npu/schemas), found something else");
    }
  }

  // As error.line, or in results of before as line.
  static std::size_t line_of_bad_row(const ordered_json& result) {
    const ordered_json& error = result.at("error");
    return (error.contains("line") ? error : result).at("line").get<std::size_t>();
  }

  static void check_origin(const ordered_json& result, const char* name,
                           const std::string& expected, const std::string& place) {
    const auto found = result.at(name).get<std::string>();
    if (found == expected) return;
    throw UsageError(place + ": expected a result of the same model and options, found " + name +
                     " " + found + ", now " + expected);
  }

  bool is_wanted(const Row& row) {
    const bool is_ours = shard_.has(n_read_++);
    return is_ours && !done_.contains(keys_.key_of(row.id, row.line));
  }

  void take(const RowResult& result, const std::string& line) {
    if (results_) {
      results_->add(line);
    } else {
      write_all(environment_.out, line, "stdout");
    }
    summary_.add(result.fields, result.row.text);
    if (result.fields.at("status") == "ok") return;
    messages_.error(options_.manifest.file + ":" + std::to_string(result.row.line) + ": " +
                    result.fields.at("error").at("message").get<std::string>());
  }

  int conclude() {
    const std::string& file = options_.manifest.summary;
    messages_.note(summary_text(summary_));
    if (!file.empty()) write_file(file, summary_json(summary_), !replaces_summary());
    if (summary_.n_failed == 0) return static_cast<int>(ExitCode::ok);
    messages_.error(std::to_string(summary_.n_failed) + " of " +
                    std::to_string(summary_.n_ok + summary_.n_failed) + " rows failed");
    return static_cast<int>(ExitCode::some_failed);
  }

  const Options& options_;
  const Environment& environment_;
  Messages messages_;
  ManifestFile manifest_;
  RowReader reader_;
  Shard shard_;
  RowKeys keys_;
  RowKeySet wanted_;  // this shard's rows
  RowKeySet done_;    // those that have a result
  std::size_t n_read_ = 0;
  std::optional<ResultFile> results_;
  Summary summary_;
};

}  // namespace

int transcribe_manifest(const Options& options, const Environment& environment) {
  return ManifestRun(options, environment).run();
}

}  // namespace wnpu::app
