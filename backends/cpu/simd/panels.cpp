#include "backends/cpu/simd/panels.h"

#include "backends/cpu/simd/transpose.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

struct PanelColumns {
  int64_t first, count, lanes;  // `lanes` counts padding too

  PanelColumns(const PanelSource& source, int64_t vector_lanes, int64_t panel)
      : first(panel * 2 * vector_lanes),
        count(std::min(2 * vector_lanes, source.columns - first)),
        lanes(count > vector_lanes ? 2 * vector_lanes : vector_lanes) {}
};

int64_t lanes_of(int panel_vector) { return panel_vector / int64_t(sizeof(float)); }

// Reads a few complete rows of the matrix and writes them to all panels: rows of one panel may be pages
// apart.
template <int Bytes>
NNRT_INLINE void pack_rows(const PanelSource& source, int64_t vector_lanes, int64_t begin, int64_t end,
                           float* to) {
  constexpr int64_t kRows = 8, kLanes = kVectorLanes<Bytes>;
  for (int64_t top = begin; top < end; top += kRows) {
    const int64_t bottom = std::min(top + kRows, end);
    for (int64_t p = 0; p * 2 * vector_lanes < source.columns; ++p) {
      const PanelColumns panel(source, vector_lanes, p);
      float* line = to + panel.first * source.inner + top * panel.lanes;
      for (int64_t k = top; k < bottom; ++k, line += panel.lanes) {
        const float* const from = source.data + k * source.columns + panel.first;
        int64_t c = 0;
        for (; c + kLanes <= panel.count; c += kLanes) store<Bytes>(line + c, load<Bytes>(from + c));
        for (; c < panel.lanes; ++c) line[c] = c < panel.count ? from[c] : 0.0f;
      }
    }
  }
}

}  // namespace

void pack_columns(int panel_vector, const PanelSource& source, int64_t begin, int64_t end, float* to) {
  const int64_t vector_lanes = lanes_of(panel_vector);
  with_vectors(
      std::min(panel_vector, vector_bytes()), [&](auto bytes) __attribute__((always_inline)) {
        for (int64_t p = begin; p < end; ++p) {
          const PanelColumns panel(source, vector_lanes, p);
          transpose_rows<bytes>(
              {source.data + panel.first * source.inner, source.inner, panel.count, source.inner},
              panel.lanes, to + panel.first * source.inner);
        }
      });
}

void pack_lines(int panel_vector, const PanelSource& source, int64_t begin, int64_t end, float* to) {
  const int64_t vector_lanes = lanes_of(panel_vector);
  with_vectors(
      std::min(panel_vector, vector_bytes()), [&](auto bytes) __attribute__((always_inline)) {
        pack_rows<bytes>(source, vector_lanes, begin, end, to);
      });
}

}  // namespace nnrt::cpu
