// The machine, as /proc and /sys say.
#include "app/system/machine.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"

using namespace wnpu::app;
using wnpu::tests::TemporaryFolder;

TEST_CASE("machine: reads the CPU, its features and the memory") {
  const TemporaryFolder root;
  root.make_file("proc/cpuinfo",
                 "processor\t: 0\nmodel name\t: AMD EPYC 9R14\n"
                 "flags\t\t: fpu avx avx2 avx512f clflush avx512_bf16 avx512_vnni\n");
  root.make_file("proc/meminfo", "MemFree: 1 kB\nMemTotal:       2048 kB\n");
  const Machine machine = describe_machine(root.path());
  CHECK(machine.cpu == "AMD EPYC 9R14");
  CHECK(machine.features ==
        std::vector<std::string>{"avx", "avx2", "avx512f", "avx512_bf16", "avx512_vnni"});
  CHECK(machine.memory_bytes == 2048 * 1024);
  CHECK_FALSE(machine.cpu_limit.has_value());
  CHECK_FALSE(machine.memory_limit_bytes.has_value());
}

TEST_CASE("machine: ARM's CPU and features") {
  const TemporaryFolder root;
  root.make_file("proc/cpuinfo",
                 "processor\t: 0\nFeatures\t: fp asimd evtstrm aes asimddp sve\n"
                 "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n");
  const Machine machine = describe_machine(root.path());
  CHECK(machine.cpu == "ARM implementer 0x41 part 0xd0c");
  CHECK(machine.features == std::vector<std::string>{"asimd", "asimddp"});
}

TEST_CASE("machine: the tightest limit of its control groups holds") {
  const TemporaryFolder root;
  root.make_file("proc/self/cgroup", "0::/system.slice/job.scope\n");
  root.make_file("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
  root.make_file("sys/fs/cgroup/system.slice/job.scope/cpu.max", "max 100000\n");
  root.make_file("sys/fs/cgroup/system.slice/memory.max", "max\n");
  root.make_file("sys/fs/cgroup/memory.max", "4096\n");
  const Machine machine = describe_machine(root.path());
  CHECK(machine.cpu_limit == 1.5);
  CHECK(machine.memory_limit_bytes == 4096);
}

TEST_CASE("machine: this one has a CPU, memory and a kernel") {
  const Machine machine = describe_machine();
  CHECK(machine.online_cpus >= 1);
  CHECK(machine.usable_cpus >= 1);
  CHECK(machine.memory_bytes > 0);
  CHECK(machine.kernel.rfind("Linux ", 0) == 0);
}
