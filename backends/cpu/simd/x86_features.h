// What an x86 processor offers and the operating system lets programs use.
#pragma once

namespace nnrt::cpu {

struct X86Features {
  bool avx2 = false;    // with FMA and F16C
  bool avx512 = false;  // F, BW, DQ and VL, and avx2
  // With avx512:
  bool vnni = false;
  bool vbmi = false;
  bool amx = false;  // tiles of INT8; the process has yet to ask for their registers
};

// All false on other processors.
const X86Features& x86_features();

}  // namespace nnrt::cpu
