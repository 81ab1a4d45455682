// ROTARY_EMBEDDING, row by row.
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {
namespace {

// kStep 1: the second elements of all pairs follow the first ones. kStep 2: pairs are interleaved.
template <int64_t kStep>
[[gnu::always_inline]] inline void rotate(const float* x, const float* cos, const float* sin, int64_t pairs,
                                          float* y) {
  const int64_t apart = kStep == 1 ? pairs : 1;
  for (int64_t i = 0; i < pairs; ++i) {
    const float a = x[i * kStep], b = x[i * kStep + apart];
    y[i * kStep] = a * cos[i] - b * sin[i];
    y[i * kStep + apart] = b * cos[i] + a * sin[i];
  }
}

// Strides of the angles from row to row.
Collapsed rows_of(const Shape& shape, const Shape& angles) {
  Shape rows = shape;
  rows.back() = angles.back();
  Strides strides = broadcast_strides(angles, rows);
  rows.pop_back();
  strides.pop_back();
  return collapse(rows, std::span(&strides, 1));
}

Status rotary_embedding(const KernelArgs& args) {
  const Shape& shape = args.node.shape(0);
  const Shape angles = with_dimension(args.node.shape(1));
  const bool interleaved = args.node.attrs().flag(Attr::interleaved);
  const FloatInput input(args, 0), cos(args, 1), sin(args, 2);
  FloatOutput output(args);
  const int64_t length = shape.back(), pairs = angles.back();
  const Collapsed rows = rows_of(shape, angles);
  const auto rotate_row = [&](int64_t row, int64_t angle) __attribute__((always_inline)) {
    const float* x = input.data() + row * length;
    float* y = output.data() + row * length;
    if (interleaved) {
      rotate<2>(x, cos.data() + angle, sin.data() + angle, pairs, y);
    } else {
      rotate<1>(x, cos.data() + angle, sin.data() + angle, pairs, y);
    }
    std::copy(x + 2 * pairs, x + length, y + 2 * pairs);
  };
  args.pool.parallel_for(input.count() / length, 1 + (1 << 13) / length, [&](int64_t begin, int64_t end) {
    walk<1>(rows.shape, rows.strides, begin, end,
            [&](int64_t row, const std::array<int64_t, 1>& offsets, int64_t count) {
              const int64_t step = rows.strides[0].back();
              with_vectors(
                  vector_bytes(), [&](auto) __attribute__((always_inline)) {
                    for (int64_t i = 0; i < count; ++i) rotate_row(row + i, offsets[0] + i * step);
                  });
            });
  });
  output.store();
  return {};
}

constexpr KernelRow kRotaryEmbeddingKernels[] = {{Op::rotary_embedding, rotary_embedding}};

}  // namespace

std::span<const KernelRow> rotary_embedding_kernels() { return kRotaryEmbeddingKernels; }

}  // namespace nnrt::cpu
