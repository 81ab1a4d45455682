// Selects the instructions of kernels: the best that this processor has, unless less is asked for.
#pragma once

#include <string_view>

namespace nnrt::cpu {

// Instruction sets that kernels are compiled for, those of x86 each with all that those before it have.
enum class Isa {
  baseline,  // vectors of 16 bytes
  avx2,      // vectors of 32 bytes, with fused multiplications and additions
  avx512,    // vectors of 64 bytes
  vnni,      // dot products of four INT8 values in those
  amx,       // registers of 16 x 64 INT8 values
  dotprod,   // on ARM: dot products of four INT8 values in vectors of 16 bytes
};
inline constexpr std::string_view kIsaNames[] = {"baseline", "avx2", "avx512", "vnni", "amx", "dotprod"};

// Returns whether this processor has it, and neither NNRT_TEST_CPU_ISA nor an IsaLimit forbids it.
bool has_isa(Isa isa);

// Nothing beyond `most` is used while it lives: for tests of what lesser processors do. Models must be
// prepared and run under the same limit.
class IsaLimit {
 public:
  explicit IsaLimit(Isa max_isa);
  ~IsaLimit();
  IsaLimit(const IsaLimit&) = delete;
  IsaLimit& operator=(const IsaLimit&) = delete;

 private:
  Isa before_;
};

}  // namespace nnrt::cpu
