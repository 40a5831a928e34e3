// Windows of noise encoded by simulated devices, or by the CPU: states, counts, and what is said.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/devices/encoder_group.h"
#include "tests/app/engine/npu_set.h"
#include "tests/app/engine/remembered_device.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"

namespace wnpu::tests {

using Devices = std::vector<std::unique_ptr<npu::Device>>;
using Failures = std::vector<std::optional<std::size_t>>;  // a device: its call that fails

// Division of the work, the CPU's part in it, and the devices' memory.
struct How {
  std::string split = "windows";
  app::CpuShare cpu = {};
  std::size_t threads = 2;
  std::optional<std::uint64_t> memory_limit = {};
};

struct DeviceRun {
  std::vector<models::EncoderStates> states;
  DeviceInfo info;
  std::string error;  // of DeviceError
  std::string fallback;
};

class DeviceRuns {
 public:
  DeviceRuns(const DeviceModel& shape, std::size_t n_windows) {
    write_device_model(folder_.path(), shape);
    model = load(folder_.path());
    for (unsigned i = 0; i < n_windows; ++i) {
      mels_.push_back(models::LogMel{random_matrix(80, 3000, 8 + i)});
    }
  }

  // A session's encoder with devices of its own; none: the CPU.
  struct Session {
    std::unique_ptr<app::EncoderSet> devices;
    models::ThreadPool pool{2};
    std::unique_ptr<app::EncoderGroup> encoder;
  };
  std::unique_ptr<Session> open_with(Devices devices, const How& how = {}) const {
    auto session = std::make_unique<Session>();
    DeviceOptions options;
    options.split = how.split;
    options.memory_limit = how.memory_limit;
    if (!devices.empty()) session->devices = npu_set(std::move(devices), options);
    session->encoder = std::make_unique<app::EncoderGroup>(*model, how.threads, session->pool,
                                                           session->devices.get(), how.cpu);
    return session;
  }
  std::unique_ptr<Session> open(const Failures& failures, const How& how = {}) const {
    Devices devices;
    for (const auto& fails_at : failures) {
      devices.push_back(std::make_unique<RememberedDevice>(fails_at));
    }
    return open_with(std::move(devices), how);
  }

  DeviceRun encode(Session& session) const {
    DeviceRun run;
    run.states.resize(mels_.size());
    std::vector<app::EncodeJob> jobs;
    for (std::size_t i = 0; i < mels_.size(); ++i) jobs.push_back({&mels_[i], &run.states[i]});
    session.encoder->begin_file(mels_.size());
    try {
      session.encoder->encode(jobs);
    } catch (const npu::DeviceError& error) {
      run.error = error.what();
    }
    session.encoder->describe(run.info);
    run.fallback = session.encoder->fallback();
    return run;
  }
  DeviceRun run(const Failures& failures, const How& how = {}) const {
    return encode(*open(failures, how));
  }

  std::shared_ptr<const app::LoadedModel> model;

 private:
  TemporaryFolder folder_;
  std::vector<models::LogMel> mels_;
};

inline bool same(const models::EncoderStates& a, const models::EncoderStates& b) {
  return a.values.size() > 0 && std::ranges::equal(a.values.flat(), b.values.flat());
}

// Windows of two runs with the same bits.
inline std::size_t n_same(const DeviceRun& a, const DeviceRun& b) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.states.size(); ++i) n += same(a.states[i], b.states[i]) ? 1 : 0;
  return n;
}
inline bool same(const DeviceRun& a, const DeviceRun& b) { return n_same(a, b) == a.states.size(); }

// Sum of a count over the devices.
template <typename Count>
Count sum(const DeviceInfo& info, Count DeviceUse::*field) {
  Count all = 0;
  for (const DeviceUse& use : info.devices) all += use.*field;
  return all;
}

}  // namespace wnpu::tests
