#include <array>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "app/cli/command_line.h"

using namespace wnpu::app;

namespace {

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("manual: has every option that transcribe --help lists") {
  const std::array<const char*, 2> arguments = {"transcribe", "--help"};
  const std::string manual = manual_page({});
  std::istringstream help(parse_command_line(arguments).text);
  std::size_t n_options = 0;
  for (std::string line; std::getline(help, line);) {
    const std::size_t begin = line.find("--");
    if (begin == std::string::npos || line.find_first_not_of(' ') + 4 < begin) continue;
    const std::string name = line.substr(begin + 2, line.find_first_of(" ,", begin) - begin - 2);
    std::string escaped = "\\-\\-";
    for (const char c : name) escaped += c == '-' ? "\\-" : std::string(1, c);
    CAPTURE(name);
    CHECK(manual.find(escaped) != std::string::npos);
    ++n_options;
  }
  CHECK(n_options > 40);
}

TEST_CASE("manual: what is said of the program stands once, however many commands there are") {
  const auto nothing = [](CLI::App&) {};
  const auto run = [](const std::vector<std::string>&) { return 0; };
  const std::vector<Subcommand> others = {{"one", "First", nothing, run},
                                          {"two", "Second", nothing, run}};
  const std::string manual = manual_page(others);
  CHECK(count_of("OPTIONS OF two", manual) == 1);
  CHECK(count_of("WNPU_ISA", manual) == 1);
  CHECK(count_of("models pull small", manual) == 1);
  std::size_t last = 0;
  for (const char* section : {"EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"}) {
    CAPTURE(section);
    const std::string heading = "\n.SH " + std::string(section) + "\n";
    CHECK(count_of(heading, manual) == 1);
    CHECK(manual.find(heading) > last);
    last = manual.find(heading);
  }
  CHECK(manual.find("models pull small") > last);
  CHECK(manual.find("WHISPER_NPU_<OPTION>") > manual.find("\n.SH ENVIRONMENT\n"));
}

TEST_CASE("manual: no line of its text is taken for a request of troff") {
  std::istringstream manual(manual_page({}));
  for (std::string line; std::getline(manual, line);) {
    if (!line.starts_with('.')) continue;
    const std::string request = line.substr(0, line.find(' '));
    CAPTURE(line);
    CHECK(std::string(".TH .SH .SS .TP .I .B .br .nf .fi ").find(request + " ") !=
          std::string::npos);
  }
}
