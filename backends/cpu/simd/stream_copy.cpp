#include "backends/cpu/simd/stream_copy.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace nnrt::cpu {

void stream_copy(const std::byte* from, size_t bytes, std::byte* to) {
#if defined(__x86_64__)
  constexpr size_t kVector = 16, kLine = 64;
  const size_t before = (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine;
  if (bytes >= before + kLine) {
    std::memcpy(to, from, before);
    from += before;
    to += before;
    bytes -= before;
    for (; bytes >= kLine; bytes -= kLine, from += kLine, to += kLine)
      for (size_t i = 0; i < kLine; i += kVector)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#endif
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void finish_stream_copies() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace nnrt::cpu
