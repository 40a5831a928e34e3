// Prints the manual page; the build runs it.
#include <iostream>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/subcommand.h"
#include "app/models/models_command.h"
#include "app/npu/npu_command.h"
#include "bench/bench_command.h"

int main() {
  const std::vector<wnpu::app::Subcommand> others = {
      wnpu::bench::bench_command(), wnpu::app::models_command(), wnpu::app::npu_command()};
  std::cout << wnpu::app::manual_page(others);
  return std::cout.flush() ? 0 : 1;
}
