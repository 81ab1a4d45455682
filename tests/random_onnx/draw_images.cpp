// Convolutions and other operators that resize images.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

// Weights that preserve the variance of independent inputs.
std::string weights(Draft& draft, const Dimensions& shape, int64_t terms) {
  const double max = 1.7 / std::sqrt(static_cast<double>(terms));
  return draft.floats(shape, -max, max);
}

struct SpatialDraw {
  Dimensions kernel, stride, dilation, begin, end;  // one per spatial dimension

  Dimensions pads() const {
    Dimensions all = begin;
    all.insert(all.end(), end.begin(), end.end());
    return all;
  }
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilation[i] + 1; }
};

SpatialDraw draw_spatial_params(Draft& draft, size_t count, bool with_dilation) {
  SpatialDraw spatial_params;
  for (size_t i = 0; i < count; ++i) {
    const int64_t kernel = draft.random.of<int64_t>({1, 1, 2, 3, 3, 5});
    spatial_params.kernel.push_back(kernel);
    spatial_params.stride.push_back(draft.random.of<int64_t>({1, 1, 1, 2, 3}));
    spatial_params.dilation.push_back(with_dilation ? draft.random.of<int64_t>({1, 1, 1, 2}) : 1);
    spatial_params.begin.push_back(draft.random.between(0, kernel / 2));
    spatial_params.end.push_back(draft.random.between(0, kernel / 2));
  }
  return spatial_params;
}

void write(Draft& draft, const SpatialDraw& spatial_params) {
  draft.model.with("kernel_shape", spatial_params.kernel).with("strides", spatial_params.stride);
  draft.model.with("dilations", spatial_params.dilation);
}

Names with_bias(Draft& draft, Names inputs, int64_t channels) {
  if (!draft.random.one_in(4)) inputs.push_back(draft.floats({channels}, -0.5, 0.5));
  return inputs;
}

bool is_map(const Drawn& x) { return (x.rank() == 4 || x.rank() == 3) && x.open.value_or(0) == 0; }

bool convolve(Draft& draft, const Drawn& x, int64_t group, int64_t filters) {
  const size_t spatial = x.rank() - 2;
  const SpatialDraw spatial_params = draw_spatial_params(draft, spatial, true);
  Dimensions shape{x.shape[0], filters}, kernel{filters, x.shape[1] / group};
  const bool dilated = std::ranges::any_of(spatial_params.dilation, [](int64_t step) { return step > 1; });
  const bool same = !dilated && draft.random.one_in(5);  // ONNX Runtime does not support both
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t padded = x.shape[2 + i] + spatial_params.begin[i] + spatial_params.end[i];
    if (!same && padded < spatial_params.reach(i)) return false;
    const int64_t stride = spatial_params.stride[i];
    shape.push_back(same ? (x.shape[2 + i] + stride - 1) / stride
                         : (padded - spatial_params.reach(i)) / stride + 1);
    kernel.push_back(spatial_params.kernel[i]);
  }
  if (!Draft::fits(shape)) return false;
  const std::string filter = weights(draft, kernel, product(kernel, 1, kernel.size()));
  Drawn made = x.mapped(x.scale + 0.5, 2);
  made.shape = shape;
  draft.node("Conv", with_bias(draft, {x.name, filter}, filters), made);
  write(draft, spatial_params);
  draft.model.with("group", group);
  if (same) {
    draft.model.with("auto_pad", std::string(draft.random.one_in(2) ? "SAME_UPPER" : "SAME_LOWER"));
  } else {
    draft.model.with("pads", spatial_params.pads());
  }
  return true;
}

bool convolution(Draft& draft, const Drawn& x) {
  return is_map(x) && convolve(draft, x, 1, any_channels(draft));
}

bool depthwise(Draft& draft, const Drawn& x) {
  if (!is_map(x) || x.shape[1] == 1) return false;
  return convolve(draft, x, x.shape[1], x.shape[1] * draft.random.of<int64_t>({1, 1, 1, 2}));
}

bool grouped(Draft& draft, const Drawn& x) {
  if (!is_map(x) || x.shape[1] % 2 != 0) return false;
  return convolve(draft, x, 2, 2 * draft.random.of<int64_t>({1, 2, 3, 4}));
}

bool transposed_convolution(Draft& draft, const Drawn& x) {
  if (!is_map(x)) return false;
  const size_t spatial = x.rank() - 2;
  const SpatialDraw spatial_params = draw_spatial_params(draft, spatial, true);
  const int64_t group = x.shape[1] % 2 == 0 && draft.random.one_in(4) ? 2 : 1;
  const int64_t filters = group * draft.random.of<int64_t>({1, 2, 3, 5});
  Dimensions shape{x.shape[0], filters}, kernel{x.shape[1], filters / group}, extra;
  for (size_t i = 0; i < spatial; ++i) {
    extra.push_back(draft.random.between(0, spatial_params.stride[i] - 1));
    const int64_t length = (x.shape[2 + i] - 1) * spatial_params.stride[i] + spatial_params.reach(i) +
                           extra[i] - spatial_params.begin[i] - spatial_params.end[i];
    if (length < 1) return false;
    shape.push_back(length);
    kernel.push_back(spatial_params.kernel[i]);
  }
  if (!Draft::fits(shape)) return false;
  const std::string filter = weights(draft, kernel, x.shape[1] / group * product(kernel, 2, kernel.size()));
  Drawn made = x.mapped(x.scale + 0.5, 2);
  made.shape = shape;
  draft.node("ConvTranspose", with_bias(draft, {x.name, filter}, filters), made);
  write(draft, spatial_params);
  draft.model.with("group", group).with("pads", spatial_params.pads()).with("output_padding", extra);
  return true;
}

