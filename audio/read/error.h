// The error of the audio folder: input that is missing, empty, damaged or no audio at all.
#pragma once

#include <stdexcept>

namespace wnpu::audio {

// what() names the path, what was expected and what was found.
struct AudioError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A library that an input needs is not installed. what() names it and its package.
struct MissingLibrary : AudioError {
  using AudioError::AudioError;
};

}  // namespace wnpu::audio
