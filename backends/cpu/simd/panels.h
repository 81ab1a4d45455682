// Packs float matrices into panels of two vectors of columns: [panels][k][columns]. The last panel has one
// vector if that suffices; columns that do not exist are zeros. `panel_vector` is the length of these vectors
// in bytes: 16, 32 or 64, on every processor.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

struct PanelSource {
  const float* data;
  int64_t columns, inner;
};

// Panels [begin, end) of a matrix [columns][inner].
void pack_columns(int panel_vector, const PanelSource& source, int64_t begin, int64_t end, float* to);
// Rows [begin, end) of all panels of a matrix [inner][columns].
void pack_lines(int panel_vector, const PanelSource& source, int64_t begin, int64_t end, float* to);

}  // namespace nnrt::cpu
