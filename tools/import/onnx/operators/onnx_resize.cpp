// Resize and Upsample.
#include "tools/import/onnx/operators/onnx_resize_any.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::onnx {
namespace {

TensorId repeat_nearest(Call& call, TensorId x, const Resizing& resizing) {
  // Single elements first, while they are few: most resizes enlarge.
  for (size_t axis = resizing.to.size(); axis-- > 0;) {
    if (resizing.scales[axis] == 1) continue;
    const ResizeRule rule = resizing.nearest(axis);
    List<int64_t> indices;
    for (int64_t i = 0; i < rule.out; ++i) indices.push_back(rule.nearest(i));
    x = call.gather(x, call.vector(indices), static_cast<int64_t>(axis));
  }
  return x;
}

// RESIZE_BILINEAR derives the scale from the sizes.
std::optional<int32_t> bilinear_mode(const Resizing& resizing) {
  if (resizing.coordinates == ResizeCoordinates::corners) return 1;
  const bool is_half_pixel = resizing.coordinates == ResizeCoordinates::half_pixel;
  for (size_t axis = 2; axis < 4; ++axis) {
    const double exact = double{resizing.scales[axis]} * static_cast<double>(resizing.from[axis]);
    if (std::fabs(exact - static_cast<double>(resizing.to[axis])) > 1e-3) return {};
    if (is_half_pixel && resizing.to[axis] == 1 && resizing.from[axis] != 1) return {};
  }
  if (resizing.coordinates == ResizeCoordinates::asymmetric) return 0;
  if (is_half_pixel || resizing.coordinates == ResizeCoordinates::pytorch) return 2;
  return {};
}

TensorId bilinear(Call& call, TensorId x, const Resizing& resizing, int32_t mode) {
  return call.emit(
      Op::resize_bilinear, {x},
      {{Attr::new_height, resizing.to[2]}, {Attr::new_width, resizing.to[3]}, {Attr::coordinate_mode, mode}});
}

// Returns whether copies or RESIZE_BILINEAR might suffice.
bool is_plain(Call& call, const Resizing& resizing) {
  return !call.attributes.flag("antialias") && !keeps_aspect_ratio(call) &&
         resizing.coordinates != ResizeCoordinates::region &&
         resizing.coordinates != ResizeCoordinates::symmetric && !resizing.scales.empty();
}

// Returns whether the lengths of all resized dimensions are known and not too long for a list.
bool has_lengths(const Resizing& resizing) {
  constexpr int64_t kMaxLength = 1 << 20;
  for (size_t d = 0; d < resizing.to.size(); ++d) {
    if (resizing.scales[d] != 1 && (resizing.to[d] == kUnknown || resizing.to[d] > kMaxLength)) return false;
  }
  return true;
}

// Empty if RESIZE is needed.
std::optional<TensorId> plain_resize(Call& call, TensorId x, const Resizing& resizing) {
  if (!is_plain(call, resizing)) return {};
  const std::string mode = call.attributes.text("mode", "nearest");
  if (mode == "nearest") {
    if (!has_lengths(resizing)) return {};
    return repeat_nearest(call, x, resizing);
  }
  if (mode != "linear" && mode != "bilinear") return {};
  if (resizing.to.size() != 4 || call.attributes.flag("exclude_outside")) return {};
  if (!is_static({resizing.to[2], resizing.to[3]})) return {};
  if (resizing.scales[0] != 1 || resizing.scales[1] != 1) return {};
  const std::optional<int32_t> coordinates = bilinear_mode(resizing);
  if (!coordinates) return {};
  return bilinear(call, x, resizing, *coordinates);
}

Ids resize(Call& call) {
  const TensorId x = call.input(0);
  const Resizing resizing = read_resizing(call, x);
  if (const std::optional<TensorId> made = plain_resize(call, x, resizing)) return {*made};
  return {resize_any(call, x, resizing)};
}

}  // namespace

std::vector<Row> resize_rows() {
  return {
      {"Resize", resize, {}, 1},
      {"Upsample", resize, {}, 1},
  };
}

}  // namespace nnrt::import::onnx
