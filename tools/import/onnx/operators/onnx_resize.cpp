// Resize and Upsample.
#include "core/schema/resize_weights.h"
#include "tools/import/onnx/operators/onnx_operands.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// What the node says of the sizes.
struct Resizing {
  Dims from, to;                   // as far as known
  List<float> scales{};            // of all dimensions; empty if sizes and unknown lengths give them
  std::optional<TensorId> size{};  // operand of RESIZE; absent: from the scales
  ResizeCoordinates coordinates{};
  ResizeRounding rounding{}, reducing{};  // `reducing` is for scales below 1

  ResizeRounding rounding_of(size_t axis) const { return scales[axis] < 1 ? reducing : rounding; }
  ResizeRule nearest(size_t axis) const {
    return {.coordinates = coordinates,
            .rounding = rounding_of(axis),
            .scale = double{scales[axis]},
            .in = from[axis],
            .out = to[axis]};
  }
};

// Returns whether the sizes are bounds to fit into rather than exact sizes.
bool keeps_aspect_ratio(Call& call) {
  return call.attributes.text("keep_aspect_ratio_policy", "stretch") != "stretch";
}

List<int64_t> resized_axes(Call& call, int64_t rank) {
  List<int64_t> axes = call.attributes.integers("axes");
  for (int64_t& axis : axes) axis = call.axis(axis, rank);
  return axes.empty() ? axes_between(0, rank) : axes;
}

bool is_old(const Call& call) { return call.type() == "Upsample" || call.opset() < 11; }

// Scales of some dimensions; an empty input counts as absent.
List<float> read_scales(Call& call) {
  const size_t at = is_old(call) ? 1 : 2;
  if (call.has(at)) {
    const List<double> numbers = call.numbers(at);
    return {numbers.begin(), numbers.end()};
  }
  if (!call.attributes.has("height_scale")) return call.attributes.floats("scales");  // before opset 7
  return {1, 1, call.attributes.real("height_scale", 1), call.attributes.real("width_scale", 1)};
}

void check_count(size_t count, size_t wanted) {
  if (count == wanted) return;
  fail(damaged("The number of scales or sizes (", count, ") is not ", wanted, "."));
}

// Uses one scale for all resized dimensions and derives the sizes.
void keep_aspect_ratio(Call& call, Resizing& resizing, const List<int64_t>& axes) {
  if (!keeps_aspect_ratio(call)) return;
  const bool larger = call.attributes.text("keep_aspect_ratio_policy") == "not_smaller";
  float scale = larger ? 0 : std::numeric_limits<float>::infinity();
  for (const int64_t axis : axes) {
    const auto d = static_cast<size_t>(axis);
    if (resizing.from[d] < 1)
      fail(unsupported("Keeping the aspect ratio of an unknown or empty size is not supported."));
    const float ratio = static_cast<float>(resizing.to[d]) / static_cast<float>(resizing.from[d]);
    scale = larger ? std::max(scale, ratio) : std::min(scale, ratio);
  }
  for (const int64_t axis : axes) {
    const auto d = static_cast<size_t>(axis);
    resizing.scales[d] = scale;
    const float length = std::round(scale * static_cast<float>(resizing.from[d]));
    resizing.to[d] = static_cast<int64_t>(std::clamp(length, 0.0f, 0x1p62f));
  }
}

// Sizes that are constants.
void take_sizes(Call& call, Resizing& resizing, const List<int64_t>& axes, const List<int64_t>& sizes) {
  check_count(sizes.size(), axes.size());
  bool are_known = true;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<size_t>(axes[i]);
    resizing.to[d] = sizes[i];
    are_known = are_known && resizing.from[d] != kUnknown;
    resizing.scales[d] = static_cast<float>(sizes[i]) / static_cast<float>(resizing.from[d]);
  }
  keep_aspect_ratio(call, resizing, axes);
  if (!are_known) resizing.scales.clear();
  if (!is_static(resizing.to))
    fail(unsupported("Sizes of some dimensions next to unknown ones are not supported."));
  resizing.size = call.vector(resizing.to);
}

void read_sizes(Call& call, TensorId x, Resizing& resizing) {
  const List<int64_t> axes = resized_axes(call, call.rank(x));
  resizing.from = resizing.to = call.shape(x);
  resizing.scales.assign(resizing.from.size(), 1.0f);
  if (!is_old(call) && call.has(3)) {
    const TensorId given = call.plain_input(3);
    const auto sizes = call.known_integers(given);
    if (sizes && !sizes->empty()) return take_sizes(call, resizing, axes, *sizes);
    if (!sizes) {
      if (axes.size() != resizing.from.size())
        fail(unsupported("Dynamic sizes of only some dimensions are not supported."));
      if (keeps_aspect_ratio(call)) fail(unsupported("Keeping the aspect ratio requires constant sizes."));
      resizing.size = given;
      resizing.scales.clear();
      resizing.to = call.shape_from(given);
      return;
    }
  }
  const List<float> scales = read_scales(call);
  check_count(scales.size(), axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<size_t>(axes[i]);
    resizing.scales[d] = scales[i];
    if (resizing.from[d] != kUnknown) resizing.to[d] = scaled_length(resizing.from[d], double{scales[i]});
  }
}

