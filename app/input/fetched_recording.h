// A recording at a URL: fetched into a temporary file without a name, whole and of bounded size, or
// not at all. Nothing of it is left, whatever ends the process.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "app/options/options.h"
#include "models/base/descriptor.h"

namespace wnpu::app {

struct FetchRequest {
  std::string url;
  std::string name;  // what is shown of it
  std::uint64_t most_bytes = kMostFetched;
  Verbosity verbosity = Verbosity::normal;
  std::function<bool()> should_stop = {};
};

// With the options' bound on bytes and what they say of messages.
FetchRequest fetch_request(const Options& options, const std::string& url, const std::string& name,
                           const std::function<bool()>& should_stop);

class FetchedRecording {
 public:
  // Throws AudioError where there is none, or a larger one; NetworkError where a try later may do
  // better; LibraryError, models::Stopped. A bar on `err` if that is a terminal.
  FetchedRecording(const FetchRequest& order, std::ostream& err);

  // As long as this lives.
  std::string path() const;
  const std::string& sha256() const { return sha256_; }
  // As its server calls it: "audio/mpeg"; may be empty.
  const std::string& type() const { return type_; }

 private:
  void fetch_into_spool(const FetchRequest& order, std::ostream& err);

  models::Descriptor descriptor_;
  std::string sha256_;
  std::string type_;
};

}  // namespace wnpu::app
