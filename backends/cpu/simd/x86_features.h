// What an x86 processor offers and the operating system lets programs use.
#pragma once

namespace nnrt::cpu {

struct X86Features {
  bool avx2 = false;    // with FMA and F16C
  bool avx512 = false;  // F, BW, DQ and VL, and avx2
  // With avx512:
  bool vnni = false;
  bool vbmi = false;
  bool fp16 = false;  // FLOAT16 arithmetic
  bool amx = false;   // tiles of INT8 and BF16; the process has yet to ask for their registers
};

// All false on other processors.
const X86Features& x86_features();

// Returns whether the processor is taken to start two dot products of 64 bytes per cycle: CPUID does not
// tell, but of Intel's server processors, those with FLOAT16 arithmetic do.
inline bool has_two_dot_ports() { return x86_features().vnni && x86_features().fp16; }

}  // namespace nnrt::cpu
