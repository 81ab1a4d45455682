#include "backends/cpu/simd/isa.h"

#include "backends/cpu/simd/simd.h"
#include "backends/cpu/simd/x86_features.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <atomic>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace nnrt::cpu {
namespace {

// The OS must grant the process access to the registers; they add 8 KB to each thread's state.
bool detect_amx() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return x86_features().vnni && x86_features().amx && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
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
    case Isa::avx2: return x86_features().avx2;
    case Isa::avx512: return x86_features().avx512;
    case Isa::vnni: return x86_features().vnni;
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
