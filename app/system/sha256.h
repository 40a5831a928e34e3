#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace wnpu::app {

// SHA-256 of one text after the other, in lower-case hex.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  std::string operator()(std::string_view text);
  // Digest of text in pieces: add() each, then hex(), which resets it for the next text.
  void add(std::string_view bytes);
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// SHA-256 of the file's bytes in lower-case hex; empty where it is no regular file or cannot be
// read to its end, or `should_stop`, where given, says so meanwhile.
std::string sha256_of_file(const std::filesystem::path& path,
                           const std::function<bool()>& should_stop = {});

}  // namespace wnpu::app
