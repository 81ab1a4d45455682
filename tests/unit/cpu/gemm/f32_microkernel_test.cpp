#include "backends/cpu/gemm/f32_microkernel.h"

#include "backends/cpu/simd/panels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace nnrt::cpu {
namespace {

std::vector<float> drawn(int64_t count) {
  static std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(values(random));
  return all;
}

TEST(F32Microkernel, RoundsRowsAlikeInBlocksOfAnyHeight) {
  constexpr int64_t kRows = kMaxFloatRows, kInner = 37;
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    const F32Block size = f32_block(bytes);
    for (const int64_t columns : {size.lanes / 2, size.lanes, size.lanes * 3 / 2, size.columns, 70}) {
      const std::vector<float> left = drawn(kRows * kInner), right = drawn(columns * kInner),
                               bias = drawn(columns + kMaxFloatColumns);
      const int64_t panels = (columns + size.columns - 1) / size.columns;
      std::vector<float> packed(size_t(panels * size.columns * kInner));
      pack_columns(bytes, {right.data(), columns, kInner}, 0, panels, packed.data());
      const auto computed = [&](int64_t block_rows) {
        F32Rows from;
        from.first = left.data();
        from.step = from.tap_floats = kInner;
        from.count = kRows;
        from.block_rows = block_rows;
        std::vector<float> result(size_t(kRows * columns));
        multiply_f32(bytes, from, packed.data(), columns, {bias.data(), -1, 2, nullptr, 0, 1.5f},
                     result.data(), columns);
        return result;
      };
      const std::vector<float> one_by_one = computed(1);
      for (int rows = 2; rows <= (columns <= size.lanes ? kMaxFloatRows : size.rows); ++rows)
        EXPECT_EQ(computed(rows), one_by_one)
            << bytes << " bytes, " << rows << " rows, " << columns << " columns";
    }
  }
}

// Rows of several taps. A single block of rows is never split into spans, so it serves as the reference.
TEST(F32Microkernel, RoundsSpansLikeWholeRows) {
  struct Shape {
    int64_t taps, tap_floats;
  };
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2)
    for (const auto& [taps, tap_floats] :
         {Shape{9, 512}, Shape{25, 130}, Shape{2, 3000}, Shape{1, 5000}, Shape{4, 2048}}) {
      const F32Block size = f32_block(bytes);
      const int64_t rows = 3 * size.rows - 1, columns = 2 * size.columns + 5, inner = taps * tap_floats;
      const std::vector<float> left = drawn(rows * inner), right = drawn(columns * inner);
      const std::vector<float> bias = drawn(columns + kMaxFloatColumns);
      std::vector<float> packed(size_t(3 * size.columns * inner));
      pack_columns(bytes, {right.data(), columns, inner}, 0, 3, packed.data());
      std::vector<const float*> parts(size_t((rows + size.rows) * taps));
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t tap = 0; tap < taps; ++tap)
          parts[size_t(row / size.rows * size.rows * taps + tap * size.rows + row % size.rows)] =
              left.data() + row * inner + tap * tap_floats;
      F32Rows from;
      from.parts = parts.data();
      from.taps = taps;
      from.tap_floats = tap_floats;
      from.count = rows;
      from.block_rows = size.rows;
      F32Epilogue epilogue{bias.data(), -100, 100, nullptr, -100, 100};
      const std::vector<float> other = drawn(rows * columns);
      std::vector<float> at_once(other), in_place(other), alone(other);
      epilogue.other = other.data();
      multiply_f32(bytes, from, packed.data(), columns, epilogue, at_once.data(), columns);
      epilogue.other = in_place.data();
      multiply_f32(bytes, from, packed.data(), columns, epilogue, in_place.data(), columns);
      for (int64_t row = 0; row < rows; row += size.rows) {
        F32Rows block = from;
        block.parts += row * taps;
        block.count = std::min<int64_t>(size.rows, rows - row);
        epilogue.other = other.data() + row * columns;
        multiply_f32(bytes, block, packed.data(), columns, epilogue, alone.data() + row * columns, columns);
      }
      EXPECT_EQ(at_once, alone) << bytes << " bytes, " << taps << " x " << tap_floats;
      EXPECT_EQ(in_place, alone) << bytes << " bytes, " << taps << " x " << tap_floats;
    }
}

}  // namespace
}  // namespace nnrt::cpu
