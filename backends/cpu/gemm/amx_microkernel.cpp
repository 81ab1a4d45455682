#include "backends/cpu/gemm/amx_microkernel.h"

#include "backends/cpu/gemm/amx_blocks.h"
#include "core/base/check.h"

namespace nnrt::cpu {

#if defined(__x86_64__)
[[NNRT_TARGET_VNNI]] void pack_tile_rows(const Int8Rows& rows, int64_t pitch, int8_t* to) {
  constexpr int64_t kLine = 64, kHalf = kLine / 2;
  const int64_t tap_bytes = round_up(rows.tap_values, kDotDepth);
  const int64_t rest = rows.tap_values % kLine, whole = rows.tap_values - rest;
  const __mmask64 mask = rest > 0 ? ~__mmask64{0} >> (kLine - rest) : 0;
  for (int r = 0; r < rows.count; ++r, to += pitch) {
    for (int64_t tap = 0; tap < rows.taps; ++tap) {
      const int8_t* const from = rows.parts[tap * rows.tap_rows + r];
      int8_t* const part = to + tap * tap_bytes;
      for (int64_t k = 0; k < whole; k += kLine) _mm512_storeu_si512(part + k, _mm512_loadu_si512(from + k));
      if (rest > kHalf) {
        _mm512_storeu_si512(part + whole, load_masked_bytes(mask, from + whole));
      } else if (rest > 0) {  // fewer stores cross lines
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(part + whole),
                            load_masked_bytes_256(__mmask32(mask), from + whole));
      }
    }
  }
}

void multiply_amx(const AmxProduct& product, const Int8Epilogue& terms, int8_t* to, int64_t stride) {
  AmxBlocks<AmxTiles, Int8Form<int8_t>>(product, {terms, product.channel, to, stride}).run();
}
void multiply_amx(const AmxProduct& product, const Int8Epilogue& terms, int32_t* to, int64_t stride) {
  AmxBlocks<AmxTiles, Int8Form<int32_t>>(product, {terms, product.channel, to, stride}).run();
}
void multiply_split(const AmxProduct& product, bool finite_weights, const F32Epilogue& epilogue, float* to,
                    int64_t stride) {
  AmxBlocks<AmxTiles, SplitForm>(product, {epilogue, finite_weights, to, stride}).run();
}

#else

void pack_tile_rows(const Int8Rows&, int64_t, int8_t*) { NNRT_CHECK(false, "This processor has no tiles."); }
void multiply_amx(const AmxProduct&, const Int8Epilogue&, int8_t*, int64_t) {
  NNRT_CHECK(false, "This processor has no tiles.");
}
void multiply_amx(const AmxProduct&, const Int8Epilogue&, int32_t*, int64_t) {
  NNRT_CHECK(false, "This processor has no tiles.");
}

void multiply_split(const AmxProduct&, bool, const F32Epilogue&, float*, int64_t) {
  NNRT_CHECK(false, "This processor has no tiles.");
}

#endif

}  // namespace nnrt::cpu
