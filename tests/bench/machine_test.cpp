#include "bench/core/machine.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace fs = std::filesystem;
using namespace wnpu::bench;

namespace {

// A root folder to which files of /proc and /sys can be written.
class FakeRoot {
 public:
  FakeRoot() { fs::remove_all(path); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;
  ~FakeRoot() { fs::remove_all(path); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((path / file).parent_path());
    std::ofstream(path / file) << text;
  }

  const fs::path path = fs::temp_directory_path() / "wnpu_bench_machine_test";
};

}  // namespace

TEST_CASE("machine: reads the CPU, its features and the memory") {
  const FakeRoot root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: AMD EPYC 9R14\n"
             "flags\t\t: fpu avx avx2 avx512f clflush avx512_bf16 avx512_vnni\n");
  root.write("proc/meminfo", "MemFree: 1 kB\nMemTotal:       2048 kB\n");
  const Machine machine = describe_machine(root.path);
  CHECK(machine.cpu == "AMD EPYC 9R14");
  CHECK(machine.features ==
        std::vector<std::string>{"avx", "avx2", "avx512f", "avx512_bf16", "avx512_vnni"});
  CHECK(machine.memory_bytes == 2048 * 1024);
  CHECK_FALSE(machine.cpu_limit.has_value());
  CHECK_FALSE(machine.memory_limit_bytes.has_value());
}

TEST_CASE("machine: the tightest limit of its control groups holds") {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/system.slice/job.scope\n");
  root.write("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
  root.write("sys/fs/cgroup/system.slice/job.scope/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/system.slice/memory.max", "max\n");
  root.write("sys/fs/cgroup/memory.max", "4096\n");
  const Machine machine = describe_machine(root.path);
  CHECK(machine.cpu_limit == 1.5);
  CHECK(machine.memory_limit_bytes == 4096);
}

TEST_CASE("machine: this one has a CPU, memory and a kernel") {
  const Machine machine = describe_machine();
  CHECK(machine.online_cpus >= 1);
  CHECK(machine.usable_cpus >= 1);
  CHECK(machine.memory_bytes > 0);
  CHECK(machine.kernel.rfind("Linux ", 0) == 0);
  CHECK(peak_rss_bytes() > 1000000);
}

TEST_CASE("machine: noise is the time of others and what was stolen") {
  const FakeRoot root;
  root.write("proc/stat", "cpu  1000 0 0 1000 0 0 0 0 0 0\n");
  const NoiseMeter meter(root.path);
  // 1000 ticks in all, 10 s at 100 a second: 600 busy, of which 5 s are our own, and 50 stolen.
  root.write("proc/stat", "cpu  1500 50 50 1350 0 0 0 50 0 0\n");
  CHECK(meter.noise(5).other_cpu == doctest::Approx(0.1));
  CHECK(meter.noise(5).steal == doctest::Approx(0.05));
  CHECK(meter.noise(7).other_cpu == 0.0);
}

TEST_CASE("machine: own CPU time grows with work") {
  const double before = own_cpu_seconds();
  volatile double sum = 0;
  while (own_cpu_seconds() < before + 0.01) {
    sum = sum + 1;
  }
  CHECK(sum > 0);
}

TEST_CASE("machine: energy is the packages' sum, over a counter that starts again") {
  const FakeRoot root;
  const std::string zone = "sys/class/powercap/intel-rapl:";
  const auto package = [&](const std::string& number, const std::string& name,
                           const std::string& energy) {
    root.write(zone + number + "/name", name + "\n");
    root.write(zone + number + "/energy_uj", energy + "\n");
    root.write(zone + number + "/max_energy_range_uj", "10000000\n");
  };
  package("0", "package-0", "1000000");
  package("1", "package-1", "9000000");
  package("0:0", "core", "0");
  const EnergyMeter meter(root.path);
  CHECK(meter.why_not().empty());
  package("0", "package-0", "3000000");
  package("1", "package-1", "500000");
  package("0:0", "core", "2000000");
  CHECK(*meter.joules() == doctest::Approx(2.0 + 1.5));
}

TEST_CASE("machine: says why there is no energy figure") {
  const FakeRoot root;
  const std::string powercap = (root.path / "sys/class/powercap").string();
  const EnergyMeter none(root.path);
  CHECK_FALSE(none.joules().has_value());
  CHECK(none.why_not() == "no " + powercap + ": no RAPL, or hidden from this virtual machine");
  root.write("sys/class/powercap/dtpm/name", "x");
  CHECK(EnergyMeter(root.path).why_not() == "no intel-rapl package in " + powercap);
  root.write("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  CHECK(EnergyMeter(root.path).why_not() ==
        powercap + "/intel-rapl:0/energy_uj cannot be read: needs root");
}
