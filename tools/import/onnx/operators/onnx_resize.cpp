// Resize and Upsample.
#include "tools/import/onnx/operators/onnx_resize_any.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxLength = 1 << 20;

struct Resizing {
  nnrt::Shape from, to;
  std::vector<double> scales;
  std::string coordinates, rounding;
};

// The input coordinate of output element i.
Result<double> position(const Resizing& resizing, size_t axis, int64_t i) {
  const auto x = static_cast<double>(i), scale = resizing.scales[axis];
  const auto from = static_cast<double>(resizing.from[axis]), to = static_cast<double>(resizing.to[axis]);
  if (resizing.coordinates == "asymmetric") return x / scale;
  if (resizing.coordinates == "half_pixel") return (x + 0.5) / scale - 0.5;
  if (resizing.coordinates == "pytorch_half_pixel") return to > 1 ? (x + 0.5) / scale - 0.5 : 0;
  if (resizing.coordinates == "align_corners") return to > 1 ? x * (from - 1) / (to - 1) : 0;
  if (resizing.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  return unsupported("Coordinate mode (", resizing.coordinates, ") is not supported.");
}

int64_t nearest(const Resizing& resizing, double position) {
  if (resizing.rounding == "floor") return static_cast<int64_t>(std::floor(position));
  if (resizing.rounding == "ceil") return static_cast<int64_t>(std::ceil(position));
  if (resizing.rounding == "round_prefer_ceil") return static_cast<int64_t>(std::floor(position + 0.5));
  return static_cast<int64_t>(std::ceil(position - 0.5));
}

Result<TensorId> repeat_nearest(Call& call, TensorId x, const Resizing& resizing) {
  // Single elements first, while they are few: most resizes enlarge.
  for (size_t axis = resizing.to.size(); axis-- > 0;) {
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

// RESIZE_BILINEAR derives the scale from the sizes.
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

Result<TensorId> bilinear(Call& call, TensorId x, const Resizing& resizing, int32_t mode) {
  return call.emit(OH_NN_OPS_RESIZE_BILINEAR, {x},
                   {int64_parameter(OH_NN_RESIZE_BILINEAR_NEW_HEIGHT, resizing.to[2]),
                    int64_parameter(OH_NN_RESIZE_BILINEAR_NEW_WIDTH, resizing.to[3]),
                    int32_parameter(OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE, mode)});
}

// Reads scales or sizes; an empty input counts as absent. `axes` lists the dimensions they cover. False: a
// dimension is unknown.
Result<bool> read_sizes(Call& call, Resizing& resizing) {
  const bool upsample = call.type() == "Upsample";
  const bool has_region = !upsample && call.opset() >= 11;
  std::vector<double> scales, sizes;
  if (call.has(has_region ? 2 : 1)) {
    NNRT_ASSIGN(scales, call.numbers(has_region ? 2 : 1));
  } else if (call.attributes.has("height_scale")) {  // before opset 7
    const float height = call.attributes.real("height_scale", 1),
                width = call.attributes.real("width_scale", 1);
    scales = {1, 1, static_cast<double>(height), static_cast<double>(width)};
  } else {
    for (const float scale : call.attributes.floats("scales")) scales.push_back(static_cast<double>(scale));
  }
  if (has_region && call.has(3)) {
    NNRT_ASSIGN(const TensorId given, call.plain_input(3));
    const auto known = call.emitter().known_numbers(given);
    if (!known) return false;
    sizes = *known;
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
      return false;
    }
    const auto length = static_cast<double>(resizing.from[d]);
    const double result = sizes.empty() ? std::floor(length * given[i]) : given[i];
    if (!(result >= 1 && result <= kMaxLength && length <= kMaxLength))
      return damaged("The new size (", result, ") is outside [1, ", kMaxLength, "].");
    resizing.to[d] = static_cast<int64_t>(result);
    resizing.scales[d] = sizes.empty() ? given[i] : result / length;
  }
  return true;
}

// Returns whether copies or RESIZE_BILINEAR might suffice.
bool is_plain(Call& call) {
  const Attributes& attributes = call.attributes;
  const std::string coordinates = attributes.text("coordinate_transformation_mode");
  return attributes.integer("antialias", 0) == 0 && !keeps_aspect_ratio(call) &&
         coordinates != "tf_crop_and_resize" && coordinates != "half_pixel_symmetric";
}

using Made = std::optional<TensorId>;

// Empty if RESIZE is needed.
Result<Made> plain_resize(Call& call, TensorId x) {
  const bool old = call.type() == "Upsample" || call.opset() < 11;
  const Attributes& attributes = call.attributes;
  Resizing resizing{call.shape(x),
                    {},
                    {},
                    attributes.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                    attributes.text("nearest_mode", old ? "floor" : "round_prefer_floor")};
  NNRT_ASSIGN(const bool is_known, read_sizes(call, resizing));
  if (!is_known) return Made();
  const std::string mode = attributes.text("mode", "nearest");
  if (mode == "nearest") {
    NNRT_ASSIGN(const TensorId made, repeat_nearest(call, x, resizing));
    return Made(made);
  }
  if (mode != "linear" && mode != "bilinear") return Made();
  if (resizing.to.size() != 4 || attributes.integer("exclude_outside", 0) != 0) return Made();
  if (!is_static({resizing.to[2], resizing.to[3]})) return Made();
  if (resizing.to[0] != resizing.from[0] || resizing.to[1] != resizing.from[1]) return Made();
  const std::optional<int32_t> coordinates = bilinear_mode(resizing);
  if (!coordinates) return Made();
  NNRT_ASSIGN(const TensorId made, bilinear(call, x, resizing, *coordinates));
  return Made(made);
}

Result<Ids> resize(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  if (is_plain(call)) {
    NNRT_ASSIGN(const std::optional<TensorId> made, plain_resize(call, x));
    if (made) return Ids{*made};
  }
  return single(resize_any(call, x));
}

}  // namespace

std::vector<Row> resize_rows() {
  return {
      {"Resize", resize, {}, 1},
      {"Upsample", resize, {}, 1},
  };
}

}  // namespace nnrt::import::onnx
