#include "backends/cpu/simd/x86_features.h"

#if defined(__x86_64__)
#if __has_include(<sys/platform/x86.h>)
#ifndef _Bool  // which the header uses; clang's <stdbool.h> defines it only in GNU mode
#define _Bool bool
#endif
#include <sys/platform/x86.h>
#endif
#ifndef CPU_FEATURE_ACTIVE  // not in glibc 2.33, whose macros have other names
#include <cpuid.h>
#endif
#endif

namespace nnrt::cpu {
namespace {

#if !defined(__x86_64__)
X86Features detect() { return {}; }
#elif defined(CPU_FEATURE_ACTIVE)
// The C library knows. Asking the processor takes 20 us per CPUID in a virtual machine.
X86Features detect() {
  return {
      .avx2 = CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA) && CPU_FEATURE_ACTIVE(F16C),
      .avx512 = CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512DQ) &&
                CPU_FEATURE_ACTIVE(AVX512VL),
      .vnni = CPU_FEATURE_ACTIVE(AVX512_VNNI),
      .vbmi = CPU_FEATURE_ACTIVE(AVX512_VBMI),
      .fp16 = CPU_FEATURE_ACTIVE(AVX512_FP16),
      .amx = CPU_FEATURE_ACTIVE(AMX_TILE) && CPU_FEATURE_ACTIVE(AMX_INT8) && CPU_FEATURE_ACTIVE(AMX_BF16)};
}
#else
struct Leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Leaf leaf(unsigned number) {
  Leaf found;
  if (__get_cpuid_count(number, 0, &found.a, &found.b, &found.c, &found.d) == 0) return {};
  return found;
}

bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

// The registers that the operating system saves: XCR0.
unsigned saved_registers() {
  unsigned low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}
constexpr unsigned kYmm = 0x6, kZmm = 0xe6, kTileRegisters = 0x60000;
constexpr unsigned kBfloatTiles = 1u << 22, kFp16 = 1u << 23, kTiles = 1u << 24, kInt8Tiles = 1u << 25;

// Without __builtin_cpu_supports(), whose tables not every compiler's library has.
X86Features detect() {
  const Leaf base = leaf(1), more = leaf(7);
  const unsigned saved = has(base.c, bit_OSXSAVE) ? saved_registers() : 0;
  return {.avx2 = has(saved, kYmm) && has(base.c, bit_FMA | bit_F16C) && has(more.b, bit_AVX2),
          .avx512 = has(saved, kZmm) &&
                    has(more.b, bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | unsigned(bit_AVX512VL)),
          .vnni = has(more.c, bit_AVX512VNNI),
          .vbmi = has(more.c, bit_AVX512VBMI),
          .fp16 = has(more.d, kFp16),
          .amx = has(saved, kTileRegisters) && has(more.d, kTiles | kInt8Tiles | kBfloatTiles)};
}
#endif

}  // namespace

const X86Features& x86_features() {
  static const X86Features features = [] {
    X86Features found = detect();
    found.avx512 = found.avx2 && found.avx512;
    found.vnni = found.avx512 && found.vnni;
    found.vbmi = found.avx512 && found.vbmi;
    found.fp16 = found.avx512 && found.fp16;
    found.amx = found.avx512 && found.amx;
    return found;
  }();
  return features;
}

}  // namespace nnrt::cpu
