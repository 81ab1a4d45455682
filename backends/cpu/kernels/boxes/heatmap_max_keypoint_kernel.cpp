// HEATMAP_MAX_KEYPOINT: refines the largest element's position by fitting a parabola to its neighbors.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/boxes/box_kernels.h"
#include "core/schema/boxes/box.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

// One keypoint's map in [s, s, k]; its elements are k apart.
struct Heatmap {
  const float* data = nullptr;
  int64_t size = 0, step = 0;

  // Out-of-range positions are mirrored at the edge.
  float at(int64_t row, int64_t column) const {
    const auto inside = [&](int64_t i) { return i < 0 ? 1 : i == size ? size - 2 : i; };
    return data[(inside(row) * size + inside(column)) * step];
  }
};

struct Peak {
  float score = 0, x = 0, y = 0;  // in elements
};

// The first largest element in row-major order.
int64_t largest_of(const Heatmap& map) {
  int64_t best = 0;
  for (int64_t i = 1; i < map.size * map.size; ++i)
    if (map.data[i * map.step] > map.data[best * map.step]) best = i;
  return best;
}

Peak peak_of(const Heatmap& map, float tolerance) {
  constexpr float kFarthest = 1.5f;
  const int64_t best = largest_of(map), row = best / map.size, column = best % map.size;
  float g[3][3];
  for (int64_t y = 0; y < 3; ++y)
    for (int64_t x = 0; x < 3; ++x) g[y][x] = map.at(row + y - 1, column + x - 1);
  const float slope_x = (g[1][2] - g[1][0]) / 2, slope_y = (g[2][1] - g[0][1]) / 2;
  const float xx = g[1][0] - 2 * g[1][1] + g[1][2], yy = g[0][1] - 2 * g[1][1] + g[2][1];
  const float xy = (g[2][2] - g[2][0] - g[0][2] + g[0][0]) / 4;
  const float determinant = xx * yy - xy * xy;
  Peak peak{g[1][1], float(column), float(row)};
  if (!(std::abs(determinant) >= tolerance + tolerance * xx * yy)) return peak;
  float dx = (xy * slope_y - yy * slope_x) / determinant, dy = (xy * slope_x - xx * slope_y) / determinant;
  if (const float farthest = std::max(std::abs(dx), std::abs(dy)); farthest > kFarthest) {
    dx *= kFarthest / farthest;
    dy *= kFarthest / farthest;
  }
  const float bend = ((xx * dx + xy * dy) * dx + (xy * dx + yy * dy) * dy) / 2;
  return {g[1][1] + slope_x * dx + slope_y * dy + bend, peak.x + dx, peak.y + dy};
}

}  // namespace

Status heatmap_max_keypoint(const KernelArgs& args) {
  const FloatInput maps(args, 0), boxes(args, 1);
  FloatOutput scores(args, 0), keypoints(args, 1);
  const Shape& shape = args.node.shape();
  const int64_t size = shape[1], points = shape[3];
  for (int64_t i = 0; i < shape[0]; ++i) NNRT_TRY(check_box(box_at(boxes.values(), size_t(i)), size_t(i)));
  const float tolerance = args.node.dtype() == DType::f32 ? 1e-5f : 1e-3f;
  args.pool.parallel_for(shape[0] * points, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t region = i / points;
      const CornerBox box = box_at(boxes.values(), size_t(region));
      const float* const map = maps.data() + region * size * size * points + i % points;
      const Peak peak = peak_of({map, size, points}, tolerance);
      scores[i] = peak.score;
      keypoints[2 * i] = (peak.x + 0.5f) / float(size) * box.width() + box.x1;
      keypoints[2 * i + 1] = (peak.y + 0.5f) / float(size) * box.height() + box.y1;
    }
  });
  scores.store();
  keypoints.store();
  return {};
}

}  // namespace nnrt::cpu
