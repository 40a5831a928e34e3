#include "bench/core/meters.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"

using namespace wnpu::bench;
using wnpu::tests::TemporaryFolder;

TEST_CASE("meters: noise is the time of others and what was stolen") {
  const TemporaryFolder root;
  root.make_file("proc/stat", "cpu  1000 0 0 1000 0 0 0 0 0 0\n");
  const NoiseMeter meter(root.path());
  // 1000 ticks in all, 10 s at 100 a second: 600 busy, of which 5 s are our own, and 50 stolen.
  root.make_file("proc/stat", "cpu  1500 50 50 1350 0 0 0 50 0 0\n");
  CHECK(meter.noise(5).other_cpu == doctest::Approx(0.1));
  CHECK(meter.noise(5).steal == doctest::Approx(0.05));
  CHECK(meter.noise(7).other_cpu == 0.0);
}

TEST_CASE("meters: this process has used memory") { CHECK(peak_rss_bytes() > 1000000); }

TEST_CASE("meters: own CPU time grows with work") {
  const double before = own_cpu_seconds();
  volatile double sum = 0;
  while (own_cpu_seconds() < before + 0.01) {
    sum = sum + 1;
  }
  CHECK(sum > 0);
}

TEST_CASE("meters: energy is the packages' sum, over a counter that starts again") {
  const TemporaryFolder root;
  const std::string zone = "sys/class/powercap/intel-rapl:";
  const auto package = [&](const std::string& number, const std::string& name,
                           const std::string& energy) {
    root.make_file(zone + number + "/name", name + "\n");
    root.make_file(zone + number + "/energy_uj", energy + "\n");
    root.make_file(zone + number + "/max_energy_range_uj", "10000000\n");
  };
  package("0", "package-0", "1000000");
  package("1", "package-1", "9000000");
  package("0:0", "core", "0");
  const EnergyMeter meter(root.path());
  CHECK(meter.why_not().empty());
  package("0", "package-0", "3000000");
  package("1", "package-1", "500000");
  package("0:0", "core", "2000000");
  CHECK(*meter.joules() == doctest::Approx(2.0 + 1.5));
}

TEST_CASE("meters: says why there is no energy figure") {
  const TemporaryFolder root;
  const std::string powercap = (root.path() / "sys/class/powercap").string();
  const EnergyMeter none(root.path());
  CHECK_FALSE(none.joules().has_value());
  CHECK(none.why_not() == "no " + powercap + ": no RAPL, or hidden from this virtual machine");
  root.make_file("sys/class/powercap/dtpm/name", "x");
  CHECK(EnergyMeter(root.path()).why_not() == "no intel-rapl package in " + powercap);
  root.make_file("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  CHECK(EnergyMeter(root.path()).why_not() ==
        powercap + "/intel-rapl:0/energy_uj cannot be read: needs root");
}
