// Kinds of an option's value in a configuration file, and how it is written there.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace wnpu::app {

enum class OptionKind { boolean, integer, number, text };

// By the type that --help shows.
OptionKind kind_of(const CLI::Option& option);
bool takes_none(const CLI::Option& option);

// A value as the command line has it, in the one way that a file and `config show` write it: "0.5"
// of ".5", "3" of "003", "True" of "true". What the command line does not read stays as it is.
std::string usual_form(const CLI::Option& option, const std::string& text);

}  // namespace wnpu::app
