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
// The C library knows. Asking the processor takes 20 us per CPUID in a virtual machine, and what
// __builtin_cpu_supports() links in asks ten times when the library is loaded.
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
bool has_f16c() {  // which clang 14's __builtin_cpu_supports() does not know
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

// Returns whether all of these bits of EDX of CPUID leaf 7 are set.
bool has_bits_of_leaf_7(unsigned bits) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & bits) == bits;
}
constexpr unsigned kBfloatTiles = 1u << 22, kFp16 = 1u << 23, kTiles = 1u << 24, kInt8Tiles = 1u << 25;

X86Features detect() {
  return {.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c(),
          .avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
          .vnni = __builtin_cpu_supports("avx512vnni") != 0,
          .vbmi = __builtin_cpu_supports("avx512vbmi") != 0,
          .fp16 = has_bits_of_leaf_7(kFp16),
          .amx = has_bits_of_leaf_7(kTiles | kInt8Tiles | kBfloatTiles)};
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
