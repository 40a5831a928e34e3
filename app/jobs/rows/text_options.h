// Options that change results, as one checksum.
#pragma once

#include <string>

#include "app/options/options.h"

namespace wnpu::app {

// A JSON object of every option that can change a row's text, times or words, with the version of
// this program; the model is none of them. The same options give the same bytes.
std::string text_options(const Options& options);
// SHA-256 of that.
std::string options_sha256(const Options& options);

}  // namespace wnpu::app
