#include "backends/cpu/vectors.h"

#include <atomic>

namespace nnrt::cpu {
namespace {

std::atomic<int> without_code_dots{0};

bool detect_code_dots() {
#if defined(__x86_64__)
  return vector_bytes() == 64 && __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

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

bool has_code_dots() {
  static const bool has = detect_code_dots();
  return has && without_code_dots.load(std::memory_order_relaxed) == 0;
}

WithoutCodeDots::WithoutCodeDots() { ++without_code_dots; }
WithoutCodeDots::~WithoutCodeDots() { --without_code_dots; }

}  // namespace nnrt::cpu
