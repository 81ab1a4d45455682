// ROI_ALIGN on NHWC. The coordinate arithmetic matches roi_align.comp step by step.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/sampling/regions.h"
#include "backends/cpu/kernels/sampling/sampling_kernels.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/geometry.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

// One dimension of a region, in input elements.
struct Side {
  float start = 0, bin = 0;
  int64_t points = 1;  // per bin
  int64_t length = 0;  // of the input

  float at(int64_t bin_index, int64_t point) const {
    return start + float(bin_index) * bin + (float(point) + 0.5f) * bin / float(points);
  }
};

// The two cells around a point; none if it is outside the input.
struct Tap {
  bool inside = false;
  int64_t low = 0, high = 0;
  float t = 0;
};

Tap tap_of(float at, int64_t length) {
  Tap tap;
  tap.inside = at >= -1 && at <= float(length);
  if (!tap.inside) return tap;
  at = at > 0 ? at : 0;
  tap.low = std::min(int64_t(at), length - 1);
  tap.high = std::min(tap.low + 1, length - 1);
  tap.t = tap.low == length - 1 ? 0 : at - float(tap.low);
  return tap;
}

class Regions {
 public:
  explicit Regions(const NodeView& node)
      : shape_(node.shape(0)),
        out_{node.attrs().integer(Attr::new_height), node.attrs().integer(Attr::new_width)} {
    const Attrs& attrs = node.attrs();
    const std::span<const double> scale = attrs.floats(Attr::spatial_scale);
    const std::span<const int64_t> ratio = attrs.integers(Attr::sampling_ratio);
    scale_ = {float(scale.front()), float(scale.back())};
    stride_ = region_strides(attrs);
    ratio_ = {ratio.front(), ratio.back()};
    half_pixel_ = attrs.flag(Attr::half_pixel);
    is_maximum_ = attrs.integer(Attr::mode) == 1;
  }

  int64_t channels() const { return shape_[3]; }
  int64_t bins() const { return out_[0] * out_[1]; }
  std::array<float, 2> scale() const { return scale_; }

  // Bin `bin` of a region x1, y1, x2, y2.
  void compute(const float* image, const float* region, int64_t bin, float* y) const {
    const Side rows = side(region[1], region[3], 0), columns = side(region[0], region[2], 1);
    bool is_first = true;
    std::fill_n(y, channels(), 0.0f);
    for (int64_t v = 0; v < rows.points; ++v) {
      const Tap row = tap_of(rows.at(bin / out_[1], v), rows.length);
      for (int64_t u = 0; u < columns.points; ++u) {
        const Tap column = tap_of(columns.at(bin % out_[1], u), columns.length);
        with_vectors(
            vector_bytes(), [&](auto)
                                __attribute__((always_inline)) { add(image, row, column, is_first, y); });
        is_first = false;
      }
    }
    if (is_maximum_) return;
    const float count = float(rows.points) * float(columns.points);
    for (int64_t c = 0; c < channels(); ++c) y[c] /= count;
  }

 private:
  Side side(float from, float to, size_t axis) const {
    const float offset = half_pixel_ ? 0.5f : 0.0f;
    Side side{.start = from * scale_[axis] / stride_[axis] - offset, .length = shape_[1 + axis]};
    float size = to * scale_[axis] / stride_[axis] - offset - side.start;
    if (!half_pixel_ && !(size > 1)) size = 1;
    side.bin = size / float(out_[axis]);
    side.points = ratio_[axis];
    if (side.points > 0) return side;
    // Regions much larger than the input have only few points inside it.
    const auto limit = float(2 * side.length + 2);
    const float wanted = std::ceil(side.bin);
    side.points = int64_t(wanted > 1 ? (wanted < limit ? wanted : limit) : 1);
    return side;
  }

  // A point outside the input is 0.
  [[gnu::always_inline]] void add(const float* image, const Tap& row, const Tap& column, bool is_first,
                                  float* y) const {
    const bool inside = row.inside && column.inside;
    if (!inside && !is_maximum_) return;
    const float* const upper = image + row.low * shape_[2] * channels();
    const float* const lower = image + row.high * shape_[2] * channels();
    const int64_t left = column.low * channels(), right = column.high * channels();
    for (int64_t c = 0; c < channels(); ++c) {
      const float top = (1 - column.t) * upper[left + c] + column.t * upper[right + c];
      const float bottom = (1 - column.t) * lower[left + c] + column.t * lower[right + c];
      const float value = inside ? (1 - row.t) * top + row.t * bottom : 0.0f;
      if (!is_maximum_) {
        y[c] += value;
      } else if (is_first || y[c] < value) {
        y[c] = value;
      }
    }
  }

  const Shape& shape_;
  std::array<int64_t, 2> out_;
  std::array<float, 2> scale_{}, stride_{};
  std::array<int64_t, 2> ratio_{};
  bool half_pixel_ = false, is_maximum_ = false;
};

}  // namespace

Status roi_align(const KernelArgs& args) {
  const Regions regions(args.node);
  const FloatInput input(args, 0), boxes(args, 1);
  FloatOutput output(args);
  const std::vector<int64_t> batch_indices = args.node.integers(2).value_or(std::vector<int64_t>());
  if (args.node.attrs().is_set(Attr::strict)) {
    NNRT_TRY(check_regions(args.node, boxes.values(), batch_indices, regions.scale()));
  }
  const int64_t image_size = product(args.node.shape(0), 1, 4), channels = regions.channels();
  args.pool.parallel_for(int64_t(batch_indices.size()) * regions.bins(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t region = i / regions.bins(), batch = batch_indices[size_t(region)];
      float* const y = output.data() + i * channels;
      if (batch < 0 || batch >= args.node.shape(0)[0]) {
        std::fill_n(y, channels, 0.0f);  // R20
      } else {
        regions.compute(input.data() + batch * image_size, boxes.data() + region * 4, i % regions.bins(), y);
      }
    }
  });
  output.store();
  return {};
}

}  // namespace nnrt::cpu
