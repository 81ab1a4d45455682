#include "tools/import/onnx/operators/onnx_resize_any.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

// Sizes or scales from the node, for some dimensions.
struct Sizes {
  std::vector<int64_t> axes;
  std::vector<double> scales;
  std::optional<std::vector<int64_t>> sizes;
  std::optional<TensorId> sizes_of_run;  // dynamic sizes of all dimensions
};

Result<int8_t> choice(std::string_view what, const std::string& name,
                      const std::map<std::string, int8_t>& choices) {
  const auto found = choices.find(name);
  if (found != choices.end()) return found->second;
  return unsupported(what, " (", name, ") is not supported.");
}

Result<std::vector<int64_t>> resized_axes(Call& call, int64_t rank) {
  std::vector<int64_t> axes = call.attributes.integers("axes");
  for (int64_t& axis : axes) {
    NNRT_ASSIGN(axis, call.axis(axis, rank));
  }
  if (!axes.empty()) return axes;
  axes.resize(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return axes;
}

Result<Sizes> read(Call& call, TensorId x) {
  const bool has_region = call.type() != "Upsample" && call.opset() >= 11;
  Sizes read;
  NNRT_ASSIGN(read.axes, resized_axes(call, call.rank(x)));
  const size_t at = has_region ? 2 : 1;
  if (has_region && call.has(3)) {
    NNRT_ASSIGN(const TensorId sizes, call.plain_input(3));
    read.sizes = call.emitter().known_integers(sizes);
    if (read.sizes && read.sizes->empty())
      read.sizes.reset();
    else if (!read.sizes)
      read.sizes_of_run = sizes;
  }
  if (read.sizes_of_run) {
    if (static_cast<int64_t>(read.axes.size()) != call.rank(x))
      return unsupported("Sizes of some dimensions that only a run knows are not supported.");
    return read;
  }
  if (!read.sizes && call.has(at)) {
    NNRT_ASSIGN(read.scales, call.numbers(at));
  } else if (!read.sizes && call.attributes.has("height_scale")) {  // before opset 7
    const double height = call.attributes.real("height_scale", 1),
                 width = call.attributes.real("width_scale", 1);
    read.scales = {1, 1, height, width};
  } else if (!read.sizes) {
    for (const float scale : call.attributes.floats("scales"))
      read.scales.push_back(static_cast<double>(scale));
  }
  const size_t count = read.sizes ? read.sizes->size() : read.scales.size();
  if (count != read.axes.size())
    return damaged("The number of scales or sizes (", count, ") is not ", read.axes.size(), ".");
  return read;
}

// Expands to all dimensions.
template <typename T>
std::vector<T> spread(const Sizes& by, const std::vector<T>& values, const std::vector<T>& others) {
  std::vector<T> all = others;
  for (size_t i = 0; i < by.axes.size(); ++i) all[static_cast<size_t>(by.axes[i])] = values[i];
  return all;
}

// Uses one scale for all resized dimensions and derives the sizes.
Status keep_aspect_ratio(Call& call, TensorId x, Sizes& by) {
  if (!keeps_aspect_ratio(call)) return {};
  if (!by.sizes) return unsupported("Keeping the aspect ratio takes sizes that are constant.");
  const bool larger = call.attributes.text("keep_aspect_ratio_policy") == "not_smaller";
  double scale = larger ? 0 : std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < by.axes.size(); ++i) {
    const int64_t in = call.shape(x)[static_cast<size_t>(by.axes[i])];
    if (in == kUnknown) return unsupported("Keeping the aspect ratio of an unknown size is not supported.");
    const double ratio = static_cast<double>((*by.sizes)[i]) / static_cast<double>(in);
    scale = larger ? std::max(scale, ratio) : std::min(scale, ratio);
  }
  for (size_t i = 0; i < by.axes.size(); ++i) {
    const auto in = static_cast<double>(call.shape(x)[static_cast<size_t>(by.axes[i])]);
    (*by.sizes)[i] = static_cast<int64_t>(std::floor(scale * in + 0.5));
  }
  by.scales.assign(by.axes.size(), scale);
  return {};
}

// Sizes computed at run time from the input's.
Result<TensorId> scaled_sizes(Call& call, TensorId x, const std::vector<float>& scales) {
  const auto bytes = std::as_bytes(std::span(scales));
  Emitter& emitter = call.emitter();
  const TensorId factors =
      emitter.constant(DType::f32, {static_cast<int64_t>(scales.size())}, Bytes(bytes.begin(), bytes.end()));
  NNRT_ASSIGN(const TensorId shape, call.emit(OH_NN_OPS_SHAPE, {x}, {}, {.dtypes = {DType::i32}}));
  NNRT_ASSIGN(const TensorId lengths, call.cast(shape, DType::f32));
  NNRT_ASSIGN(const TensorId products, call.emit(OH_NN_OPS_MUL, {lengths, factors}));
  NNRT_ASSIGN(const TensorId whole, call.emit(OH_NN_OPS_FLOOR, {products}));
  return call.cast(whole, DType::i64);
}

struct Target {
  TensorId size{};
  nnrt::Shape shape;
};

