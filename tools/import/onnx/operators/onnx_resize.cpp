// Resize and Upsample.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxLength = 1 << 20;
constexpr int64_t kMaxWeights = 1 << 24;

struct Resizing {
  nnrt::Shape from, to;
  std::vector<double> scales;
  std::string coordinates, rounding;
  double cubic = -0.75;
  bool exclude_outside = false;
};

// The position in the input of element i of the output.
Result<double> position(const Resizing& resizing, size_t axis, int64_t i) {
  const auto x = static_cast<double>(i), scale = resizing.scales[axis];
  const auto from = static_cast<double>(resizing.from[axis]), to = static_cast<double>(resizing.to[axis]);
  if (resizing.coordinates == "asymmetric") return x / scale;
  if (resizing.coordinates == "half_pixel") return (x + 0.5) / scale - 0.5;
  if (resizing.coordinates == "pytorch_half_pixel") return to > 1 ? (x + 0.5) / scale - 0.5 : 0;
  if (resizing.coordinates == "align_corners") return to > 1 ? x * (from - 1) / (to - 1) : 0;
  if (resizing.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  return unsupported("Coordinates of kind (", resizing.coordinates, ") are not supported.");
}

int64_t nearest(const Resizing& resizing, double position) {
  if (resizing.rounding == "floor") return static_cast<int64_t>(std::floor(position));
  if (resizing.rounding == "ceil") return static_cast<int64_t>(std::ceil(position));
  if (resizing.rounding == "round_prefer_ceil") return static_cast<int64_t>(std::floor(position + 0.5));
  return static_cast<int64_t>(std::ceil(position - 0.5));
}

Result<TensorId> repeat_nearest(Call& call, TensorId x, const Resizing& resizing) {
  for (size_t axis = 0; axis < resizing.to.size(); ++axis) {
    if (resizing.from[axis] == resizing.to[axis] && resizing.scales[axis] == 1) continue;
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < resizing.to[axis]; ++i) {
      NNRT_ASSIGN(const double at, position(resizing, axis, i));
      indices.push_back(std::clamp<int64_t>(nearest(resizing, at), 0, resizing.from[axis] - 1));
    }
    Emitter& emitter = call.emitter();
    NNRT_ASSIGN(x, call.emit(OH_NN_OPS_GATHER,
                             {x, emitter.integers(indices), emitter.integers({static_cast<int64_t>(axis)})}));
  }
  return x;
}

// The weight of a cell at a distance in [0, 2).
double cubic_weight(double a, double distance) {
  const double d = std::fabs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Row i holds the parts that the cells of the input have in element i of the output.
Result<TensorId> weights(Call& call, const Resizing& resizing, size_t axis, bool cubic, DType dtype) {
  const int64_t from = resizing.from[axis], to = resizing.to[axis];
  if (from * to > kMaxWeights)
    return unsupported("Interpolation from ", from, " to ", to, " cells is not supported.");
  std::vector<float> matrix(static_cast<size_t>(from * to), 0.0f);
  for (int64_t i = 0; i < to; ++i) {
    NNRT_ASSIGN(const double at, position(resizing, axis, i));
    const auto base = static_cast<int64_t>(std::floor(at));
    const double part = at - std::floor(at);
    double total = 0;
    std::array<double, 4> taps{};
    for (int64_t tap = 0; tap < 4; ++tap) {
      const double distance = part - static_cast<double>(tap - 1);
      double& weight = taps[static_cast<size_t>(tap)];
      weight = cubic ? cubic_weight(resizing.cubic, distance) : std::max(0.0, 1 - std::fabs(distance));
      const int64_t cell = base + tap - 1;
      if (resizing.exclude_outside && (cell < 0 || cell >= from)) weight = 0;
      total += weight;
    }
    for (int64_t tap = 0; tap < 4; ++tap) {
      const int64_t cell = std::clamp<int64_t>(base + tap - 1, 0, from - 1);
      const double share = taps[static_cast<size_t>(tap)] / (resizing.exclude_outside ? total : 1);
      matrix[static_cast<size_t>(i * from + cell)] += static_cast<float>(share);
    }
  }
  const auto bytes = std::as_bytes(std::span(matrix));
  return call.cast(call.emitter().constant(DType::f32, {to, from}, Bytes(bytes.begin(), bytes.end())), dtype);
}

// Interpolation along rows and columns as two matrix products: for what RESIZE_BILINEAR does not know.
Result<TensorId> interpolate(Call& call, TensorId x, const Resizing& resizing, bool cubic) {
  const size_t rank = resizing.to.size();
  const DType dtype = call.emitter().dtype(x);
  if (resizing.to[rank - 1] != resizing.from[rank - 1] || resizing.scales[rank - 1] != 1) {
    NNRT_ASSIGN(const TensorId columns, weights(call, resizing, rank - 1, cubic, dtype));
    NNRT_ASSIGN(x,
                call.emit(OH_NN_OPS_MATMUL, {x, columns}, {bool_parameter(OH_NN_MATMUL_TRANSPOSE_B, true)}));
  }
  if (resizing.to[rank - 2] != resizing.from[rank - 2] || resizing.scales[rank - 2] != 1) {
    NNRT_ASSIGN(const TensorId rows, weights(call, resizing, rank - 2, cubic, dtype));
    NNRT_ASSIGN(x, call.emit(OH_NN_OPS_MATMUL, {rows, x}));
  }
  return x;
}

// RESIZE_BILINEAR takes the scale from the sizes.
std::optional<int32_t> bilinear_mode(const Resizing& resizing) {
  if (resizing.coordinates == "align_corners") return 1;
  for (size_t axis = 2; axis < 4; ++axis) {
    const double exact = resizing.scales[axis] * static_cast<double>(resizing.from[axis]);
    if (std::fabs(exact - static_cast<double>(resizing.to[axis])) > 1e-3) return {};
    if (resizing.coordinates == "half_pixel" && resizing.to[axis] == 1 && resizing.from[axis] != 1) return {};
  }
  if (resizing.coordinates == "asymmetric") return 0;
  if (resizing.coordinates == "half_pixel" || resizing.coordinates == "pytorch_half_pixel") return 2;
  return {};
}

Result<TensorId> linear(Call& call, TensorId x, const Resizing& resizing) {
  const size_t rank = resizing.to.size();
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    if (resizing.from[axis] != resizing.to[axis])
      return unsupported("Interpolation along dimension ", axis, " is not supported.");
  }
  const std::optional<int32_t> mode =
      rank == 4 && !resizing.exclude_outside ? bilinear_mode(resizing) : std::nullopt;
  if (!mode) return interpolate(call, x, resizing, false);
  return call.emit(OH_NN_OPS_RESIZE_BILINEAR, {x},
                   {int64_parameter(OH_NN_RESIZE_BILINEAR_NEW_HEIGHT, resizing.to[2]),
                    int64_parameter(OH_NN_RESIZE_BILINEAR_NEW_WIDTH, resizing.to[3]),
                    int32_parameter(OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE, *mode)});
}

