// A user of the program, for tests of its configuration.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/options/exit_code.h"
#include "app/options/work_options.h"
#include "tests/support/temporary_folder.h"

namespace wnpu::tests {

// A user with this configuration file and these variables.
class ConfigUser {
 public:
  explicit ConfigUser(const std::string& config,
                      std::map<std::string, std::string> variables = {}) {
    surroundings_.variables = std::move(variables);
    surroundings_.usual_config = folder_.make_file("config.toml", config);
  }

  app::CommandLine line(const std::vector<const char*>& words) const {
    const std::vector<app::Subcommand> others = {
        {"bench", "Measure", [this](CLI::App& command) { app::add_work_options(command, bench_); },
         [](const std::vector<std::string>&) { return 0; }}};
    return app::parse_command_line(words, others, surroundings_);
  }
  app::Options options(std::vector<const char*> words = {}) const {
    words.insert(words.begin(), "transcribe");
    words.push_back("a.wav");
    return line(words).options;
  }
  // The message of the refusal, the file's folder left out; empty where there is none.
  std::string refusal(const std::vector<const char*>& words = {"transcribe", "a.wav"}) const {
    try {
      line(words);
    } catch (const app::UsageError& error) {
      std::string text = error.what();
      const std::string folder = folder_.path().string() + "/";
      for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
        text.erase(at, folder.size());
      }
      return text;
    }
    return "";
  }
  app::Options bench() const {
    bench_ = {};
    line({"bench"}).run();
    return bench_;
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  app::ConfigSources surroundings_;
  mutable app::Options bench_;
};

}  // namespace wnpu::tests
