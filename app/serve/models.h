// The models that are served: loaded when they are first asked for, unloaded when nobody uses them.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/whisper_npu_service.hpp"
#include "app/serve/http/exchange.h"
#include "app/serve/serve_options.h"

namespace wnpu::serve {

// OpenAI's name of its Whisper, which stands for the first model here.
inline constexpr std::string_view kOpenAiName = "whisper-1";

struct LoadedModel {
  LoadedModel(const std::string& name, const ServeOptions& options);

  Model model;
  Service service;
};
using LoadedModelPtr = std::shared_ptr<LoadedModel>;

// On the server's thread but where something else is said.
class Models {
 public:
  using Clock = std::chrono::steady_clock;
  using Load = std::function<LoadedModelPtr(const std::string& name)>;  // in the background
  using Ready = std::function<void(LoadedModelPtr, std::exception_ptr failure)>;

  // Names may not be empty.
  Models(std::vector<std::string> names, Load load, Post post, InBackground in_background);

  const std::vector<std::string>& names() const { return names_; }
  // The name that a client's stands for: none, or OpenAI's, is the first. Throws ApiError, 404.
  const std::string& find(const std::string& asked) const;
  // One that is loaded already.
  void put(const std::string& name, LoadedModelPtr model);
  // Calls `ready` with the model, now or when it is loaded. `name` is one of names().
  void use(const std::string& name, Ready ready);
  std::size_t n_loaded() const;

  // Sums over all that are loaded.
  ServiceLoad load() const;
  // Unloads those that nobody has used for so long; their memory is freed in the background.
  void unload_idle(Clock::time_point now, Clock::duration after);
  // Before the end: waits for what the services do.
  void clear();

 private:
  struct Entry {
    LoadedModelPtr model;        // null: not loaded
    std::vector<Ready> waiting;  // for it to be loaded; empty: it is not being loaded
    Clock::time_point used;
  };

  std::size_t place_of(const std::string& name) const;
  void finish(std::size_t place, LoadedModelPtr model, const std::exception_ptr& failure);

  std::vector<std::string> names_;
  std::vector<Entry> entries_;
  Load load_;
  Post post_;
  InBackground in_background_;
};

}  // namespace wnpu::serve
