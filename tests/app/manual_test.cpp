#include <array>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "tests/support/text.h"

using namespace wnpu::app;

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
  CHECK(wnpu::tests::count_of(manual, "OPTIONS OF two") == 1);
  CHECK(wnpu::tests::count_of(manual, "WNPU_ISA") == 1);
  CHECK(wnpu::tests::count_of(manual, "models pull small") == 1);
  std::size_t last = 0;
  for (const char* section : {"EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"}) {
    CAPTURE(section);
    const std::string heading = "\n.SH " + std::string(section) + "\n";
    CHECK(wnpu::tests::count_of(manual, heading) == 1);
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
