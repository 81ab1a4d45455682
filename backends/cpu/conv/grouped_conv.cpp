// Grouped FLOAT32 convolutions.
#include "backends/cpu/conv/pixel_rows.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/gemm_conv_kernels.h"

#include <algorithm>

namespace nnrt::cpu {
bool shares_taps(const Convolution& conv) {
  constexpr int64_t kMaxChannels = 32;  // more take far longer to multiply than to locate
  return conv.groups > 1 && std::max(conv.group_in, conv.group_out) <= kMaxChannels &&
         row_source_of<float>(conv) == RowSource::taps;
}

Status convolve_groups(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm,
                       const PrepackedBytes& filters) {
  constexpr int64_t kGrain = int64_t{256} * 1024;  // products worth a thread
  const GroupTiles tiles =
      group_tiles(gemm.rows, f32_tile_block(gemm).rows, gemm.groups, args.pool.threads());
  const PixelRows<float> pixels(conv, args.input<float>(0), 0.0f, PixelRows<float>::kAllGroups);
  const float* const panels = filters.as<float>();
  const float* const bias = panels + gemm.groups * f32_group_floats(gemm);
  const F32OutputEpilogue end(args);
  float* const output = args.output<float>();
  const int64_t parts_count = tiles.rows * gemm.taps, part_bytes = parts_count * int64_t(sizeof(float*));
  const auto scratch_bytes = size_t(part_bytes + pixels.bytes(tiles.rows));
  args.scratch->reserve(args.pool.threads(), scratch_bytes);
  const int64_t work = tiles.rows * tiles.groups * gemm.columns * gemm.inner();
  args.pool.parallel_for(
      tiles.row_tiles * tiles.group_parts, divide_up(kGrain, work),
      [&](int64_t begin, int64_t until, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, scratch_bytes);
        auto* const parts = reinterpret_cast<const float**>(scratch);
        auto* const zeros = reinterpret_cast<float*>(scratch + part_bytes);
        for (int64_t task = begin; task < until; ++task) {
          const int64_t row = task / tiles.group_parts * tiles.rows,
                        first = task % tiles.group_parts * tiles.groups;
          const int64_t last = std::min(first + tiles.groups, gemm.groups);
          const F32Rows rows{parts,           nullptr,           0,
                             gemm.taps,       gemm.tap_elements, std::min(tiles.rows, gemm.rows - row),
                             tiles.block_rows};
          std::fill_n(parts, parts_count, zeros);  // also those of rows beyond the last
          pixels(row, rows.count, tiles.block_rows, parts, zeros);
          for (int64_t group = first; group < last; ++group) {
            const int64_t step = group == first ? first * conv.group_in : conv.group_in;
            for (int64_t i = 0; i < parts_count; ++i) parts[i] += step;
            const int64_t at = row * conv.out_channels + group * conv.group_out;
            multiply_f32(gemm.vectors, rows, panels + group * f32_group_floats(gemm), gemm.columns,
                         end.epilogue(bias + group * gemm.columns, at), output + at, conv.out_channels);
          }
          end.apply_rest(row * conv.out_channels + first * conv.group_out, rows.count,
                         (last - first) * conv.group_out, conv.out_channels);
        }
      });
  return {};
}

}  // namespace nnrt::cpu
