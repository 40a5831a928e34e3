#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/commands/models/hub_actions.h"
#include "app/commands/models/model_advice.h"
#include "app/commands/models/models_json.h"
#include "app/engine/model_path.h"
#include "app/formats/text_table.h"
#include "app/model_store/hub/catalogue.h"
#include "app/options/exit_code.h"
#include "app/system/write_all.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

std::string stored_formats(const HubModel& model) {
  std::string text;
  for (const HubSource& source : model.sources) {
    text.append(text.empty() ? "" : " ").append(source.format);
  }
  return text;
}

// LANGUAGES, MEMORY, SPEED; of what is not a released size, and of the detector, none.
std::array<std::string, 3> needs_cells(const std::string& name) {
  const auto needs = needs_of(name, this_host());
  if (!needs) return {"-", "-", "-"};
  return {needs->languages == 1 ? "English" : std::to_string(needs->languages),
          size_text(needs->memory_bytes),
          std::to_string(std::lround(needs->times_real_time)) + " x"};
}

TextRow catalogue_row(const ListedModel& model, const fs::path& folder) {
  const auto [languages, memory, speed] = needs_cells(model.published == nullptr ? "" : model.name);
  if (model.published == nullptr) {
    return {model.name, languages, "?",
            memory,     speed,     std::string(hub_format_of(folder / model.name)),
            "-"};
  }
  const std::uint64_t bytes = model.published->sources.front().bytes();
  return {model.name,
          languages,
          bytes == 0 ? "?" : size_text(bytes),
          memory,
          speed,
          model.path.empty() ? "-" : std::string(hub_format_of(model.path)),
          stored_formats(*model.published)};
}

std::string advice_text() {
  const auto [english, other] = advice_for(this_host());
  const std::string of_english = english == other ? "" : "--model " + english + " for English, ";
  return "\nTake for this machine: " + of_english + "--model " + other +
         (of_english.empty() ? "" : " for other languages") +
         ".\nMEMORY is an upper bound, SPEED is modelled (times real time); both with the default "
         "options.\nA larger model makes fewer errors.\n";
}

// The catalogue's, then what else is in the folder.
std::vector<ListedModel> listed_models(const fs::path& folder, bool only_here) {
  std::vector<ListedModel> models;
  std::vector<fs::path> shown;
  for (const HubModel& model : hub_models()) {
    const std::string name(model.name);
    const fs::path here = find_name(name, folder);
    if (!here.empty()) shown.push_back(here.filename());
    if (!here.empty() || !only_here) models.push_back({name, &model, here});
  }
  for (const std::string& name : models_in(folder)) {
    if (std::ranges::find(shown, fs::path(name)) != shown.end()) continue;
    models.push_back({name, nullptr, folder / name});
  }
  return models;
}

enum class ListedAs { table, names, json };

struct Listing {
  NamedModels named;
  bool only_here = false;
  ListedAs as = ListedAs::table;
};

void add_list_options(CLI::App& app, Listing& listing) {
  app.add_flag("--here", listing.only_here, "Only those that are here");
  CLI::Option* const names = app.add_flag_callback(
      "--names", [&listing] { listing.as = ListedAs::names; }, "Names alone, a line each");
  app.add_flag_callback(
         "--json", [&listing] { listing.as = ListedAs::json; },
         "As JSON, by models_list.schema.json (in share/whisper-npu/schemas)")
      ->excludes(names);
  add_model_dir(app, listing.named);
}

// As --model takes them: the detector of speech is none.
std::string names_text(const std::vector<ListedModel>& models) {
  std::string text;
  for (const ListedModel& model : models) text += model.name + "\n";
  return text;
}

int list_catalogue(const Listing& listing, const std::vector<std::string>& /*files*/) {
  const auto& [named, only_here, as] = listing;
  const fs::path folder = named.folder();
  const std::vector<ListedModel> models = listed_models(folder, only_here);
  std::vector<TextRow> rows = {
      {"NAME", "LANGUAGES", "SIZE", "MEMORY", "SPEED", "HERE", "PUBLISHED AS"}};
  for (const ListedModel& model : models) rows.push_back(catalogue_row(model, folder));
  for (const HubModel* helper : {&hub_detector(), &hub_speakers()}) {
    const std::string name(helper->name);
    const fs::path here = find_stored(name, folder);
    if (!only_here || !here.empty()) rows.push_back(catalogue_row({name, helper, here}, folder));
  }
  const std::string text = as == ListedAs::json ? models_json(models, folder)
                           : as == ListedAs::names
                               ? names_text(models)
                               : text_table(rows) + (only_here ? "" : advice_text());
  print_report(text);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand list_action() {
  return subcommand("list", "Models that can be pulled by name, and those that are here",
                    add_list_options, list_catalogue);
}

}  // namespace wnpu::app
