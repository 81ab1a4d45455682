// Products of float32 matrices: what is kept of weights and bias, and what
// becomes of the sums.
#pragma once

#include "backends/cpu/floats_block.h"
#include "backends/cpu/linear_tiles.h"
#include "backends/cpu/vectors.h"

namespace nnrt::cpu {

inline TileBlock float_tile_block(const TiledProduct& product) {
  const FloatBlock block = float_block(vector_bytes());
  return {block.rows, block.columns, product.row_elements * int64_t(sizeof(float)), sizeof(float)};
}

// The panels of all groups, then the bias of all channels (zeros where there is
// none) and a vector's length of zeros. Kept, or made in the run where weights or bias are not constant.
// `weights` are those of input 1, or of one of the matrices in it.
KeptBytes float_weights(const KernelArgs& args, const TiledProduct& product, const float* weights);
int64_t float_group_floats(const TiledProduct& product);  // of the panels of one group
// Writes the panels of one group.
void pack_floats(const TiledProduct& product, const float* weights, ThreadPool& pool, float* to);

// Up to so many rows, the weights are read as they lie, where each column's lie
// side by side.
bool is_narrow(const TiledProduct& product);
void multiply_narrow(const KernelArgs& args, const TiledProduct& product, const float* rows,
                     const float* weights, float* to);

// The end of a node with float32 output: its activation and the steps fused to
// it.
class FloatEnd {
 public:
  // Whether the innermost loop adds FloatFinish::other.
  explicit FloatEnd(const KernelArgs& args, bool loop_adds = true);

  // For results from element `at` of the output on, `bias` being that of the
  // first.
  FloatFinish finish(const float* bias, int64_t at) const;
  // What the innermost loop did not do, for rows x columns elements.
  void apply_rest(int64_t at, int64_t rows, int64_t columns, int64_t stride) const;

 private:
  const KernelArgs& args_;
  FloatFinish first_;
  size_t in_loop_ = 0;  // so many steps are done by the innermost loop
};

template <typename Locate>
void multiply_floats(const KernelArgs& args, const TiledProduct& product, const KeptBytes& kept,
                     int64_t group, const Locate& locate, int64_t first, int64_t stride) {
  const int64_t group_floats = float_group_floats(product);
  const float* const panels = kept.as<float>() + group * group_floats;
  const float* const bias = kept.as<float>() + product.groups * group_floats + group * product.columns;
  const int64_t column_floats = product.inner();
  const FloatEnd end(args);
  float* const output = args.output<float>();
  for_tiles<float>(
      args, product, float_tile_block(product), locate, [](const float* const*, int64_t, int, int32_t*) {},
      [&](const Tile& tile, const float* const* parts, const int32_t*) {
        FloatRows rows{parts, nullptr, 0, product.taps, product.tap_elements, tile.rows, tile.block_rows};
        if (parts == nullptr) {
          rows.first = locate.even_row(tile.row);
          rows.step = product.inner();
        }
        const int64_t at = first + tile.row * stride + tile.column;
        multiply_floats(vector_bytes(), rows, panels + tile.column * column_floats, tile.columns,
                        end.finish(bias + tile.column, at), output + at, stride);
        end.apply_rest(at, tile.rows, tile.columns, stride);
      });
}

}  // namespace nnrt::cpu
