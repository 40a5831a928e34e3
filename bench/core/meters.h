// How busy others kept the machine during a measurement, and what the process itself used. What is
// read from the kernel is read below `root`, which is "/" outside of tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wnpu::bench {

// Largest resident memory of this process so far.
std::uint64_t peak_rss_bytes();

// CPU time that was not ours between start and noise(), as shares of all CPUs' time.
class NoiseMeter {
 public:
  struct Noise {
    double other_cpu = 0;  // processes but this one
    double steal = 0;      // the hypervisor gave to other guests
  };

  explicit NoiseMeter(std::filesystem::path root = "/");  // starts
  // Its own CPU time is handed in, since children of this process may be part of the measurement.
  Noise noise(double own_cpu_seconds) const;

 private:
  struct Times {  // seconds, all CPUs together
    double busy = 0;
    double steal = 0;
    double total = 0;
  };
  Times read() const;

  std::filesystem::path root_;
  Times start_;
};

// User and system time of this process so far, and of its children that have ended, seconds.
double own_cpu_seconds();
double children_cpu_seconds();

// Energy of the processor packages through the kernel's powercap interface (RAPL).
class EnergyMeter {
 public:
  explicit EnergyMeter(const std::filesystem::path& root = "/");  // starts

  // Why there is no figure: "no /sys/class/powercap: ..."; empty if there is one.
  const std::string& why_not() const { return why_not_; }
  // Since the start; nullopt where why_not() says so.
  std::optional<double> joules() const;

 private:
  struct Package {
    std::filesystem::path folder;
    std::uint64_t start_uj = 0;
    std::uint64_t range_uj = 0;  // the counter starts again from 0 above it
  };

  std::vector<Package> packages_;
  std::string why_not_;
};

}  // namespace wnpu::bench
