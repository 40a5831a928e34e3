// Prints the manual page; the build runs it.
#include <iostream>

#include "app/cli/command_line.h"
#include "app/commands.h"

int main() {
  std::cout << wnpu::app::manual_page(wnpu::app::commands_beside_transcribe());
  return std::cout.flush() ? 0 : 1;
}
