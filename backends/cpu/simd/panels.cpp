#include "backends/cpu/simd/panels.h"

#include "backends/cpu/simd/transpose.h"

namespace nnrt::cpu {
namespace {

template <int Bytes>
struct PanelColumns {
  static constexpr int64_t kLanes = kVectorLanes<Bytes>, kColumns = 2 * kLanes;
  int64_t first, count, lanes;  // `lanes` counts padding too

  PanelColumns(const PanelSource& source, int64_t panel)
      : first(panel * kColumns),
        count(std::min(kColumns, source.columns - first)),
        lanes(count > kLanes ? kColumns : kLanes) {}
};

// Reads a few complete rows of the matrix and writes them to all panels: rows of one panel may be pages
// apart.
template <int Bytes>
NNRT_INLINE void pack_rows(const PanelSource& source, int64_t begin, int64_t end, float* to) {
  using Columns = PanelColumns<Bytes>;
  constexpr int64_t kRows = 8;
  for (int64_t top = begin; top < end; top += kRows) {
    const int64_t bottom = std::min(top + kRows, end);
    for (int64_t p = 0; p * Columns::kColumns < source.columns; ++p) {
      const Columns panel(source, p);
      float* line = to + panel.first * source.inner + top * panel.lanes;
      for (int64_t k = top; k < bottom; ++k, line += panel.lanes) {
        const float* const from = source.data + k * source.columns + panel.first;
        int64_t c = 0;
        for (; c + Columns::kLanes <= panel.count; c += Columns::kLanes)
          store<Bytes>(line + c, load<Bytes>(from + c));
        for (; c < panel.lanes; ++c) line[c] = c < panel.count ? from[c] : 0.0f;
      }
    }
  }
}

}  // namespace

void pack_columns(int vector_bytes, const PanelSource& source, int64_t begin, int64_t end, float* to) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        for (int64_t p = begin; p < end; ++p) {
          const PanelColumns<bytes> panel(source, p);
          transpose_rows<bytes>(
              {source.data + panel.first * source.inner, source.inner, panel.count, source.inner},
              panel.lanes, to + panel.first * source.inner);
        }
      });
}

void pack_lines(int vector_bytes, const PanelSource& source, int64_t begin, int64_t end, float* to) {
  with_vectors(
      vector_bytes, [&](auto bytes)
                        __attribute__((always_inline)) { pack_rows<bytes>(source, begin, end, to); });
}

}  // namespace nnrt::cpu
