#include "backends/cpu/vectors.h"

#include <atomic>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace nnrt::cpu {
namespace {

std::atomic<int> without_code_dots{0};
std::atomic<int> without_code_tiles{0};

bool detect_code_dots() {
#if defined(__x86_64__)
  return vector_bytes() == 64 && __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

// The system must lend the registers to the process: they make the state of a thread 8 KB larger.
bool detect_code_tiles() {
#if defined(__x86_64__) && defined(__linux__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTiles = 1u << 24, kCodes = 1u << 25;  // in register D of leaf 7
  if (!detect_code_dots() || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return (d & kTiles) != 0 && (d & kCodes) != 0 && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
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

bool has_code_tiles() {
  static const bool has = detect_code_tiles();
  return has && has_code_dots() && without_code_tiles.load(std::memory_order_relaxed) == 0;
}

WithoutCodeDots::WithoutCodeDots() { ++without_code_dots; }
WithoutCodeDots::~WithoutCodeDots() { --without_code_dots; }

WithoutCodeTiles::WithoutCodeTiles() { ++without_code_tiles; }
WithoutCodeTiles::~WithoutCodeTiles() { --without_code_tiles; }

}  // namespace nnrt::cpu
