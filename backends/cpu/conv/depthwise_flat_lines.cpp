// Rows with fewer channels than lanes: a vector holds several pixels, and weights repeat.
#include "backends/cpu/conv/depthwise_lines.h"
#include "backends/cpu/simd/vector_math.h"

namespace nnrt::cpu {
namespace {

constexpr int64_t kMaxStride = 4;  // splitting lines by larger strides does not pay off

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

int64_t split_pixels(const SpatialParams& spatial) {
  return (spatial.in[1] + spatial.stride[1] - 1) / spatial.stride[1];
}

// Input lines under the kernel, including those that it skips.
int64_t kernel_lines(const SpatialParams& spatial) {
  return std::min((spatial.kernel[0] - 1) * spatial.dilation[0] + 1, spatial.in[0]);
}

// Elements of an output row. Tap (u, v) of element i reads lines[u][offsets[v] + i].
struct FlatRow {
  const DepthwiseLayer& layer;
  const float* const* lines;
  const int64_t* offsets;
  TapRange rows;
  int64_t advance;  // lanes modulo channels
};

// Elements [i, i + Vectors * lanes). `Same`: all vectors begin with the same channel.
template <int Bytes, int Vectors, bool Same>
NNRT_INLINE void sum_elements(const FlatRow& row, int64_t i, float* sums) {
  using V = Vector<Bytes>;
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  const DepthwiseLayer& layer = row.layer;
  const int64_t width = layer.spatial.kernel[1];
  int64_t channel[Vectors] = {i % layer.channels};
  for (int k = 1; k < Vectors; ++k) {
    channel[k] = channel[k - 1] + (Same ? 0 : row.advance);
    if (channel[k] >= layer.channels) channel[k] -= layer.channels;
  }
  V totals[Vectors] = {};
  for (int64_t u = row.rows.begin; u < row.rows.end; ++u) {
    const float* weight = layer.weight + u * width * layer.weight_step;
    for (int64_t v = 0; v < width; ++v, weight += layer.weight_step) {
      const float* const from = row.lines[u] + row.offsets[v] + i;
      const V first = load<Bytes>(weight + channel[0]);
      for (int k = 0; k < Vectors; ++k)
        totals[k] +=
            (Same || k == 0 ? first : load<Bytes>(weight + channel[k])) * load<Bytes>(from + k * kLanes);
    }
  }
  for (int k = 0; k < Vectors; ++k) {
    V sum = totals[k] + load<Bytes>(layer.epilogue.bias + channel[k]);
    clamp_to(sum, layer.epilogue.low, layer.epilogue.high);
    store<Bytes>(sums + i + k * kLanes, sum);
  }
}

// Elements [begin, end), at least one vector; the last vector may overlap the previous one.
template <int Bytes, bool Same>
NNRT_INLINE void sum_range(const FlatRow& row, int64_t begin, int64_t end, float* sums) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  int64_t i = begin;
  for (; i + 4 * kLanes <= end; i += 4 * kLanes) sum_elements<Bytes, 4, Same>(row, i, sums);
  for (; i + kLanes <= end; i += kLanes) sum_elements<Bytes, 1, true>(row, i, sums);
  if (i < end) sum_elements<Bytes, 1, true>(row, end - kLanes, sums);
}

// Splits a line by stride: for each q, pixels q, q + stride, ... become contiguous.
template <int64_t Channels>
void split_channels(const SpatialParams& spatial, const float* line, int64_t channels, float* to) {
  if (Channels > 0) channels = Channels;
  const int64_t stride = spatial.stride[1], step = split_pixels(spatial) * channels;
  for (int64_t q = 0; q < stride; ++q, to += step) {
    float* cell = to;
    for (int64_t x = q; x < spatial.in[1]; x += stride, cell += channels)
      for (int64_t c = 0; c < channels; ++c) cell[c] = line[x * channels + c];
  }
}

}  // namespace

int64_t depthwise_step(int64_t channels) {
  const int64_t lanes = vector_bytes() / int64_t(sizeof(float));
  return channels < lanes ? channels + lanes - 1 : channels;
}

