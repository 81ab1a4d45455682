// GRID_SAMPLE. The coordinate arithmetic matches grid_sample.comp step by step.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/sampling/sampling_kernels.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/spatial_axes.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

enum class Mode : uint8_t { linear, nearest, cubic };
enum class Padding : uint8_t { zeros, border, reflection };

struct Rule {
  Mode mode{};
  Padding padding{};
  bool align_corners = false;
};

// The cells a point reads in one dimension, with weights; -1 is a zero cell.
struct Taps {
  int64_t count = 1;
  int64_t cells[4] = {};
  float weights[4] = {1, 0, 0, 0};
};

// Mirrors x at `low` and `high` until it is between them.
float reflected(float x, float low, float high) {
  const float range = high - low;
  if (!(range > 0)) return low;
  const float distance = std::fabs(x - low);
  const float turns = std::floor(distance / range);
  const float rest = distance - turns * range;
  const bool is_even = turns - 2 * std::floor(turns / 2) == 0;
  return is_even ? low + rest : high - rest;
}

// Maps a cell outside the input to the one it reads.
int64_t cell_at(int64_t cell, int64_t length, const Rule& rule) {
  if (cell >= 0 && cell < length) return cell;
  if (rule.padding == Padding::zeros) return -1;
  if (rule.padding == Padding::border || length == 1) return cell < 0 ? 0 : length - 1;
  const int64_t period = 2 * (rule.align_corners ? length - 1 : length);
  const int64_t first = rule.align_corners ? 0 : -1;  // distance of cell -1: 1 or 0
  int64_t distance = (cell < 0 ? first - cell : cell) % period;
  if (distance >= length) distance = period + first - distance;
  return distance;
}

void set_cubic(float t, float* weights) {
  constexpr float a = -0.75f;
  const auto near = [](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  weights[0] = far(t + 1);
  weights[1] = near(t);
  weights[2] = near(1 - t);
  weights[3] = far(2 - t);
}

Taps taps_of(float coordinate, int64_t length, const Rule& rule) {
  const auto size = float(length);
  float x = rule.align_corners ? (coordinate + 1) / 2 * (size - 1) : ((coordinate + 1) * size - 1) / 2;
  if (rule.mode == Mode::nearest) x = std::nearbyint(x);
  const float low = rule.align_corners ? 0.0f : -0.5f, high = size - 1 - low;
  if (rule.padding == Padding::reflection && (x < low || x > high)) x = reflected(x, low, high);
  // Anything farther out is zero or the edge; also catches NaN.
  x = x > -4 ? (x < size + 4 ? x : size + 4) : -4;
  Taps taps;
  if (rule.mode == Mode::nearest) {
    taps.cells[0] = cell_at(int64_t(std::nearbyint(x)), length, rule);
    return taps;
  }
  const float base = std::floor(x), t = x - base;
  const bool is_cubic = rule.mode == Mode::cubic;
  taps.count = is_cubic ? 4 : 2;
  for (int64_t k = 0; k < taps.count; ++k)
    taps.cells[k] = cell_at(int64_t(base) + k - (is_cubic ? 1 : 0), length, rule);
  taps.weights[0] = 1 - t;
  taps.weights[1] = t;
  if (is_cubic) set_cubic(t, taps.weights);
  return taps;
}

// Data as [batch, channels, cells, inner].
struct Sampler {
  Rule rule;
  Spatial3d spatial;     // of the input
  int64_t channels = 1;  // outer channels
  int64_t points = 1;    // points per image
  int64_t rank = 2;      // coordinates per point

  // The grid stores the fastest dimension first.
  std::array<Taps, 3> taps_at(const float* point) const {
    std::array<Taps, 3> taps{};
    for (int64_t i = 0; i < rank; ++i)
      taps[size_t(2 - i)] = taps_of(point[i], spatial.axes[size_t(2 - i)].in, rule);
    return taps;
  }

  [[gnu::always_inline]] void blend(const float* x, const std::array<Taps, 3>& taps, float* y) const {
    const int64_t inner = spatial.inner;
    for (int64_t c = 0; c < inner; ++c) y[c] = 0;
    for (int64_t u = 0; u < taps[0].count; ++u) {
      for (int64_t v = 0; v < taps[1].count; ++v) {
        for (int64_t w = 0; w < taps[2].count; ++w) {
          const int64_t cells[] = {taps[0].cells[u], taps[1].cells[v], taps[2].cells[w]};
          if (cells[0] < 0 || cells[1] < 0 || cells[2] < 0) continue;
          const float weight = taps[0].weights[u] * taps[1].weights[v] * taps[2].weights[w];
          const float* const from =
              x + ((cells[0] * spatial.axes[1].in + cells[1]) * spatial.axes[2].in + cells[2]) * inner;
          for (int64_t c = 0; c < inner; ++c) y[c] += weight * from[c];
        }
      }
    }
  }
};

Sampler sampler_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  std::vector<SpatialAxis> axes;
  for (const size_t d : spatial_dimensions(node))
    axes.push_back({.in = node.shape(0)[d], .out = node.output_shape(0)[d]});
  Sampler sampler{.rule = {Mode(attrs.integer(Attr::mode)), Padding(attrs.integer(Attr::padding_mode)),
                           attrs.flag(Attr::align_corners)},
                  .spatial = spatial_3d_of(node, axes),
                  .rank = int64_t(axes.size())};
  sampler.channels = sampler.spatial.outer / node.shape(0)[0];
  sampler.points = sampler.spatial.out_cells();
  return sampler;
}

}  // namespace

Status grid_sample(const KernelArgs& args) {
  const Sampler sampler = sampler_of(args.node);
  const FloatInput input(args, 0), grid(args, 1);
  FloatOutput output(args);
  const int64_t inner = sampler.spatial.inner, image = sampler.spatial.in_cells() * inner;
  constexpr int64_t kGrain = 1 << 10;  // values read
  const int64_t grain = 1 + kGrain / (inner * sampler.channels);
  args.pool.parallel_for(args.node.shape(0)[0] * sampler.points, grain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const std::array<Taps, 3> taps = sampler.taps_at(grid.data() + at * sampler.rank);
      const int64_t n = at / sampler.points, point = at % sampler.points;
      with_vectors(
          vector_bytes(), [&](auto) __attribute__((always_inline)) {
            for (int64_t c = n * sampler.channels; c < (n + 1) * sampler.channels; ++c)
              sampler.blend(input.data() + c * image, taps,
                            output.data() + (c * sampler.points + point) * inner);
          });
    }
  });
  output.store();
  return {};
}

}  // namespace nnrt::cpu
