// Tiles for GEMMs and convolutions as plain data: the options of a class of shapes, and the measured winners
// (tuning/tile_tuner.h).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nnrt::vulkan {

enum class Tuning : uint8_t {
  off,   // never
  kept,  // use the tiles in the file
  on,    // also measure missing ones in Build
};

// Shapes that share a tile. Sizes are exponents of two, rounded up.
struct TileClass {
  bool is_convolution = false;  // implicit GEMM
  bool is_fp16 = false;         // cooperative matrices
  uint8_t rows = 0, columns = 0, inner = 0, matrices = 0;

  // clang-tidy 14 mistakes the 0 in comparisons for a pointer.
  auto operator<=>(const TileClass&) const = default;  // NOLINT(modernize-use-nullptr)
};

// A row of the tile list, and a split-K factor.
struct TileOption {
  std::string tile;
  uint32_t splits = 1;  // 0: decided by the list of parts

  bool operator==(const TileOption&) const = default;
};

// All options of a class that the device supports, the lists' preference first.
struct TileRequest {
  TileClass of;
  std::vector<TileOption> options;
};

using MeasuredTiles = std::map<TileClass, TileOption>;
using MeasuredTilesPtr = std::shared_ptr<const MeasuredTiles>;

}  // namespace nnrt::vulkan
