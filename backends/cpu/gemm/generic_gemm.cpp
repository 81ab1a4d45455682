#include "backends/cpu/gemm/generic_gemm.h"

#include "backends/cpu/gemm/generic_microkernel.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// Up to this many products of zero-centered quantized values (up to 255 each) sum to less than 2^24, which is
// exact in float.
template <typename Sum>
constexpr int64_t kInnerBlock = std::is_same_v<Sum, float> ? 1024 : 256;

constexpr int64_t kTileFloats = int64_t{128} * 1024;  // of the left operand: half a typical L2
constexpr int64_t kMaxTileRows = 256;                 // keeps a tile's sums in cache too
constexpr int64_t kNarrowRows = 4;  // up to this many rows, packing the right operand is not worth it
constexpr int64_t kGrain = int64_t{32} * 1024;  // elements worth a task

void add(float& to, float sum) { to += sum; }
void add(int32_t& to, float sum) { to = int32_t(uint32_t(to) + uint32_t(int32_t(sum))); }

template <typename Sum>
Sum blocked_dot(int vectors, const float* a, const float* b, int64_t inner) {
  Sum sum = 0;
  for (int64_t k = 0; k < inner; k += kInnerBlock<Sum>)
    add(sum, dot(vectors, a + k, b + k, std::min(kInnerBlock<Sum>, inner - k)));
  return sum;
}

// Few rows: each column is read once, in place.
template <typename Sum>
void multiply_narrow(const GenericGemm<Sum>& gemm, ThreadPool& pool) {
  constexpr int64_t kColumns = 16;
  const int vectors = vector_bytes();
  std::vector<float> left_scratch;
  const RowBlock left = gemm.left(0, gemm.rows, left_scratch);
  const int64_t groups = divide_up(gemm.columns, kColumns);
  const int64_t grain = divide_up(kGrain, gemm.inner * kColumns);
  pool.parallel_for(groups, grain, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch(size_t(gemm.inner));
    Sum sums[kNarrowRows * kColumns];
    for (int64_t first = begin * kColumns; first < std::min(end * kColumns, gemm.columns);
         first += kColumns) {
      const int64_t count = std::min(kColumns, gemm.columns - first);
      for (int64_t c = 0; c < count; ++c) {
        const float* column = gemm.right.column(first + c, scratch.data());
        for (int64_t r = 0; r < gemm.rows; ++r)
          sums[r * kColumns + c] = blocked_dot<Sum>(vectors, left.data + r * left.stride, column, gemm.inner);
      }
      gemm.store({0, first, gemm.rows, count, sums, kColumns});
    }
  });
}

// Sums of a tile of rows with one panel: panel.size() / inner columns.
template <typename Sum>
class TileSums {
 public:
  TileSums(int vectors, int64_t rows) : vectors_(vectors), sums_(size_t(rows * columns())) {}

  int64_t columns() const { return block_size(vectors_).columns; }
  const Sum* data() const { return sums_.data(); }

  template <typename Right>
  void compute(const RowBlock& left, int64_t rows, const Right& right, int64_t inner) {
    const int block_rows = block_size(vectors_).rows;
    for (int64_t k = 0; k < inner; k += kInnerBlock<Sum>) {
      const int64_t count = std::min(kInnerBlock<Sum>, inner - k);
      for (int64_t row = 0; row < rows; row += block_rows) {
        const int now = int(std::min<int64_t>(block_rows, rows - row));
        add_block(now, left.data + row * left.stride + k, left.stride, from(right, k), count, k == 0,
                  sums_.data() + row * columns());
      }
    }
  }

 private:
  const float* from(const float* panel, int64_t k) const { return panel + k * columns(); }
  ShiftedLines from(const ShiftedLines& lines, int64_t k) const { return {lines.data, lines.offsets + k}; }

  template <typename Right>
  void add_block(int rows, const float* left, int64_t stride, const Right& right, int64_t inner, bool first,
                 Sum* to) {
    if constexpr (std::is_same_v<Sum, float>) {
      if (first) return block_sums(vectors_, rows, left, stride, right, inner, to);
    }
    float block[kMaxBlockRows * kMaxBlockColumns];
    block_sums(vectors_, rows, left, stride, right, inner, block);
    for (int64_t i = 0; i < rows * columns(); ++i) {
      if (first) to[i] = 0;
      add(to[i], block[i]);
    }
  }

  int vectors_;
  std::vector<Sum> sums_;
};

struct Tiling {
  int64_t tile_rows, row_tiles;
  int64_t chunk_panels, chunks;  // a task is one tile of rows times one chunk of panels
};

Tiling tiling(int64_t rows, int64_t inner, int64_t panels, int block_rows, unsigned threads) {
  constexpr int64_t kTasksPerThread = 4;
  const int64_t max_rows = std::clamp<int64_t>(kTileFloats / inner, block_rows, kMaxTileRows);
  Tiling tiles{};
  tiles.row_tiles = divide_up(rows, max_rows);
  tiles.tile_rows = round_up(divide_up(rows, tiles.row_tiles), block_rows);
  tiles.row_tiles = divide_up(rows, tiles.tile_rows);
  tiles.chunks = std::min(divide_up(int64_t(threads) * kTasksPerThread, tiles.row_tiles), panels);
  tiles.chunk_panels = divide_up(panels, tiles.chunks);
  tiles.chunks = divide_up(panels, tiles.chunk_panels);
  return tiles;
}