// Scales or sizes; an input without elements counts as absent. `axes` are those that they speak of.
Status read_sizes(Call& call, Resizing& resizing) {
  const bool upsample = call.type() == "Upsample";
  const bool has_region = !upsample && call.opset() >= 11;
  std::vector<double> scales, sizes;
  if (call.has(has_region ? 2 : 1)) {
    NNRT_ASSIGN(scales, call.numbers(has_region ? 2 : 1));
  } else {
    for (const float scale : call.attributes.floats("scales")) scales.push_back(static_cast<double>(scale));
  }
  if (has_region && call.has(3)) {
    NNRT_ASSIGN(sizes, call.numbers(3));
  }
  const size_t rank = resizing.from.size();
  std::vector<int64_t> axes = call.attributes.integers("axes");
  if (axes.empty()) {
    for (size_t d = 0; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
  }
  const std::vector<double>& given = sizes.empty() ? scales : sizes;
  if (given.size() != axes.size())
    return damaged("The number of scales or sizes (", given.size(), ") is not ", axes.size(), ".");
  resizing.to = resizing.from;
  resizing.scales.assign(rank, 1.0);
  for (size_t i = 0; i < axes.size(); ++i) {
    NNRT_ASSIGN(const int64_t axis, call.axis(axes[i], static_cast<int64_t>(rank)));
    const auto d = static_cast<size_t>(axis);
    if (resizing.from[d] == kUnknown) {
      if (sizes.empty() && given[i] == 1) continue;
      return unsupported("Dimension ", axis, " is to be resized and not known.");
    }
    const auto length = static_cast<double>(resizing.from[d]);
    const double result = sizes.empty() ? std::floor(length * given[i]) : given[i];
    if (!(result >= 1 && result <= kMaxLength && length <= kMaxLength))
      return damaged("The new size (", result, ") is outside [1, ", kMaxLength, "].");
    resizing.to[d] = static_cast<int64_t>(result);
    resizing.scales[d] = sizes.empty() ? given[i] : result / length;
  }
  return {};
}

Result<Ids> resize(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  if (call.rank(x) < 2) return unsupported("The rank (", call.rank(x), ") is below 2.");
  if (call.attributes.integer("antialias", 0) != 0)
    return unsupported("Resizing with antialiasing is not supported.");
  if (call.attributes.text("keep_aspect_ratio_policy", "segment") != "segment")
    return unsupported("Keeping the aspect ratio is not supported.");
  const bool old = call.type() == "Upsample" || call.opset() < 11;
  const Attributes& attributes = call.attributes;
  Resizing resizing{call.shape(x),
                    {},
                    {},
                    attributes.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                    attributes.text("nearest_mode", old ? "floor" : "round_prefer_floor"),
                    static_cast<double>(attributes.real("cubic_coeff_a", -0.75f)),
                    attributes.integer("exclude_outside", 0) != 0};
  NNRT_TRY(read_sizes(call, resizing));
  const std::string mode = attributes.text("mode", "nearest");
  if (mode == "nearest") return single(repeat_nearest(call, x, resizing));
  if (mode == "linear" || mode == "bilinear") return single(linear(call, x, resizing));
  if (mode != "cubic") return unsupported("Resizing of mode (", mode, ") is not supported.");
  return single(interpolate(call, x, resizing, true));
}

}  // namespace

std::vector<Row> resize_rows() {
  return {
      {"Resize", resize, {}, 1},
      {"Upsample", resize, {}, 1},
  };
}

}  // namespace nnrt::import::onnx