// All begins, then all ends.
List<float> region_of(Call& call, int64_t rank) {
  const List<double> given = call.numbers(1);
  const List<int64_t> axes = resized_axes(call, rank);
  if (given.size() != 2 * axes.size())
    fail(damaged("The number of roi values (", given.size(), ") is not ", 2 * axes.size(), "."));
  const auto dimensions = static_cast<size_t>(rank);
  List<float> region(2 * dimensions, 0.0f);
  std::fill(region.begin() + rank, region.end(), 1.0f);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<size_t>(axes[i]);
    region[d] = static_cast<float>(given[i]);
    region[dimensions + d] = static_cast<float>(given[axes.size() + i]);
  }
  return region;
}

Settings modes_of(Call& call, const Resizing& resizing) {
  const Attributes& attributes = call.attributes;
  const ResizeMode mode = choice<ResizeMode>("Resize mode", attributes.text("mode", "nearest"),
                                             {{"nearest", ResizeMode::nearest},
                                              {"linear", ResizeMode::linear},
                                              {"bilinear", ResizeMode::linear},
                                              {"cubic", ResizeMode::cubic}});
  return {{Attr::mode, mode},
          {Attr::coordinate_mode, resizing.coordinates},
          {Attr::nearest_mode, resizing.rounding},
          {Attr::cubic_coefficient, attributes.real("cubic_coeff_a", -0.75f)},
          {Attr::exclude_outside, attributes.flag("exclude_outside")},
          {Attr::antialias, attributes.flag("antialias")}};
}

Resizing read_resizing(Call& call, TensorId x) {
  const Attributes& attributes = call.attributes;
  Resizing resizing;
  resizing.coordinates = choice<ResizeCoordinates>(
      "Coordinate mode",
      attributes.text("coordinate_transformation_mode", is_old(call) ? "asymmetric" : "half_pixel"),
      {{"half_pixel", ResizeCoordinates::half_pixel},
       {"pytorch_half_pixel", ResizeCoordinates::pytorch},
       {"half_pixel_symmetric", ResizeCoordinates::symmetric},
       {"align_corners", ResizeCoordinates::corners},
       {"asymmetric", ResizeCoordinates::asymmetric},
       {"tf_crop_and_resize", ResizeCoordinates::region},
       {"tf_half_pixel_for_nn", ResizeCoordinates::half_pixel_of_nearest}});
  resizing.rounding = choice<ResizeRounding>(
      "Rounding mode", attributes.text("nearest_mode", is_old(call) ? "floor" : "round_prefer_floor"),
      {{"round_prefer_floor", ResizeRounding::half_down},
       {"round_prefer_ceil", ResizeRounding::half_up},
       {"floor", ResizeRounding::floor},
       {"ceil", ResizeRounding::ceil}});
  // As in ONNX Runtime.
  resizing.reducing = is_old(call) ? ResizeRounding::ceil : resizing.rounding;
  read_sizes(call, x, resizing);
  constexpr int64_t kMaxLength = std::numeric_limits<int32_t>::max();
  for (size_t d = 0; d < resizing.to.size(); ++d) {
    if (resizing.from[d] == 0) fail(unsupported("Dimension ", d, " has no elements to resize."));
    if (resizing.to[d] != kUnknown && (resizing.to[d] < 1 || resizing.to[d] > kMaxLength))
      fail(damaged("The new size (", resizing.to[d], ") of dimension ", d, " is outside [1, ", kMaxLength,
                   "]."));
  }
  return resizing;
}

TensorId resized(Call& call, TensorId x, const Resizing& resizing) {
  Settings settings = modes_of(call, resizing);
  // Sizes give the same scales, also if they are known only in a run.
  if (!resizing.scales.empty() && (!resizing.size || keeps_aspect_ratio(call)))
    settings.push_back({Attr::scales, resizing.scales});
  if (resizing.coordinates == ResizeCoordinates::region) {
    const List<float> region = region_of(call, call.rank(x));
    settings.push_back({Attr::region, region});
    settings.push_back({Attr::value, call.attributes.real("extrapolation_value", 0)});
  }
  Ids operands{x};
  if (resizing.size) operands.push_back(*resizing.size);
  return call.emit(Op::resize, operands, settings, {.shape = resizing.to});
}

// The dimensions that become smaller, or the others.
Resizing part_of(const Resizing& resizing, bool smaller) {
  Resizing part = resizing;
  if (smaller) part.rounding = resizing.reducing;
  for (size_t d = 0; d < part.scales.size(); ++d) {
    if ((part.scales[d] < 1) == smaller) continue;
    part.scales[d] = 1;
    part.to[d] = part.from[d];
  }
  return part;
}

// With RESIZE, which supports all modes and dynamic sizes.
TensorId resize_any(Call& call, TensorId x, const Resizing& resizing) {
  if (resizing.reducing == resizing.rounding) return resized(call, x, resizing);
  Resizing rest = resizing;
  for (const bool smaller : {false, true}) {
    const Resizing part = part_of(rest, smaller);
    if (std::ranges::all_of(part.scales, [](float scale) { return scale == 1; })) continue;
    x = resized(call, x, part);
    rest.from = call.shape(x);
  }
  return x;
}

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
