// Selects the instruction set of the kernels: the best one the processor supports, unless limited.
#pragma once

#include <string_view>

namespace nnrt::cpu {

// Instruction sets that kernels are compiled for. On x86, each includes those before it.
enum class Isa {
  baseline,  // 16-byte vectors
  avx2,      // 32-byte vectors with FMA
  avx512,    // 64-byte vectors
  vnni,      // dot products of four INT8 values in 64-byte vectors
  amx,       // 16 x 64 INT8 tile registers
  dotprod,   // Arm: dot products of four INT8 values in 16-byte vectors
};
inline constexpr std::string_view kIsaNames[] = {"baseline", "avx2", "avx512", "vnni", "amx", "dotprod"};

// Returns whether the processor supports it and neither NNRT_TEST_CPU_ISA nor an IsaLimit disables it.
bool has_isa(Isa isa);

// Caps the instruction set during its lifetime, to test the code paths of lesser processors. Models must be
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
