// The tiles of GEMMs and convolutions that workgroups compute by way of shared memory: large ones read less,
// small ones are more, for the processors of a device.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

struct SharedTile {
  uint32_t rows = 0, columns = 0;
  uint32_t invocations = 0;                  // for floats; for matrices the device's subgroups decide
  uint32_t row_vec4s = 1, column_vec4s = 1;  // squares of four by four of an invocation, of floats

  // As shared_memory_tile.glsl declares it, for floats.
  constexpr uint32_t shared_bytes() const {
    return 2 * 16 * (rows / 4 + (rows < 128 ? 1 : 0) + columns / 4) * 16;
  }
  // Tiles of so many rows by columns.
  constexpr uint32_t tiles(uint32_t of_rows, uint32_t of_columns) const {
    return ((of_rows - 1) / rows + 1) * ((of_columns - 1) / columns + 1);
  }
  // Appends the constants of shared_memory_tile.glsl.
  void append_to(std::vector<uint32_t>& constants) const;
};

// Work for tiles: so many matrices, or groups, of rows by columns.
struct TileWork {
  uint32_t rows = 0, columns = 0, matrices = 1;
  uint32_t inner = 0;
  uint32_t inner_unit = 1;  // the inner dimension is cut into multiples of it, equal ones if `equal_parts`
  bool equal_parts = false;
  bool is_convolution = false;
};

struct TileChoice {
  SharedTile tile;
  uint32_t parts = 1;  // parts of the inner dimension, each with sums of its own
  uint32_t part = 0;   // steps of a part
};
// Floats by shared_memory_tile.glsl, or fp16 values by cooperative_matrix_tile.glsl.
enum class TileSet : uint8_t { floats, matrices };

// Code::unsupported where NNRT_VULKAN_KERNELS leaves none.
Result<TileChoice> choose_shared_tile(const LoweringContext& context, const TileWork& work,
                                      TileSet set = TileSet::floats);
std::vector<std::string_view> shared_tile_kernels();
// Returns whether the choice decides how long a dispatch of this shader takes.
bool is_of_tiles(std::string_view shader);

// Loop iterations of an invocation over so many steps, in shared_memory_tile.glsl.
uint64_t shared_tile_iterations(uint32_t steps);
// The same in cooperative_matrix_tile.glsl, as it is emulated. `slice`: steps between two barriers.
struct MatrixSteps {
  uint32_t steps = 0, slice = 0, subgroup = 0;
};
uint64_t matrix_tile_iterations(const SharedTile& tile, const CooperativeMatrixShape& matrix,
                                const MatrixSteps& work);

// Adds up sums of parts, which lie as rows of `columns` one matrix behind the other.
struct PartSums {
  Buffer sums;
  uint32_t rows = 0, columns = 0, parts = 1;
  std::optional<Buffer> bias;
};
void add_parts(const LoweringContext& context, const PartSums& work, const Epilogue& epilogue,
               const ConcatSlice& to);

}  // namespace nnrt::vulkan