size_t DepthwiseRows::scratch_bytes(const DepthwiseLayer& layer) {
  const SpatialParams& spatial = layer.spatial;
  if (layer.weight_step == layer.channels || spatial.stride[1] > kMaxStride) return 0;
  const int64_t split = spatial.stride[1] == 1 ? 0
                                               : kernel_lines(spatial) * spatial.stride[1] *
                                                     split_pixels(spatial) * layer.channels;
  return size_t(spatial.kernel[0]) * sizeof(float*) + size_t(spatial.kernel[1]) * sizeof(int64_t) +
         size_t(split) * sizeof(float);
}

DepthwiseRows::DepthwiseRows(const DepthwiseLayer& layer, std::byte* scratch) : layer_(layer) {
  if (scratch_bytes(layer) == 0) return;
  const SpatialParams& spatial = layer.spatial;
  const auto [height, width] = spatial.kernel;
  lines_ = reinterpret_cast<const float**>(scratch);
  offsets_ = reinterpret_cast<int64_t*>(scratch + size_t(height) * sizeof(float*));
  slots_ = reinterpret_cast<float*>(offsets_ + width);
  const int64_t stride = spatial.stride[1];
  for (int64_t v = 0; v < width; ++v) {
    const int64_t place = v * spatial.dilation[1] - spatial.before[1];
    const int64_t pixel = floor_div(place, stride), line = place - pixel * stride;
    offsets_[v] = (line * split_pixels(spatial) + pixel) * layer.channels;
  }
}

// Splits lines [begin, end) unless the previous row did. Line y is in slot y % kernel_lines().
void DepthwiseRows::split_lines(const float* image, int64_t begin, int64_t end) {
  const SpatialParams& spatial = layer_.spatial;
  const int64_t channels = layer_.channels;
  if (image != image_ || begin < split_.begin || begin > split_.end) split_ = {begin, begin};
  image_ = image;
  split_.begin = begin;
  for (; split_.end < end; ++split_.end) {
    const float* const from = image + split_.end * spatial.in[1] * channels;
    float* const to = slot(split_.end);
    switch (channels) {
      case 1: split_channels<1>(spatial, from, channels, to); break;
      case 4: split_channels<4>(spatial, from, channels, to); break;
      case 8: split_channels<8>(spatial, from, channels, to); break;
      default: split_channels<0>(spatial, from, channels, to);
    }
  }
}

float* DepthwiseRows::slot(int64_t y) const {
  const SpatialParams& spatial = layer_.spatial;
  return slots_ + y % kernel_lines(spatial) * spatial.stride[1] * split_pixels(spatial) * layer_.channels;
}

void DepthwiseRows::sum_flat_row(const float* image, int64_t y, float* sums) {
  const SpatialParams& spatial = layer_.spatial;
  const int64_t channels = layer_.channels;
  const TapRange inner = inner_outputs(spatial, 1), rows = taps_inside(spatial, 0, y);
  if (inner.count() * channels < vector_bytes() / int64_t(sizeof(float)))
    return sum_depthwise_pixels(layer_, image, y, {0, spatial.out[1]}, sums);
  const bool splits = spatial.stride[1] > 1;
  const int64_t origin = tap_origin(spatial, 0, y), step = spatial.dilation[0];
  if (splits && rows.count() > 0)
    split_lines(image, origin + rows.begin * step, origin + (rows.end - 1) * step + 1);
  for (int64_t u = rows.begin; u < rows.end; ++u) {
    const int64_t line = origin + u * step;
    lines_[u] = splits ? slot(line) : image + line * spatial.in[1] * channels;
  }
  const FlatRow row{layer_, lines_, offsets_, rows, vector_bytes() / int64_t(sizeof(float)) % channels};
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        const int64_t begin = inner.begin * channels, end = inner.end * channels;
        if (bytes / int64_t(sizeof(float)) % channels == 0)
          return sum_range<bytes, true>(row, begin, end, sums);
        sum_range<bytes, false>(row, begin, end, sums);
      });
  sum_depthwise_pixels(layer_, image, y, {0, inner.begin}, sums);
  sum_depthwise_pixels(layer_, image, y, {inner.end, spatial.out[1]}, sums);
}

}  // namespace nnrt::cpu
