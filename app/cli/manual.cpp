#include "app/cli/manual.h"

#include <string_view>
#include <vector>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/system/build_info.h"

namespace wnpu::app {
namespace {

constexpr std::string_view kDescription = R"(.SH DESCRIPTION
Writes what is said in audio and video files. Standard output has the result and nothing else; messages go to
standard error. A file appears under its name only when it is whole, and nothing that is there is replaced
unless
.B \-\-overwrite
says so. Of several files each fails alone.
)";

constexpr std::string_view kFiles = R"(.SH FILES
.TP
.I ~/.config/whisper\-npu/config.toml
Options, as TOML; in
.B XDG_CONFIG_HOME
where that is set
.TP
.I ~/.cache/whisper\-npu/
Models by name, recordings of the quickstart, compiled operators; in
.B XDG_CACHE_HOME
where that is set
.TP
.I NAME.partial.EXTENSION
What a stopped run had finished of a result
.TP
.I .whisper\-npu.NUMBER.part
A result that a killed run left; the next run that writes to the folder removes it
)";

// Text that is no request of troff, and whose dashes stay what they are.
std::string escaped(const std::string& text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    begins_line = c == '\n';
  }
  return result;
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCodeText& each : exit_code_texts()) {
    text += ".TP\n.B " + std::string(each.code) + "\n" + escaped(std::string(each.meaning)) + "\n";
  }
  return text;
}

// "-f, --format" bold, "txt|srt" italic, and what it does.
std::string entry_of(const CLI::Option& option) {
  std::string text = ".TP\n";
  if (option.get_positional()) {
    text += "\\fI" + escaped(option.get_name()) + "\\fR";
  } else {
    text += "\\fB" + escaped(option.get_name(false, true)) + "\\fR";
    const std::string value = option.get_type_name();
    if (!value.empty()) text += " \\fI" + escaped(value) + "\\fR";
  }
  text += "\n" + escaped(option.get_description());
  const std::string& usual = option.get_default_str();
  return text + (usual.empty() ? "" : " [" + escaped(usual) + "]") + "\n";
}

std::string options_of(const CLI::App& command) {
  std::string text;
  std::string group = "Options";  // CLI11's name for those without one
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() != group) {
      group = option->get_group();
      text += ".SS " + escaped(group) + "\n";
    }
    text += entry_of(*option);
  }
  return text;
}

// A command's footer has them. One that has none of its own has the program's, from CLI11.
std::string examples_of(const CLI::App& command, const CLI::App& program) {
  const std::string footer = command.get_footer();
  const bool is_its_own = !footer.empty() && footer != program.get_footer();
  return is_its_own ? ".nf\n" + escaped(footer) + "\n.fi\n" : "";
}

// A section whose lines are those of --help.
std::string as_it_stands(const std::string& title, std::string_view text) {
  return ".SH " + title + "\n.nf\n" + escaped(std::string(text)) + "\n.fi\n";
}

// The commands below one, or itself where there is none, each with the words that name it.
struct NamedCommand {
  std::string words;  // "npu emit"
  const CLI::App* command;
};

void add_commands(const CLI::App& above, const std::string& words,
                  std::vector<NamedCommand>& found) {
  const auto below = above.get_subcommands([](const CLI::App*) { return true; });
  if (below.empty()) found.push_back({words, &above});
  for (const CLI::App* command : below) {
    add_commands(*command, words + (words.empty() ? "" : " ") + command->get_name(), found);
  }
}

}  // namespace

std::string manual_of(const CLI::App& program, std::string_view examples) {
  const std::string name = escaped(program.get_name());
  std::string text = ".TH WHISPER-NPU 1 \"\" \"whisper-npu " + std::string(kVersion) + "\"\n";
  text += ".SH NAME\n" + name + " \\- " + escaped(program.get_description()) + "\n.SH SYNOPSIS\n";
  std::vector<NamedCommand> commands;
  add_commands(program, "", commands);
  for (const auto& [words, command] : commands) {
    text += ".B " + name + " " + escaped(words) + "\n[\\fIoption\\fR]..." +
            (takes_files(*command) ? " [\\fIfile\\fR]..." : "") + "\n.br\n";
  }
  text += kDescription;
  text += ".SH OPTIONS\n" + options_of(program);
  for (const auto& [words, command] : commands) {
    text += ".SH OPTIONS OF " + escaped(words) + "\n" + escaped(command->get_description()) +
            ".\n" + options_of(*command) + examples_of(*command, program);
  }
  text += exit_status();
  const std::string environment = program.get_footer();
  text += as_it_stands("ENVIRONMENT", environment.substr(environment.find('\n') + 1));
  return text + std::string(kFiles) + as_it_stands("EXAMPLES", examples);
}

}  // namespace wnpu::app
