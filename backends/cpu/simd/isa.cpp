#include "backends/cpu/simd/isa.h"

#include "backends/cpu/simd/simd.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <atomic>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace nnrt::cpu {
namespace {

#if defined(__x86_64__)
bool has_f16c() {  // which clang 14's __builtin_cpu_supports() does not know
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool detect_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c(); }

bool detect_avx512() {
  return detect_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool detect_vnni() { return detect_avx512() && __builtin_cpu_supports("avx512vnni"); }
#else
bool detect_avx2() { return false; }
bool detect_avx512() { return false; }
bool detect_vnni() { return false; }
#endif

// The OS must grant the process access to the registers; they add 8 KB to each thread's state.
bool detect_amx() {
#if defined(__x86_64__) && defined(__linux__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTiles = 1u << 24, kInt8 = 1u << 25;  // in EDX of CPUID leaf 7
  if (!detect_vnni() || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return (d & kTiles) != 0 && (d & kInt8) != 0 && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return false;
#endif
}

bool detect_dotprod() {
#if defined(NNRT_ARM_DOT) && defined(__linux__)
  constexpr unsigned long kDotProducts = 1ul << 20;  // HWCAP_ASIMDDP
  return (getauxval(AT_HWCAP) & kDotProducts) != 0;
#else
  return false;
#endif
}

Isa limit_of_environment() {
  const auto choice = setting_choice(Setting::cpu_isa);
  return choice ? Isa(*choice) : Isa::dotprod;
}

std::atomic<Isa>& limit() {
  static std::atomic<Isa> max_isa{limit_of_environment()};
  return max_isa;
}

// A disabled instruction set is not probed.
bool detected(Isa isa) {
  switch (isa) {
    case Isa::baseline: break;
    case Isa::avx2: {
      static const bool has = detect_avx2();
      return has;
    }
    case Isa::avx512: {
      static const bool has = detect_avx512();
      return has;
    }
    case Isa::vnni: {
      static const bool has = detect_vnni();
      return has;
    }
    case Isa::amx: {
      static const bool has = detect_amx();
      return has;
    }
    case Isa::dotprod: {
      static const bool has = detect_dotprod();
      return has;
    }
  }
  return true;
}

}  // namespace

bool has_isa(Isa isa) { return isa <= limit().load(std::memory_order_relaxed) && detected(isa); }

IsaLimit::IsaLimit(Isa max_isa) : before_(limit().load()) { limit() = std::min(max_isa, before_); }
IsaLimit::~IsaLimit() { limit() = before_; }

}  // namespace nnrt::cpu
