// VNNI: products and their sum in one instruction. For files that Highway compiles once a target:
// included after hwy/highway.h, as often as there are targets. AVX3_DL always has it; AVX3 and AVX2
// have it where has_byte_instructions() says so (models/kernels/vectors/instruction_set.h).
#if defined(WNPU_KERNELS_VNNI_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WNPU_KERNELS_VNNI_INL_H_
#undef WNPU_KERNELS_VNNI_INL_H_
#else
#define WNPU_KERNELS_VNNI_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX2

// Highway 1.0 has no such operations, and lets the compiler use none: its AVX3_DL has AVX-VNNI in
// place of AVX512-VNNI, although it looks for the latter on the machine.

// sum += unsigned bytes times signed ones, four neighbours a lane.
template <typename Unsigned, typename Signed, typename Sum>
HWY_INLINE void add_quads(Unsigned u, Signed s, Sum& sum) {
#if HWY_TARGET == HWY_AVX2
  asm volatile("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(u.raw), "x"(s.raw));
#else
  asm volatile("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(u.raw), "v"(s.raw));
#endif
}

// sum += int16 times int16, two neighbours a lane.
template <typename Pairs, typename Sum>
HWY_INLINE void add_pairs(Pairs a, Pairs b, Sum& sum) {
#if HWY_TARGET == HWY_AVX2
  asm volatile("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum.raw) : "x"(a.raw), "x"(b.raw));
#else
  asm volatile("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
#endif
}

#endif

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
