#include "app/serve/models.h"

#include <algorithm>

#include "app/serve/http/api_error.h"

namespace wnpu::serve {

LoadedModel::LoadedModel(const std::string& name, const ServeOptions& options)
    : model(name, {options.work.model_dir, options.work.device, options.work.threads}),
      service(model, {.n_together = options.work.rows.n_together,
                      .threads = options.work.threads,
                      .n_readers = options.n_readers}) {}

Models::Models(std::vector<std::string> names, Load load, Post post, InBackground in_background)
    : names_(std::move(names)),
      entries_(names_.size()),
      load_(std::move(load)),
      post_(std::move(post)),
      in_background_(std::move(in_background)) {}

const std::string& Models::find(const std::string& asked) const {
  const auto found = std::ranges::find(names_, asked);
  if (found != names_.end()) return *found;
  if (asked.empty() || asked == kOpenAiName) return names_.front();
  std::string all;
  for (const std::string& name : names_) all += (all.empty() ? "" : ", ") + name;
  throw ApiError(404, "model: expected one of " + all + ", found " + asked, "model",
                 "model_not_found");
}

std::size_t Models::place_of(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
}

void Models::put(const std::string& name, LoadedModelPtr model) {
  finish(place_of(name), std::move(model), nullptr);
}

void Models::use(const std::string& name, Ready ready) {
  const std::size_t place = place_of(name);
  Entry& entry = entries_.at(place);
  entry.used = Clock::now();
  if (entry.model) return ready(entry.model, nullptr);
  entry.waiting.push_back(std::move(ready));
  if (entry.waiting.size() > 1) return;
  in_background_([this, place] {
    LoadedModelPtr model;
    std::exception_ptr failure;
    try {
      model = load_(names_[place]);
    } catch (...) {
      failure = std::current_exception();
    }
    post_([this, place, model, failure] { finish(place, model, failure); });
  });
}

void Models::finish(std::size_t place, LoadedModelPtr model, const std::exception_ptr& failure) {
  Entry& entry = entries_[place];
  entry.model = std::move(model);
  entry.used = Clock::now();
  const std::vector<Ready> waiting = std::exchange(entry.waiting, {});
  for (const Ready& ready : waiting) ready(entry.model, failure);
}

std::size_t Models::n_loaded() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const Entry& entry) { return entry.model != nullptr; }));
}

ServiceLoad Models::load() const {
  ServiceLoad sum;
  for (const Entry& entry : entries_) {
    if (!entry.model) continue;
    const ServiceLoad load = entry.model->service.load();
    sum.n_waiting += load.n_waiting;
    sum.n_at_work += load.n_at_work;
    sum.waiting_s += load.waiting_s;
    sum.n_decoding += load.n_decoding;
    sum.n_steps += load.n_steps;
    sum.n_windows_in_steps += load.n_windows_in_steps;
  }
  return sum;
}

void Models::unload_idle(Clock::time_point now, Clock::duration after) {
  for (Entry& entry : entries_) {
    if (!entry.model) continue;
    if (entry.model.use_count() > 1) entry.used = now;
    if (now - entry.used < after) continue;
    in_background_([model = std::make_shared<LoadedModelPtr>(std::exchange(entry.model, nullptr))] {
      model->reset();
    });
  }
}

void Models::clear() {
  for (Entry& entry : entries_) entry.model.reset();
}

}  // namespace wnpu::serve