Result<Target> target_of(Call& call, TensorId x, const Sizes& by) {
  const nnrt::Shape from = call.shape(x);
  Target target;
  if (by.sizes_of_run) {
    target.size = *by.sizes_of_run;
    NNRT_ASSIGN(target.shape, call.shape_from(target.size));
    return target;
  }
  std::vector<float> scales(from.size(), 1.0f);
  target.shape = from;
  for (size_t i = 0; i < by.axes.size(); ++i) {
    const auto d = static_cast<size_t>(by.axes[i]);
    if (by.sizes) {
      target.shape[d] = (*by.sizes)[i];
    } else {
      scales[d] = static_cast<float>(by.scales[i]);
      const double size = std::floor(static_cast<double>(from[d]) * by.scales[i]);
      if (scales[d] != 1 && from[d] == kUnknown) target.shape[d] = kUnknown;
      if (from[d] != kUnknown && !(size >= 1 && size <= std::numeric_limits<int32_t>::max()))
        return damaged("The new size (", size, ") is outside [1, 2147483647].");
      if (from[d] != kUnknown) target.shape[d] = static_cast<int64_t>(size);
    }
  }
  if (is_static(target.shape)) {
    target.size = call.emitter().integers(target.shape);
  } else if (!by.sizes) {
    NNRT_ASSIGN(target.size, scaled_sizes(call, x, scales));
  } else {
    return unsupported("Sizes of some dimensions beside others that are not known are not supported.");
  }
  return target;
}

// All begins, then all ends.
Result<std::vector<float>> region_of(Call& call, const Sizes& by, size_t rank) {
  NNRT_ASSIGN(const std::vector<double> given, call.numbers(1));
  if (given.size() != 2 * by.axes.size())
    return damaged("The number of values of roi (", given.size(), ") is not ", 2 * by.axes.size(), ".");
  std::vector<float> region(2 * rank, 0.0f);
  std::fill(region.begin() + static_cast<std::ptrdiff_t>(rank), region.end(), 1.0f);
  for (size_t i = 0; i < by.axes.size(); ++i) {
    const auto d = static_cast<size_t>(by.axes[i]);
    region[d] = static_cast<float>(given[i]);
    region[rank + d] = static_cast<float>(given[by.axes.size() + i]);
  }
  return region;
}

Result<std::vector<Parameter>> modes_of(Call& call) {
  const bool old = call.type() == "Upsample" || call.opset() < 11;
  const Attributes& attributes = call.attributes;
  NNRT_ASSIGN(
      const int8_t mode,
      choice("Resizing of mode", attributes.text("mode", "nearest"),
             {{"nearest", int8_t{0}}, {"linear", int8_t{1}}, {"bilinear", int8_t{1}}, {"cubic", int8_t{2}}}));
  NNRT_ASSIGN(const int8_t coordinates,
              choice("Coordinates of kind",
                     attributes.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                     {{"half_pixel", int8_t{0}},
                      {"pytorch_half_pixel", int8_t{1}},
                      {"half_pixel_symmetric", int8_t{2}},
                      {"align_corners", int8_t{3}},
                      {"asymmetric", int8_t{4}},
                      {"tf_crop_and_resize", int8_t{5}}}));
  NNRT_ASSIGN(
      const int8_t nearest,
      choice("Rounding of kind", attributes.text("nearest_mode", old ? "floor" : "round_prefer_floor"),
             {{"round_prefer_floor", int8_t{0}},
              {"round_prefer_ceil", int8_t{1}},
              {"floor", int8_t{2}},
              {"ceil", int8_t{3}}}));
  return std::vector<Parameter>{
      int8_parameter(extension(OH_NN_RESIZE_MODE), mode),
      int8_parameter(extension(OH_NN_RESIZE_COORDINATE_MODE), coordinates),
      int8_parameter(extension(OH_NN_RESIZE_NEAREST_MODE), nearest),
      float_parameter(extension(OH_NN_RESIZE_CUBIC_COEFFICIENT), attributes.real("cubic_coeff_a", -0.75f)),
      bool_parameter(extension(OH_NN_RESIZE_EXCLUDE_OUTSIDE), attributes.integer("exclude_outside", 0) != 0),
      bool_parameter(extension(OH_NN_RESIZE_ANTIALIAS), attributes.integer("antialias", 0) != 0)};
}

}  // namespace

bool keeps_aspect_ratio(Call& call) {
  return call.attributes.text("keep_aspect_ratio_policy", "stretch") != "stretch";
}

Result<TensorId> resize_any(Call& call, TensorId x) {
  NNRT_ASSIGN(Sizes by, read(call, x));
  NNRT_TRY(keep_aspect_ratio(call, x, by));
  NNRT_ASSIGN(const Target target, target_of(call, x, by));
  NNRT_ASSIGN(std::vector<Parameter> parameters, modes_of(call));
  const auto rank = static_cast<size_t>(call.rank(x));
  if (!by.scales.empty()) {
    const std::vector<float> scales(by.scales.begin(), by.scales.end());
    parameters.push_back(
        floats_parameter(extension(OH_NN_RESIZE_SCALES), spread(by, scales, std::vector<float>(rank, 1.0f))));
  }
  if (call.attributes.text("coordinate_transformation_mode") == "tf_crop_and_resize") {
    NNRT_ASSIGN(const std::vector<float> region, region_of(call, by, rank));
    parameters.push_back(floats_parameter(extension(OH_NN_RESIZE_REGION), region));
    parameters.push_back(float_parameter(extension(OH_NN_RESIZE_EXTRAPOLATION_VALUE),
                                         call.attributes.real("extrapolation_value", 0)));
  }
  return call.emit(OH_NN_OPS_RESIZE, {x, target.size}, std::move(parameters), {.shape = target.shape});
}

}  // namespace nnrt::import::onnx
