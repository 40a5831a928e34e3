// Guard of results' paths: checks before any work starts, and again when a result is written.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>

namespace wnpu::app {

// Files that a result may replace: any but recordings and models; packed models too if the result
// is one.
enum class Replaceable { results, packed_models };

class ResultGuard {
 public:
  // "-" among the inputs is stdin.
  explicit ResultGuard(std::span<const std::string> inputs,
                       Replaceable replaceable = Replaceable::results);

  // Throws UsageError where the file at `path`, behind links, is an input under whatever name, and
  // OutputError where it decodes as audio or is a file of a model: none is replaced, --overwrite or
  // not. An empty path is stdout.
  void check_replaceable(const std::filesystem::path& path) const;
  // Besides, throws OutputError where nothing can be written to `path`: it is a folder, or its
  // folder is not there or may not be written to.
  void check(const std::filesystem::path& path) const;
  // Before `path` is written: as check_replaceable(). Where it `is_new`, throws NameTaken if a
  // regular file is there meanwhile.
  void check_again(const std::filesystem::path& path, bool is_new) const;
  // Whether check_replaceable() throws nothing.
  bool is_replaceable(const std::filesystem::path& path) const;
  // Whether "talk.partial.srt" is a part of `input`'s result, as it looks: neither is it audio, nor
  // is it, by its name, the whole result of a recording beside `input`, "talk.partial.wav".
  bool is_part(const std::filesystem::path& partial, const std::filesystem::path& input) const;

 private:
  std::set<std::pair<dev_t, ino_t>> inputs_;
  Replaceable replaceable_;
};

}  // namespace wnpu::app
