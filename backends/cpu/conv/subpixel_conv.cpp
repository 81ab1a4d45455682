// Transposed FLOAT32 convolutions: an implicit GEMM per phase of output pixels.
#include "backends/cpu/conv/direct_conv.h"
#include "backends/cpu/conv/transposed_conv.h"
#include "backends/cpu/conv/transposed_phases.h"
#include "backends/cpu/gemm/f32_gemm.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

// The GEMM over all taps; each phase computes a part of it.
GemmProblem gemm_problem_of(const KernelArgs& args, const Convolution& conv) {
  GemmProblem gemm;
  gemm.groups = conv.groups;
  gemm.columns = conv.group_out;
  gemm.taps = conv.spatial.kernel[0] * conv.spatial.kernel[1];
  gemm.tap_elements = conv.group_in;
  gemm.has_bias = args.node.input_count() > 2;
  return gemm;
}

// Reorders weights so that the taps of each phase are contiguous.
std::vector<float> sorted_taps(const Convolution& conv, const float* weights) {
  const TapClasses rows(conv.spatial, 0), columns(conv.spatial, 1);
  const int64_t width = conv.spatial.kernel[1], inner = conv.inner();
  std::vector<float> sorted(size_t(conv.out_channels * inner));
  float* to = sorted.data();
  for (int64_t channel = 0; channel < conv.out_channels; ++channel, weights += inner)
    for (int64_t row_class = 0; row_class < rows.count(); ++row_class)
      for (int64_t column_class = 0; column_class < columns.count(); ++column_class)
        for (int64_t u = row_class; u < rows.kernel; u += rows.step)
          for (int64_t v = column_class; v < columns.kernel; v += columns.step, to += conv.group_in)
            std::copy_n(weights + (u * width + v) * conv.group_in, conv.group_in, to);
  return sorted;
}

PrepackedBytes filters_of(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm) {
  return args.prepacked_from(1, f32_weight_bytes(gemm), [&](std::byte* memory) {
    write_f32_weights(args, gemm, sorted_taps(conv, args.input<float>(1)).data(), true, memory);
  });
}

struct Phase {
  AxisPhase y, x;
  int64_t first_tap;  // among the sorted taps

  Phase(const SpatialParams& spatial, int64_t index)
      : y(axis_phase(spatial, 0, index / phase_count(spatial, 1))),
        x(axis_phase(spatial, 1, index % phase_count(spatial, 1))),
        first_tap(TapClasses(spatial, 0).begin(y.tap_class) * spatial.kernel[1] +
                  y.taps * TapClasses(spatial, 1).begin(x.tap_class)) {}

  int64_t taps() const { return y.taps * x.taps; }
  int64_t pixels(int64_t batch) const { return batch * y.count * x.count; }
};

// Consecutive output pixels of a phase in one output line.
struct Piece {
  int64_t image, y, x, count;  // y and x count the phase's cells
  int64_t block_rows;
};

class SubpixelConv {
 public:
  SubpixelConv(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm,
               const PrepackedBytes& filters)
      : args_(args), conv_(conv), gemm_(gemm), filters_(filters.as<float>()), end_(args) {}

  void run() const {
    const SpatialParams& spatial = conv_.spatial;
    // The first phase has the most pixels.
    GemmProblem largest = gemm_;
    largest.taps = TapClasses(spatial, 0).size(0) * TapClasses(spatial, 1).size(0);
    largest.rows = Phase(spatial, 0).pixels(conv_.batch);
    largest.row_elements = conv_.group_in;
    const Tiles tiles = tiles_of(largest, f32_tile_block(largest), args_.pool.threads());
    const int64_t phases = phase_count(spatial, 0) * phase_count(spatial, 1);
    const size_t bytes = scratch_bytes(tiles.rows, largest.taps);
    args_.scratch->reserve(args_.pool.threads(), bytes);
    const int64_t tasks = tiles.row_tiles * conv_.groups * phases * tiles.chunks;
    args_.pool.parallel_for(tasks, tiles.grain, [&](int64_t begin, int64_t end, unsigned worker) {
      auto* const parts = reinterpret_cast<const float**>(args_.scratch->of_worker(worker, bytes));
      for (int64_t task = begin; task < end; ++task) {
        const int64_t chunk = task % tiles.chunks, rest = task / tiles.chunks;
        const Task one{Phase(spatial, rest % phases),
                       rest / phases % conv_.groups,
                       rest / phases / conv_.groups * tiles.rows,
                       tiles.rows,
                       chunk * tiles.panels,
                       tiles.panels};
        compute(one, parts);
      }
    });
  }

 private:
  struct Task {
    Phase phase;
    int64_t group, row, rows, panel, panels;
  };

  // A pixel of zeros, then pointers to the parts of all rows. Padding blocks to `block_rows` at most doubles
  // their rows.
  size_t scratch_bytes(int64_t rows, int64_t taps) const {
    return size_t(2 * rows * taps) * sizeof(float*) + size_t(conv_.group_in) * sizeof(float);
  }

  Piece piece_at(const Task& task, int64_t row) const {
    const Phase& phase = task.phase;
    const int64_t last = std::min(task.row + task.rows, phase.pixels(conv_.batch));
    Piece piece{row / phase.x.count / phase.y.count, row / phase.x.count % phase.y.count, row % phase.x.count,
                0, 0};
    piece.count = std::min(last - row, phase.x.count - piece.x);
    if (piece.count <= 0) return piece;
    const int64_t max_rows = f32_block(vector_bytes()).rows;
    piece.block_rows = divide_up(piece.count, divide_up(piece.count, max_rows));
    return piece;
  }

