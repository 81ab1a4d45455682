// Rows with fewer channels than lanes: a vector holds several pixels, and weights repeat.
#include "backends/cpu/conv/depthwise_lines.h"
#include "backends/cpu/simd/vector_math.h"
#include "core/passes/winograd_range.h"

#include <cmath>
#include <numeric>

namespace nnrt::cpu {
namespace {

constexpr int64_t kMaxStride = 4;  // splitting lines by larger strides does not pay off

// Input lines under the kernel, including those that it skips.
int64_t kernel_lines(const SpatialParams& spatial) {
  return std::min((spatial.kernel[0] - 1) * spatial.dilation[0] + 1, spatial.in[0]);
}

// Otherwise all taps are inside the lines, and contiguous.
bool copies_lines(const SpatialParams& spatial) {
  return spatial.stride[1] > 1 || inner_outputs(spatial, 1).count() < spatial.out[1];
}

size_t slot_bytes(const SpatialParams& spatial, int64_t channels) {
  if (!copies_lines(spatial)) return 0;
  return size_t(kernel_lines(spatial) * PaddedLines<float>(spatial, channels).size()) * sizeof(float);
}

// Elements of an output row. Tap (u, v) of element i reads lines[u][offsets[v] + i].
struct FlatRow {
  const DepthwiseLayer& layer;
  const float* const* lines;
  const int64_t* offsets;
  TapRange rows;
};

// `Vectors` vectors from element i on, whose first elements are `step` apart. `Same`: these are of the same
// channel.
template <int Bytes, int Vectors, bool Same>
NNRT_INLINE void sum_elements(const FlatRow& row, int64_t i, int64_t step, float* sums) {
  using V = Vector<Bytes>;
  const DepthwiseLayer& layer = row.layer;
  const int64_t width = layer.spatial.kernel[1];
  int64_t channel[Vectors];
  for (int k = 0; k < Vectors; ++k) channel[k] = (i + (Same ? 0 : k * step)) % layer.channels;
  V totals[Vectors] = {};
  for (int64_t u = row.rows.begin; u < row.rows.end; ++u) {
    const float* weight = layer.weight + u * width * layer.weight_step;
    for (int64_t v = 0; v < width; ++v, weight += layer.weight_step) {
      const float* const from = row.lines[u] + row.offsets[v] + i;
      const V first = load<Bytes>(weight + channel[0]);
      for (int k = 0; k < Vectors; ++k)
        totals[k] +=
            (Same || k == 0 ? first : load<Bytes>(weight + channel[k])) * load<Bytes>(from + k * step);
    }
  }
  for (int k = 0; k < Vectors; ++k) {
    V sum = totals[k] + load<Bytes>(layer.epilogue.bias + channel[k]);
    clamp_to(sum, layer.epilogue.low, layer.epilogue.high);
    store<Bytes>(sums + i + k * step, sum);
  }
}

// `count` elements, at least one vector; the last vector may overlap the one before it.
template <int Bytes>
NNRT_INLINE void sum_row(const FlatRow& row, int64_t count, float* sums) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float)), kAtOnce = 4;
  const int64_t period = std::lcm(kLanes, row.layer.channels);  // after which the channels repeat
  int64_t i = 0;
  for (; i + kAtOnce * period <= count; i += kAtOnce * period)
    for (int64_t k = 0; k < period; k += kLanes) sum_elements<Bytes, kAtOnce, true>(row, i + k, period, sums);
  for (; i + kAtOnce * kLanes <= count; i += kAtOnce * kLanes)
    sum_elements<Bytes, kAtOnce, false>(row, i, kLanes, sums);
  for (; i + kLanes <= count; i += kLanes) sum_elements<Bytes, 1, true>(row, i, kLanes, sums);
  if (i < count) sum_elements<Bytes, 1, true>(row, count - kLanes, kLanes, sums);
}

}  // namespace

int64_t depthwise_step(int64_t channels) {
  const int64_t lanes = vector_bytes() / int64_t(sizeof(float));
  return channels < lanes ? channels + lanes - 1 : channels;
}

bool has_flat_rows(const DepthwiseLayer& layer) {
  const SpatialParams& spatial = layer.spatial;
  const int64_t lanes = vector_bytes() / int64_t(sizeof(float));
  if (layer.channels >= lanes || spatial.out[1] * layer.channels < lanes || spatial.stride[1] > kMaxStride)
    return false;
  const auto weights = size_t(spatial.kernel[0] * spatial.kernel[1] * layer.weight_step);
  return inner_outputs(spatial, 1).count() == spatial.out[1] ||
         std::isfinite(max_magnitude({layer.weight, weights}));
}

size_t DepthwiseRows::scratch_bytes(const DepthwiseLayer& layer) {
  if (!layer.is_flat) return 0;
  const SpatialParams& spatial = layer.spatial;
  return slot_bytes(spatial, layer.channels) + size_t(spatial.kernel[0]) * sizeof(float*) +
         size_t(spatial.kernel[1]) * sizeof(int64_t);
}

DepthwiseRows::DepthwiseRows(const DepthwiseLayer& layer, std::byte* scratch)
    : layer_(layer), padded_(layer.spatial, layer.channels) {
  if (!layer.is_flat) return;
  const SpatialParams& spatial = layer.spatial;
  const auto [height, width] = spatial.kernel;
  if (copies_lines(spatial)) slots_ = reinterpret_cast<float*>(scratch);
  scratch += slot_bytes(spatial, layer.channels);
  lines_ = reinterpret_cast<const float**>(scratch);
  offsets_ = reinterpret_cast<int64_t*>(scratch + size_t(height) * sizeof(float*));
  for (int64_t v = 0; v < width; ++v)
    offsets_[v] = slots_ != nullptr ? padded_.offset(0, v)
                                    : (v * spatial.dilation[1] - spatial.before[1]) * layer.channels;
}

// Copies lines [begin, end) unless the previous row did. Line y is in slot y % kernel_lines().
void DepthwiseRows::copy_lines(const float* image, int64_t begin, int64_t end) {
  const SpatialParams& spatial = layer_.spatial;
  if (image != image_ || begin < copied_.begin || begin > copied_.end) copied_ = {begin, begin};
  image_ = image;
  copied_.begin = begin;
  for (int64_t& y = copied_.end; y < end; ++y)
    padded_.fill(image + y * spatial.in[1] * layer_.channels, 0, slot(y));
}

float* DepthwiseRows::slot(int64_t y) const {
  return slots_ + y % kernel_lines(layer_.spatial) * padded_.size();
}

void DepthwiseRows::sum_flat_row(const float* image, int64_t y, float* sums) {
  const SpatialParams& spatial = layer_.spatial;
  const TapRange rows = taps_inside(spatial, 0, y);
  const int64_t origin = tap_origin(spatial, 0, y), step = spatial.dilation[0];
  if (slots_ != nullptr && rows.count() > 0)
    copy_lines(image, origin + rows.begin * step, origin + (rows.end - 1) * step + 1);
  for (int64_t u = rows.begin; u < rows.end; ++u) {
    const int64_t line = origin + u * step;
    lines_[u] = slots_ != nullptr ? slot(line) : image + line * spatial.in[1] * layer_.channels;
  }
  const FlatRow row{layer_, lines_, offsets_, rows};
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        sum_row<bytes>(row, spatial.out[1] * layer_.channels, sums);
      });
}

}  // namespace nnrt::cpu
