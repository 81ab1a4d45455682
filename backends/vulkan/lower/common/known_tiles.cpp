#include "backends/vulkan/lower/common/known_tiles.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct KnownDevices {
  uint32_t vendor_id, min_cores, max_cores;
};
// NVIDIA H100 and H200: 114 to 132 SMs.
constexpr KnownDevices kMeasured{0x10de, 112, 144};

struct KnownTile {
  bool is_fp16;
  uint8_t rows, columns, inner;
  TileOption option;
};

// For cooperative matrices split-K was measured too. GEMMs stand in for convolutions of the same size.
const std::array kTable{
    KnownTile{false, 12, 12, 12, {"tile_64x64", 1}},
    KnownTile{false, 10, 10, 10, {"tile_64x64", 1}},
    KnownTile{false, 9, 9, 9, {"tile_32x32", 1}},
    KnownTile{false, 7, 12, 10, {"tile_64x64", 1}},  // 128 x 3072 x 768
    KnownTile{false, 7, 10, 12, {"tile_32x32", 0}},  // 128 x 768 x 3072
    KnownTile{false, 6, 9, 13, {"tile_32x32", 0}},   // 64 x 512 x 4608
    KnownTile{true, 12, 12, 12, {"matrix_32x32", 1}},
    KnownTile{true, 10, 10, 10, {"matrix_32x32", 1}},
    KnownTile{true, 9, 9, 9, {"matrix_32x32", 1}},
    KnownTile{true, 7, 12, 10, {"matrix_32x32", 1}},  // 128 x 3072 x 768
    KnownTile{true, 7, 10, 12, {"matrix_32x32", 4}},  // 128 x 768 x 3072
    KnownTile{true, 6, 9, 13, {"matrix_32x32", 8}},   // 64 x 512 x 4608
    KnownTile{true, 8, 8, 12, {"matrix_32x32", 4}},   // 192 x 256 x 2304
};

}  // namespace

const TileOption* known_tile(const TileClass& of, const DevicePlan& plan) {
  const bool is_measured = plan.vendor_id == kMeasured.vendor_id && plan.cores >= kMeasured.min_cores &&
                           plan.cores <= kMeasured.max_cores;
  if (!is_measured || of.matrices != 0) return nullptr;
  const auto found = std::ranges::find_if(kTable, [&](const KnownTile& row) {
    return row.is_fp16 == of.is_fp16 && row.rows == of.rows && row.columns == of.columns &&
           row.inner == of.inner;
  });
  return found == kTable.end() ? nullptr : &found->option;
}

}  // namespace nnrt::vulkan
