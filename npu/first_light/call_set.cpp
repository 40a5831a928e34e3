#include "npu/first_light/call_set.h"

#include <algorithm>
#include <cmath>

namespace wnpu::npu {

CallSet::CallSet(Device& device, std::span<const NamedDesign> calls) : device_(device) {
  for (const NamedDesign& call : calls) {
    programs_.push_back(device.load(call.design));
    n_arguments_.push_back(call.design.n_arguments());
    bytes_.resize(std::max(bytes_.size(), call.design.n_arguments()));
    for (std::size_t i = 0; i < call.design.n_arguments(); ++i) {
      bytes_[i] = std::max(bytes_[i], static_cast<std::size_t>(call.design.memories[i].bytes));
    }
  }
  for (std::size_t i = 0; i < bytes_.size(); ++i) arguments_.push_back(another(i));
}

std::unique_ptr<Buffer> CallSet::another(std::size_t argument) {
  auto buffer = programs_.front()->allocate(bytes_[argument], static_cast<int>(argument));
  std::ranges::fill(buffer->host(), std::byte{0});
  buffer->to_device();
  return buffer;
}

void CallSet::write(std::size_t argument, std::span<const std::byte> bytes) {
  std::copy(bytes.begin(), bytes.end(), arguments_[argument]->host().begin());
  arguments_[argument]->to_device();
}

void CallSet::fill(std::size_t argument, std::byte value) {
  std::ranges::fill(arguments_[argument]->host(), value);
  arguments_[argument]->to_device();
}

std::span<const std::byte> CallSet::read(std::size_t argument) {
  arguments_[argument]->from_device();
  return arguments_[argument]->host();
}

Run CallSet::run_of(std::size_t call) const {
  Run run{programs_[call].get(), {}};
  for (std::size_t i = 0; i < n_arguments_[call]; ++i) run.arguments.push_back(arguments_[i].get());
  return run;
}

void CallSet::run(std::size_t call, std::chrono::milliseconds timeout) {
  const Run one = run_of(call);
  device_.run_all({&one, 1}, timeout);
}

CallTimer::CallTimer(Device& device, std::size_t runs, std::chrono::milliseconds timeout)
    : device_(device), runs_(device.is_simulated() ? 1 : runs), timeout_(timeout) {}

double CallTimer::once(std::span<const Run> list) {
  const RunStats before = device_.stats();
  device_.run_all(list, timeout_);
  const RunStats after = device_.stats();
  return 1e3 * (device_.is_simulated() ? after.modelled_ms - before.modelled_ms
                                       : after.wall_ms - before.wall_ms);
}

CallTime CallTimer::time(const std::string& name, std::span<const Run> list) {
  if (!device_.is_simulated()) once(list);
  std::vector<double> us;
  for (std::size_t i = 0; i < runs_; ++i) us.push_back(once(list));
  std::ranges::sort(us);
  const auto at = [&](double share) {
    const double last = static_cast<double>(us.size() - 1);
    return us[static_cast<std::size_t>(std::ceil(share * last))];
  };
  return {name, us.size(), at(0.5), at(0.95)};
}

}  // namespace wnpu::npu
