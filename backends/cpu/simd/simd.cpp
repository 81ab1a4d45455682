#include "backends/cpu/simd/simd.h"

#include "backends/cpu/simd/isa.h"

namespace nnrt::cpu {

int vector_bytes() { return has_isa(Isa::avx512) ? 64 : has_isa(Isa::avx2) ? 32 : 16; }
bool has_int8_dot() { return has_isa(Isa::vnni) || has_isa(Isa::dotprod); }
bool has_amx() { return has_isa(Isa::amx); }

}  // namespace nnrt::cpu
