// Tile sizes of GEMMs and convolutions that go through shared memory. Large tiles read less memory; small
// tiles give more workgroups to fill the device.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Subgroups that share a tile of cooperative matrices.
struct SubgroupGrid {
  uint32_t down = 2, across = 2;

  constexpr uint32_t count() const { return down * across; }
};

struct SharedTile {
  uint32_t rows = 0, columns = 0;
  uint32_t invocations = 0;                  // float tiles only; for matrices the subgroup size decides
  uint32_t row_vec4s = 1, column_vec4s = 1;  // float tiles only: 4x4 squares per invocation
  // Float tiles only: per invocation of a GEMM, as RADV compiles it, of a convolution, as RADV or ANV does,
  // and of a GEMM in fp16 (variant HALF).
  uint32_t registers = 0, conv_registers = 0, half_registers = 0;

  // Shared memory of a float tile, as shared_memory_tile.glsl declares it.
  constexpr uint32_t shared_bytes(bool is_half) const {
    return 2 * 16 * (rows / 4 + (rows < 128 ? 1 : 0) + columns / 4) * (is_half ? 8 : 16);
  }
  // Shared memory of a matrix tile, as cooperative_matrix_tile.glsl declares it. INT8 may need less.
  constexpr uint32_t matrix_shared_bytes(bool is_emulated) const {
    const uint32_t gap = is_emulated ? 0 : 1;
    return 2 * std::max(rows * (8 + gap), 64 * (columns / 8 + gap)) * 16;
  }
  // Subgroups of up to 16 have few registers: each computes two matrices down and 32 columns.
  constexpr SubgroupGrid grid(uint32_t subgroup, const CooperativeMatrixShape& matrix) const {
    constexpr uint32_t kNarrow = 16, kColumns = 32;
    if (subgroup > kNarrow) return {};
    return {std::max(rows / (2 * matrix.rows), 1u), std::max(columns / kColumns, 1u)};
  }
  constexpr uint32_t max_matrix_invocations(uint32_t subgroup) const {
    return grid(subgroup, {8, 8, 8}).count() * subgroup;
  }
  constexpr uint32_t registers_of(bool is_convolution, bool is_half) const {
    return is_convolution ? conv_registers : is_half ? half_registers : registers;
  }
  constexpr uint32_t tiles(uint32_t of_rows, uint32_t of_columns) const {
    return divide_up(of_rows, rows) * divide_up(of_columns, columns);
  }
  // Appends the specialization constants of shared_memory_tile.glsl.
  void append_to(std::vector<uint32_t>& constants) const;
};

// Work for tiles: `matrices` (or groups) of rows x columns.
struct TileWork {
  uint32_t rows = 0, columns = 0, matrices = 1;
  uint32_t inner = 0;
  uint32_t inner_unit = 1;  // splits of K are multiples of it, and of equal length if `equal_splits`
  bool equal_splits = false;
  bool is_half = false;  // multiplies in fp16, without cooperative matrices
  bool is_convolution = false;
};

struct TileChoice {
  SharedTile tile;
  uint32_t splits = 1;        // split-K factor; each split has its partial sums
  uint32_t split_length = 0;  // K elements per split
};
// floats: shared_memory_tile.glsl. matrices: fp16 by cooperative_matrix_tile.glsl.
enum class TileSet : uint8_t { floats, matrices };

// Code::unsupported if NNRT_VULKAN_KERNELS forbids every tile.
Result<TileChoice> choose_shared_tile(const LoweringContext& context, const TileWork& work,
                                      TileSet set = TileSet::floats);
std::vector<std::string_view> shared_tile_kernels();
// Returns whether the tile choice affects this shader's time.
bool is_of_tiles(std::string_view shader);

// Loop iterations per invocation over `steps` elements of K, in shared_memory_tile.glsl.
uint64_t shared_tile_iterations(uint32_t steps);
// The same in the emulated cooperative_matrix_tile.glsl. `slice`: K elements between two barriers.
struct MatrixSteps {
  uint32_t steps = 0, slice = 0, subgroup = 0;
};
uint64_t matrix_tile_iterations(const SharedTile& tile, const SubgroupGrid& grid,
                                const CooperativeMatrixShape& matrix, const MatrixSteps& work);

// Reduces split-K partial sums: `parts` matrices of `rows` x `columns`, one after the other.
struct SplitSums {
  Buffer sums;
  uint32_t rows = 0, columns = 0, splits = 1;
  std::optional<Buffer> bias;
};
void add_split_sums(const LoweringContext& context, const SplitSums& work, const Epilogue& epilogue,
                    const View& to);

}  // namespace nnrt::vulkan