  template <typename F>
  void for_pieces(const Task& task, const F& f) const {
    for (int64_t row = task.row; row < task.row + task.rows;) {
      const Piece piece = piece_at(task, row);
      if (piece.count <= 0) return;
      f(piece);
      row += piece.count;
    }
  }

  static int64_t parts_of(const Piece& piece, const Phase& phase) {
    return round_up(piece.count, piece.block_rows) * phase.taps();
  }

  void locate(const Task& task, const Piece& piece, const float* outside, const float** parts) const {
    const auto [height, width] = conv_.spatial.in;
    const Phase& phase = task.phase;
    const float* const input = args_.input<float>(0) + task.group * conv_.group_in;
    for (int64_t block = 0; block < piece.count; block += piece.block_rows) {
      const int64_t rows = std::min(piece.block_rows, piece.count - block);
      for (int64_t u = 0; u < phase.y.taps; ++u) {
        const int64_t in_y = phase.y.source(piece.y, u);
        const bool is_inside = in_y >= 0 && in_y < height;
        const float* const line =
            is_inside ? input + (piece.image * height + in_y) * width * conv_.in_channels : nullptr;
        for (int64_t v = 0; v < phase.x.taps; ++v, parts += piece.block_rows) {
          const int64_t in_x = phase.x.source(piece.x + block, v);
          for (int64_t r = 0; r < rows; ++r) {
            const bool reads = is_inside && in_x + r >= 0 && in_x + r < width;
            parts[r] = reads ? line + (in_x + r) * conv_.in_channels : outside;
          }
        }
      }
    }
  }

  void compute(const Task& task, const float** memory) const {
    auto* const outside = reinterpret_cast<float*>(memory);
    std::fill_n(outside, conv_.group_in, 0.0f);
    const float** const first =
        memory + divide_up(conv_.group_in * int64_t(sizeof(float)), int64_t(sizeof(float*)));
    const float** parts = first;
    for_pieces(task, [&](const Piece& piece) {
      locate(task, piece, outside, parts);
      parts += parts_of(piece, task.phase);
    });
    const F32Block block = f32_block(vector_bytes());
    const int64_t begin = task.panel * block.columns;
    const int64_t end = std::min(begin + task.panels * block.columns, conv_.group_out);
    for (int64_t column = begin; column < end; column += block.columns) {
      const int64_t columns = std::min<int64_t>(block.columns, end - column);
      parts = first;
      for_pieces(task, [&](const Piece& piece) {
        multiply(task, piece, parts, column, columns);
        parts += parts_of(piece, task.phase);
      });
    }
    for_pieces(task, [&](const Piece& piece) {
      end_.apply_rest(place_of(task, piece) + begin, piece.count, end - begin, pixel_step());
    });
  }

  int64_t pixel_step() const { return conv_.spatial.stride[1] * conv_.out_channels; }

  // The position of the piece's first output element in the group.
  int64_t place_of(const Task& task, const Piece& piece) const {
    const SpatialParams& spatial = conv_.spatial;
    const int64_t y = task.phase.y.first + piece.y * spatial.stride[0];
    const int64_t x = task.phase.x.first + piece.x * spatial.stride[1];
    return ((piece.image * spatial.out[0] + y) * spatial.out[1] + x) * conv_.out_channels +
           task.group * conv_.group_out;
  }

  void multiply(const Task& task, const Piece& piece, const float* const* parts, int64_t column,
                int64_t columns) const {
    const F32Block block = f32_block(vector_bytes());
    const int64_t group_floats = f32_group_floats(gemm_);
    const int64_t panel_columns = columns > block.lanes ? block.columns : block.lanes;
    const float* const panel = filters_ + task.group * group_floats + column * gemm_.inner() +
                               task.phase.first_tap * conv_.group_in * panel_columns;
    const float* const bias = filters_ + gemm_.groups * group_floats + task.group * conv_.group_out + column;
    const F32Rows rows{.parts = parts,
                       .taps = task.phase.taps(),
                       .tap_floats = conv_.group_in,
                       .count = piece.count,
                       .block_rows = piece.block_rows};
    const int64_t at = place_of(task, piece) + column;
    multiply_f32(vector_bytes(), rows, panel, columns, end_.epilogue(bias, at), args_.output<float>() + at,
                 pixel_step());
  }

  const KernelArgs& args_;
  const Convolution& conv_;
  const GemmProblem& gemm_;
  const float* filters_;
  F32OutputEpilogue end_;
};

}  // namespace

WhyNot why_not_subpixel(const KernelArgs& args, const Convolution& conv) {
  if (!conv.transposed) return "It supports only transposed convolutions.";
  if (args.node.dtype() != DType::f32) return "It supports only FLOAT32.";
  return {};
}

Status prepack_subpixel(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(filters_of(args, conv, gemm_problem_of(args, conv)));
  return {};
}

bool runs_subpixel_directly(const KernelArgs& args, const Convolution& conv) {
  const GemmProblem gemm = gemm_problem_of(args, conv);
  return !std::isfinite(magnitude_of(filters_of(args, conv, gemm), gemm));
}

Status convolve_subpixel(const KernelArgs& args, const Convolution& conv) {
  const GemmProblem gemm = gemm_problem_of(args, conv);
  const PrepackedBytes filters = filters_of(args, conv, gemm);
  if (!std::isfinite(magnitude_of(filters, gemm))) return convolve_direct(args, conv);
  SubpixelConv(args, conv, gemm, filters).run();
  return {};
}

}  // namespace nnrt::cpu