// By scales, which are float32 quotients. The product with the length is float32 too, but double where ONNX
// Runtime 1.30 infers shapes before a run: the two must agree.
bool resize(Draft& draft, const Drawn& x) {
  if (!x.is_image()) return false;
  Drawn made = x.mapped(x.scale, 2);
  const bool nearest = draft.random.one_in(2);
  std::vector<float> scales{1, 1};
  for (size_t d = 2; d < 4; ++d) {
    const auto from = static_cast<float>(x.shape[d]);
    const int64_t to = draft.random.one_in(2) ? 2 * x.shape[d] : draft.random.between(1, 3 * x.shape[d]);
    scales.push_back(static_cast<float>(to) / from);
    made.shape[d] = static_cast<int64_t>(std::floor(from * scales.back()));
    const double exact = static_cast<double>(from) * static_cast<double>(scales.back());
    if (made.shape[d] != static_cast<int64_t>(std::floor(exact)) || made.shape[d] == 0) return false;
  }
  if (!Draft::fits(made.shape)) return false;
  const std::string list =
      draft.raw("s", OnnxModel::kFloat32, {4}, {reinterpret_cast<const char*>(scales.data()), 16});
  draft.node("Resize", {x.name, "", list}, made);
  draft.model.with("mode", std::string(nearest ? "nearest" : "linear"));
  draft.model.with("coordinate_transformation_mode",
                   draft.random.of<std::string>({"asymmetric", "half_pixel", "align_corners"}));
  if (nearest)
    draft.model.with(
        "nearest_mode",
        draft.random.of<std::string>({"floor", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}));
  return true;
}

bool depth_to_space(Draft& draft, const Drawn& x) {
  if (!x.is_image() || x.shape[1] % 4 != 0) return false;
  Drawn made = x;
  made.shape = {x.shape[0], x.shape[1] / 4, x.shape[2] * 2, x.shape[3] * 2};
  draft.node("DepthToSpace", {x.name}, made);
  draft.model.with("blocksize", 2).with("mode", std::string(draft.random.one_in(2) ? "DCR" : "CRD"));
  return true;
}

bool space_to_depth(Draft& draft, const Drawn& x) {
  if (!x.is_image() || x.shape[2] % 2 != 0 || x.shape[3] % 2 != 0) return false;
  Drawn made = x;
  made.shape = {x.shape[0], x.shape[1] * 4, x.shape[2] / 2, x.shape[3] / 2};
  draft.node("SpaceToDepth", {x.name}, made);
  draft.model.with("blocksize", 2);
  return true;
}

bool pool(Draft& draft, const Drawn& x, const std::string& type) {
  if (!x.is_image()) return false;
  Dimensions kernel, stride, begin, end;
  Drawn made = x.mapped(x.scale, 1);
  const bool ceil = draft.random.one_in(6);
  for (size_t d = 2; d < 4; ++d) {
    const int64_t size = draft.random.of<int64_t>({1, 2, 2, 3}), step = draft.random.of<int64_t>({1, 2});
    kernel.push_back(size);
    stride.push_back(step);
    begin.push_back(ceil ? 0 : draft.random.between(0, size / 2));
    end.push_back(ceil ? 0 : draft.random.between(0, size / 2));
    const int64_t room = x.shape[d] + begin.back() + end.back() - size;
    if (room < 0) return false;
    made.shape[d] = (room + (ceil ? step - 1 : 0)) / step + 1;
    if (ceil && (made.shape[d] - 1) * step >= x.shape[d]) return false;  // a pooling window outside the input
  }
  draft.node(type, {x.name}, made);
  Dimensions pads = begin;
  pads.insert(pads.end(), end.begin(), end.end());
  draft.model.with("kernel_shape", kernel).with("strides", stride).with("pads", pads);
  if (ceil) draft.model.with("ceil_mode", 1);
  if (type == "AveragePool" && !ceil) draft.model.with("count_include_pad", draft.random.between(0, 1));
  return true;
}

bool max_pool(Draft& draft, const Drawn& x) { return pool(draft, x, "MaxPool"); }
bool average_pool(Draft& draft, const Drawn& x) { return pool(draft, x, "AveragePool"); }

bool global_pool(Draft& draft, const Drawn& x) {
  if (x.rank() < 3 || x.open.value_or(0) != 0) return false;
  Drawn made = x;
  for (size_t d = 2; d < x.rank(); ++d) made.shape[d] = 1;
  draft.node(draft.random.one_in(3) ? "GlobalMaxPool" : "GlobalAveragePool", {x.name}, made);
  return true;
}

}  // namespace

int64_t any_channels(Draft& draft) {
  if (draft.random.one_in(6)) return draft.random.of<int64_t>({4, 6, 7, 12, 16, 17});
  return draft.random.of<int64_t>({1, 2, 3, 5, 8});
}

std::vector<Drawer> pooling_drawers() { return {{3, max_pool}, {3, average_pool}, {2, global_pool}}; }

std::vector<Drawer> image_drawers() {
  return {{12, convolution}, {5, depthwise},      {2, grouped},       {3, transposed_convolution},
          {3, resize},       {1, depth_to_space}, {1, space_to_depth}};
}

}  // namespace nnrt::test
