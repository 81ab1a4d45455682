// The tiles that GEMMs and convolutions may be computed by, as plain data: what lowering offers for a class
// of shapes, and what was measured to be fastest (tuning/tile_tuner.h).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nnrt::vulkan {

// Says whether tiles are chosen by measurements.
enum class Tuning : uint8_t {
  off,   // never
  kept,  // by those that are in the file
  on,    // by those, and what is not there is measured in Build
};

// Shapes for which the same tile is taken. Sizes are exponents of two, rounded up.
struct TileClass {
  bool is_convolution = false;  // by implicit GEMM
  bool is_fp16 = false;         // by cooperative matrices
  uint8_t rows = 0, columns = 0, inner = 0, matrices = 0;

  // clang-tidy 14 takes the 0 that it is compared with for a pointer.
  auto operator<=>(const TileClass&) const = default;  // NOLINT(modernize-use-nullptr)
};

// A row of the list of tiles, and into how many parts the inner dimension is cut.
struct TileOption {
  std::string tile;
  uint32_t parts = 1;  // 0: as the list of parts says

  bool operator==(const TileOption&) const = default;
};

// Every option for a class that the device can take, from the one that the lists prefer.
struct TileRequest {
  TileClass of;
  std::vector<TileOption> options;
};

using MeasuredTiles = std::map<TileClass, TileOption>;
using MeasuredTilesPtr = std::shared_ptr<const MeasuredTiles>;

}  // namespace nnrt::vulkan
