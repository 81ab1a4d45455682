#include "backends/cpu/vectors.h"

namespace nnrt::cpu {
namespace {

int detect() {
#if defined(__x86_64__)
  const bool has_32 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_64 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_32) return has_64 ? 64 : 32;
#endif
  return 16;
}

}  // namespace

int vector_bytes() {
  static const int bytes = detect();
  return bytes;
}

}  // namespace nnrt::cpu
