// Kinds of values on the command line, and how they are declared to CLI11.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "models/stages.h"

namespace wnpu::app {

// openai/whisper's spelling has underscores: "--beam_size 5" and "--beam_size=5" are taken too.
std::vector<std::string> with_dashes(std::span<const char* const> arguments);

// Without a description of its own: the option's type name says it in --help.
CLI::Validator one_of(std::vector<std::string> names);

// An option whose value may be None, as openai/whisper's optional_float.
void add_number_or_none(CLI::App& app, const std::string& name, std::optional<double>& target,
                        const std::string& help);
// openai/whisper's str2bool, and what else people write.
void add_bool(CLI::App& app, const std::string& name, bool& target, const std::string& help);
// A number in a range, both ends included.
void add_number(CLI::App& app, const std::string& name, double& target,
                std::pair<double, double> range, const std::string& help);
// A number of beams or candidates; 64 is more than memory and sense allow.
void add_count(CLI::App& app, const std::string& name, std::size_t& target,
               const std::string& help);

// These throw CLI::ValidationError.
std::string language_code(const std::string& text);
std::vector<models::TokenId> parse_tokens(const std::string& text);
std::vector<double> parse_clips(const std::string& text);

}  // namespace wnpu::app