template <typename Sum>
void multiply_wide(const GenericGemm<Sum>& gemm, ThreadPool& pool) {
  const int vectors = vector_bytes();
  const int panel_width = block_size(vectors).columns;
  const int block_rows = block_size(vectors).rows;
  const int64_t panels = divide_up(gemm.columns, panel_width);
  const int64_t panel_floats = gemm.inner * panel_width;
  std::unique_ptr<float[]> own;
  if (gemm.panels == nullptr && !gemm.right.lines) {
    own = std::make_unique_for_overwrite<float[]>(packed_floats(gemm.columns, gemm.inner));
    pack(gemm.right, gemm.columns, gemm.inner, pool, own.get());
  }
  const float* packed = own ? own.get() : gemm.panels;

  const Tiling tiles = tiling(gemm.rows, gemm.inner, panels, block_rows, pool.threads());
  const int64_t task_gemms = tiles.tile_rows * tiles.chunk_panels * panel_floats;
  const int64_t grain = divide_up(4 * kGrain, task_gemms);
  pool.parallel_for(tiles.row_tiles * tiles.chunks, grain, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch;
    TileSums<Sum> sums(vectors, tiles.tile_rows);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task / tiles.chunks * tiles.tile_rows;
      const int64_t rows = std::min(tiles.tile_rows, gemm.rows - row);
      const int64_t first_panel = task % tiles.chunks * tiles.chunk_panels;
      const RowBlock left = gemm.left(row, row + rows, scratch);
      for (int64_t p = first_panel; p < std::min(first_panel + tiles.chunk_panels, panels); ++p) {
        const int64_t column = p * panel_width;
        if (gemm.right.lines)
          sums.compute(left, rows, ShiftedLines{gemm.right.lines(column), gemm.right.offsets}, gemm.inner);
        else
          sums.compute(left, rows, packed + p * panel_floats, gemm.inner);
        const int64_t columns = std::min<int64_t>(panel_width, gemm.columns - column);
        gemm.store({row, column, rows, columns, sums.data(), panel_width});
      }
    }
  });
}

int32_t zero_point_of(std::span<const int32_t> zero_points, int64_t column) {
  if (zero_points.empty()) return 0;
  return zero_points[zero_points.size() == 1 ? 0 : size_t(column)];
}

}  // namespace

bool wants_panels(int64_t rows, const RightOperand& right) { return rows > kNarrowRows || !right.column; }

size_t packed_floats(int64_t columns, int64_t inner) {
  const int width = block_size(vector_bytes()).columns;
  return size_t(divide_up(columns, width) * inner * width);
}

void pack(const RightOperand& right, int64_t columns, int64_t inner, ThreadPool& pool, float* packed) {
  const int width = block_size(vector_bytes()).columns;
  const int64_t panels = divide_up(columns, width);
  const int64_t panel_floats = inner * width;
  pool.parallel_for(panels, divide_up(kGrain, panel_floats), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) right.fill(p * width, width, packed + p * panel_floats);
  });
}

template <typename Sum>
void multiply(const GenericGemm<Sum>& gemm, ThreadPool& pool) {
  if (!wants_panels(gemm.rows, gemm.right)) return multiply_narrow(gemm, pool);
  multiply_wide(gemm, pool);
}

template <typename T>
RightOperand contiguous_columns(const T* data, int64_t stride, int64_t columns, int64_t inner,
                                std::span<const int32_t> zero_points) {
  RightOperand right;
  right.fill = [=](int64_t first, int width, float* panel) {
    constexpr int64_t kDepth = 128;  // block of the panel that stays in L1
    for (int64_t k = 0; k < inner; k += kDepth) {
      const int64_t depth = std::min(kDepth, inner - k);
      for (int c = 0; c < width; ++c) {
        float* to = panel + k * width + c;
        const bool exists = first + c < columns;
        const T* from = exists ? data + (first + c) * stride + k : nullptr;
        const int32_t zero_point = exists ? zero_point_of(zero_points, first + c) : 0;
        for (int64_t i = 0; i < depth; ++i) to[i * width] = exists ? widened(from[i], zero_point) : 0.0f;
      }
    }
  };
  right.column = [=](int64_t column, float* scratch) -> const float* {
    const T* from = data + column * stride;
    if constexpr (std::is_same_v<T, float>) {
      return from;
    } else {
      const int32_t zero_point = zero_point_of(zero_points, column);
      for (int64_t k = 0; k < inner; ++k) scratch[k] = widened(from[k], zero_point);
      return scratch;
    }
  };
  return right;
}

template <typename T>
RightOperand contiguous_rows(const T* data, int64_t stride, int64_t columns, int64_t inner,
                             int32_t zero_point) {
  RightOperand right;
  right.fill = [=](int64_t first, int width, float* panel) {
    const int64_t count = std::min<int64_t>(width, columns - first);
    for (int64_t k = 0; k < inner; ++k, panel += width) {
      const T* from = data + k * stride + first;
      for (int64_t c = 0; c < count; ++c) panel[c] = widened(from[c], zero_point);
      std::fill(panel + count, panel + width, 0.0f);
    }
  };
  return right;
}

template void multiply(const GenericGemm<float>&, ThreadPool&);
template void multiply(const GenericGemm<int32_t>&, ThreadPool&);
template RightOperand contiguous_columns(const float*, int64_t, int64_t, int64_t, std::span<const int32_t>);
template RightOperand contiguous_columns(const Half*, int64_t, int64_t, int64_t, std::span<const int32_t>);
template RightOperand contiguous_columns(const int8_t*, int64_t, int64_t, int64_t, std::span<const int32_t>);
template RightOperand contiguous_rows(const float*, int64_t, int64_t, int64_t, int32_t);
template RightOperand contiguous_rows(const Half*, int64_t, int64_t, int64_t, int32_t);
template RightOperand contiguous_rows(const int8_t*, int64_t, int64_t, int64_t, int32_t);

}  // namespace nnrt::cpu
