// write_shell_files FOLDER: the manual page and the shells' completions; the build runs it.
#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/commands/commands.h"
#include "app/model_store/hub/catalogue.h"

namespace {

using namespace wnpu::app;

void write_to(const std::string& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) throw std::runtime_error(file + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::invalid_argument("expected one argument, a folder");
    const std::string folder = std::string(argv[1]) + "/";
    const std::vector<Subcommand> others = commands_beside_transcribe();
    write_to(folder + "whisper-npu.1", manual_page(others));
    // As each shell looks for them.
    write_to(folder + "whisper-npu", completions(others, hub_names(), Shell::bash));
    write_to(folder + "_whisper-npu", completions(others, hub_names(), Shell::zsh));
    write_to(folder + "whisper-npu.fish", completions(others, hub_names(), Shell::fish));
  } catch (const std::exception& error) {
    std::cerr << "write_shell_files: " << error.what() << '\n';
    return 1;
  }
}
