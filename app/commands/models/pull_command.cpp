#include <iostream>
#include <string>
#include <vector>

#include "app/commands/models/hub_actions.h"
#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/model_store/hub/pull.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"
#include "models/base/closest_name.h"

namespace wnpu::app {
namespace {

struct PullCommand {
  NamedModels named;
  std::string format{"auto"};
  std::string source;
  bool offline = false;
  bool quiet = false;
  LogFormat log_format = LogFormat::text;
};

void add_options_of_pull(CLI::App& app, PullCommand& order) {
  add_named_models(app, order.named);
  add_name(app, "--format", with_auto(kHubFormats), order.format,
           "Format to pull; auto: the first that the model is published in");
  app.add_option("--source", order.source,
                 "A mirror's URL in place of the publishers' hosts; if not given what "
                 "WHISPER_NPU_HUB says")
      ->type_name("URL");
  app.add_flag("--offline", order.offline, "Pull nothing: say what is missing");
  app.add_flag("-q,--quiet", order.quiet, "Only errors on stderr");
  add_log_format(app, order.log_format);
}

const HubModel& hub_model_of(const std::string& name) {
  if (const HubModel* const model = find_published(name); model != nullptr) return *model;
  throw UsageError("models pull " + name + ": no such model is published here" +
                   models::suggestion(name, pulled_names()) + " (models list shows all)");
}

int pull_models(const PullCommand& order, const std::vector<std::string>& names) {
  use_log_format(order.log_format);
  require_some(names, "models pull");
  hub_mirror(order.source);
  for (const std::string& name : names) hub_model_of(name);
  for (const std::string& name : names) {
    PullRequest pull;
    pull.model = &hub_model_of(name);
    pull.folder = order.named.folder();
    pull.format = order.format == "auto" ? "" : order.format;
    pull.mirror = order.source;
    pull.verbosity = order.quiet ? Verbosity::quiet : Verbosity::normal;
    const std::filesystem::path path = order.offline
                                           ? place_of(std::string(pull.model->name), pull.folder)
                                           : pull_model(pull, std::cerr);
    print_report(path.string() + "\n");
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand pull_action() {
  return subcommand("pull", "Fetch models by name; prints where they are", add_options_of_pull,
                    pull_models);
}

}  // namespace wnpu::app
