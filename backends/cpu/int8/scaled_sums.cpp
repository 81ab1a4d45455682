#include "backends/cpu/int8/scaled_sums.h"

#include "backends/cpu/simd/vector_math.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

struct ColumnTerms {
  int32_t minus[kScaledColumns];
  float factor[kScaledColumns], addend[kScaledColumns];
};

template <typename T, typename To>
void copy_columns(const ColumnValues<T>& from, int64_t column, int64_t columns, T none,
                  To (&to)[kScaledColumns]) {
  for (int64_t i = 0; i < kScaledColumns; ++i)
    to[i] = To(from.data != nullptr && i < columns ? from.data[(column + i) * from.step] : none);
}

// Adding 0 would change the sign of -0.
template <int Bytes, bool Adds>
[[gnu::always_inline]] inline void scale_row(const ColumnTerms& terms, float* data) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  for (int64_t i = 0; i < kScaledColumns; i += kLanes) {
    typedef uint32_t Words __attribute__((vector_size(Bytes)));
    Words sums, minus;  // differences wrap
    const Vector<Bytes> bits = load<Bytes>(data + i);
    std::memcpy(&sums, &bits, sizeof sums);
    std::memcpy(&minus, terms.minus + i, sizeof minus);
    const Vector<Bytes> scaled =
        __builtin_convertvector(Ints<Bytes>(sums - minus), Vector<Bytes>) * load<Bytes>(terms.factor + i);
    store<Bytes>(data + i, Adds ? scaled + load<Bytes>(terms.addend + i) : scaled);
  }
}

template <int Bytes, bool Adds>
[[gnu::always_inline]] inline void scale_rows(const ColumnTerms& terms, int64_t columns, int64_t rows,
                                              float* data, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r, data += stride) {
    if (columns == kScaledColumns) {
      scale_row<Bytes, Adds>(terms, data);
      continue;
    }
    float row[kScaledColumns] = {};
    std::memcpy(row, data, size_t(columns) * sizeof(float));
    scale_row<Bytes, Adds>(terms, row);
    std::memcpy(data, row, size_t(columns) * sizeof(float));
  }
}

}  // namespace

void scale_sums(const SumScaling& scaling, int64_t column, int64_t columns, int64_t rows, std::byte* data,
                int64_t stride) {
  ColumnTerms terms;
  copy_columns(scaling.minus, column, columns, 0, terms.minus);
  copy_columns(scaling.factor, column, columns, 1.0f, terms.factor);
  copy_columns(scaling.addend, column, columns, 0.0f, terms.addend);
  auto* const first = reinterpret_cast<float*>(data);
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        if (scaling.addend.data != nullptr) {
          scale_rows<bytes, true>(terms, columns, rows, first, stride);
        } else {
          scale_rows<bytes, false>(terms, columns, rows, first, stride);
        }
      });
}

}  // namespace nnrt::cpu
