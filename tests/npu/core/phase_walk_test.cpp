// Steps of a phase, and which phases have none.
#include "npu/core/phase_walk.h"

#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/design/resident.h"
#include "npu/sim/check.h"

using namespace wnpu::npu;  // NOLINT

TEST_CASE("phases: the recorded steps of a phase, by hand") {
  PhaseHeader p;
  p.kernel = Kernel::gemm_int8;
  p.epilogue = Epilogue::bias_residual;
  p.outer = 1;
  p.inner = 2;
  p.m = 8;
  p.k = 64;
  p.n = 16;
  std::string text;
  for (const Step& s : phase_steps(p, {1, 1, 2})) {
    if (s.kind == Step::Kind::compute)
      text +=
          "task " + std::to_string(static_cast<int>(s.task)) + " " + std::to_string(s.index) + ", ";
    if (s.kind == Step::Kind::take) text += "+" + std::string(1, "abc"[static_cast<int>(s.port)]);
    if (s.kind == Step::Kind::release)
      text += "-" + std::string(1, "abc"[static_cast<int>(s.port)]);
    if (s.kind != Step::Kind::compute) text += std::to_string(s.bytes) + " ";
  }
  CHECK(text ==
        "+a32 task 1 0, -a0 "
        "+b1024 task 0 0, -b0 "
        "+a512 +b1024 task 2 0, -a0 -b0 "
        "+a512 +b1024 task 2 1, -a0 -b0 "
        "+a256 -a0 +a256 +c0 task 5 0, -c256 -a0 ");
}

TEST_CASE("phases: those that the kernels cannot do are refused") {
  struct Case {
    Kernel kernel;
    std::uint32_t PhaseHeader::*field;
    std::uint32_t good, bad;
  };
  const Case cases[] = {
      {Kernel::gemm_bf16, &PhaseHeader::m, 64, 72},  {Kernel::gemm_bf16, &PhaseHeader::m, 8, 12},
      {Kernel::gemm_bf16, &PhaseHeader::k, 64, 60},  {Kernel::gemm_bf16, &PhaseHeader::n, 40, 72},
      {Kernel::gemm_int8, &PhaseHeader::n, 48, 40},  {Kernel::gemm_int8, &PhaseHeader::m, 8, 0},
      {Kernel::layer_norm, &PhaseHeader::m, 1, 0},   {Kernel::layer_norm, &PhaseHeader::k, 48, 40},
      {Kernel::layer_norm, &PhaseHeader::m, 64, 65}, {Kernel::gelu, &PhaseHeader::k, 64, 32},
      {Kernel::gelu, &PhaseHeader::k, 1024, 1088},   {Kernel::attention, &PhaseHeader::m, 48, 56},
      {Kernel::attention, &PhaseHeader::n, 64, 80},  {Kernel::attention, &PhaseHeader::n, 32, 24},
      {Kernel::attention, &PhaseHeader::k, 64, 72},
  };
  for (const Case& c : cases) {
    Phase p;
    p.kernel = c.kernel;
    p.m = c.kernel == Kernel::gelu ? 4 : 8;
    p.k = 64;
    p.n = 32;
    p.*c.field = c.good;
    CAPTURE(static_cast<int>(c.kernel));
    CAPTURE(c.bad);
    CHECK(phase_fault(p) == "");
    p.*c.field = c.bad;
    CHECK(phase_fault(p).find("expected a multiple of") != std::string::npos);
  }
  Design d = row_design(npu1(), RowOp::layer_norm, {512, 100});
  d.phases[0].k = 500;
  CHECK(check(d).front().find("phase norm row: width: expected a multiple of 16") !=
        std::string::npos);
}
