// A model that a transcription is asked for by name, and that is not there yet.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "app/model_store/hub/pull.h"
#include "app/options/options.h"

namespace wnpu::app {

// Whether something may be fetched: --yes says so, or somebody at the terminal whom `question` is
// put to.
bool may_fetch(const Options& options, const std::string& question, std::istream& in,
               std::ostream& err);

// Pulls it where --yes says so, or where somebody at the terminal does; says how much it is before.
// Throws ModelError, with the command that fetches it, where nobody can be asked or --offline was
// given. Does nothing for what is there, a path, and a name that nobody publishes. The same of the
// detector of speech, where it is to be used.
void pull_missing_model(const Options& options, std::istream& in, std::ostream& err);

// Path of the model with a path or name, by the same rules but without a question: a missing one is
// pulled into `order`'s folder, unless `offline` names what keeps it from that. Throws as
// find_model and pull_model do.
std::filesystem::path named_model(const std::string& name_or_path, PullRequest order,
                                  const std::string& offline, std::ostream& err);

}  // namespace wnpu::app
