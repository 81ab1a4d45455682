#include "backends/cpu/int8/scaled_sums.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

template <int Bytes>
NNRT_INLINE void scale_columns(const SumScaling& scaling, int64_t column, int64_t columns, int64_t rows,
                               int32_t* data, int64_t stride) {
  constexpr int64_t kLanes = kVectorLanes<Bytes>;
  for (int64_t i = 0; i < columns; i += kLanes) {
    const int64_t count = std::min(kLanes, columns - i);
    ColumnTerms<Bytes> terms;
    terms_at(scaling, column + i, count, terms);
    for (int64_t r = 0; r < rows; ++r) {
      Elements<Bytes, uint32_t> sums;
      load_columns(data + r * stride + i, count, sums);
      Vector<Bytes> scaled;
      scale(terms, sums, scaled);
      scaled += terms.addend;
      std::memcpy(data + r * stride + i, &scaled, size_t(count) * sizeof(float));
    }
  }
}

}  // namespace

void scale_sums(const SumScaling& scaling, int64_t column, int64_t columns, int64_t rows, int32_t* data,
                int64_t stride) {
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        scale_columns<bytes>(scaling, column, columns, rows, data, stride);
      });
}

}  // namespace nnrt::cpu
