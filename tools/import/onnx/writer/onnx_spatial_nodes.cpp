// Convolutions, pooling and sampling.
#include "core/schema/geometry.h"
#include "tools/import/onnx/writer/onnx_node_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

using AttributeList = std::vector<Attribute>;

// [before, after] of each dimension as all befores, then all afters.
Integers in_halves(const Integers& pairs) {
  Integers made;
  for (const size_t side : {0, 1})
    for (size_t i = side; i < pairs.size(); i += 2) made.push_back(pairs[i]);
  return made;
}

// Strides and pads of `count` dimensions. SAME is a list of pads if the size is known, since not every
// runtime has it for dilations.
AttributeList windows(NodeWriter& node, size_t count) {
  const Integers strides = node.list(Attr::stride, count, 1);
  if (!node.has(Attr::pad_mode))
    return {{"strides", strides}, {"pads", in_halves(node.list(Attr::pad, 2 * count, 0))}};
  const SpatialParams spatial = required(spatial_params(node.view()));
  if (spatial.before[0] < 0 || spatial.before[1] < 0)
    return {{"strides", strides}, {"auto_pad", std::string("SAME_UPPER")}};
  return {{"strides", strides},
          {"pads", Integers{spatial.before[0], spatial.before[1], spatial.after[0], spatial.after[1]}}};
}

void add_bias(NodeWriter& node, Names& inputs) {
  std::string bias = node.bias(2, 1);
  if (!bias.empty()) inputs.push_back(std::move(bias));
}

void write_convolution(NodeWriter& node) {
  const nnrt::Shape& weights = node.view().shape(1);
  const size_t dimensions = weights.size() - 2;
  AttributeList attributes = windows(node, dimensions);
  attributes.push_back({"dilations", node.list(Attr::dilation, dimensions, 1)});
  int64_t group = node.has(Attr::group) ? node.integer(Attr::group) : 1;
  if (node.op() == Op::depthwise_conv2d_native) group = node.shape()[1];
  if (group < 1) node.refuse("an unknown number of channels");
  attributes.push_back({"group", group});
  Names inputs{node.in(0), node.weights(1, order_of(Layout::channels_first, weights.size()))};
  add_bias(node, inputs);
  node.write("Conv", inputs, std::move(attributes));
}

// [out, height, width, in / group] as [in, out / group, height, width].
std::string transposed_weights(NodeWriter& node, int64_t group) {
  if (group == 1) return node.weights(1, {3, 0, 1, 2});
  const nnrt::Tensor& tensor = node.view().input(1);
  if (!tensor.is_constant()) node.refuse("computed weights of groups");
  if (tensor.quant.scales.size() > 1) node.refuse("a scale per channel of groups");
  const nnrt::Shape& shape = tensor.shape;
  const nnrt::Shape grouped{group, shape[0] / group, shape[1], shape[2], shape[3]};
  const Bytes data = permuted(tensor, grouped, {0, 4, 1, 2, 3});
  const std::string made = node.file().constant(
      tensor.name, tensor.dtype, {group * shape[3], shape[0] / group, shape[1], shape[2]}, data);
  if (tensor.quant.empty()) return made;
  const std::string real = node.temporary();
  node.file().dequantize(made, tensor.quant, tensor.dtype, 0, real);
  return real;
}

// Pads that give the size of the SAME mode, or none.
void write_transposed(NodeWriter& node) {
  const nnrt::Shape& weights = node.view().shape(1);
  const Integers strides = node.list(Attr::stride, 2, 1), dilations = node.list(Attr::dilation, 2, 1);
  Integers extra = node.list(Attr::output_padding, 2, 0);
  extra.resize(2, extra[0]);
  Integers pads = node.list(Attr::pad, 4, 0);
  if (node.has(Attr::pad_mode)) {
    pads = Integers(4, 0);
    const bool is_same = node.integer(Attr::pad_mode) == 0;
    for (size_t i = 0; is_same && i < 2; ++i) {
      const int64_t total = (weights[i + 1] - 1) * dilations[i] + 1 - strides[i] - extra[i];
      pads[2 * i] = std::max<int64_t>(total, 0) / 2;
      pads[2 * i + 1] = std::max<int64_t>(total, 0) - pads[2 * i];
      extra[i] = std::max<int64_t>(-total, 0);
    }
  }
  const int64_t group = node.has(Attr::group) ? node.integer(Attr::group) : 1;
  Names inputs{node.in(0), transposed_weights(node, group)};
  add_bias(node, inputs);
  node.write("ConvTranspose", inputs,
             {{"strides", strides},
              {"dilations", dilations},
              {"pads", in_halves(pads)},
              {"output_padding", extra},
              {"group", group}});
}

void write_pool(NodeWriter& node) {
  const bool is_average = node.op() == Op::avg_pool || node.op() == Op::avg_pool_nd;
  if (node.flag(Attr::global)) {
    for (const Attr attr : {Attr::kernel, Attr::stride, Attr::pad, Attr::pad_mode, Attr::round_mode})
      node.use(attr);
    return node.write(is_average ? "GlobalAveragePool" : "GlobalMaxPool", {node.in(0)});
  }
  const Integers kernel = node.attribute(Attr::kernel).integers;
  const Integers dilations = node.list(Attr::dilation, kernel.size(), 1);
  AttributeList attributes = windows(node, kernel.size());
  attributes.push_back({"kernel_shape", kernel});
  const bool is_same = node.has(Attr::pad_mode) && node.integer(Attr::pad_mode) == 0;
  if (node.has(Attr::round_mode) && node.integer(Attr::round_mode) != 0 && !is_same)
    attributes.push_back({"ceil_mode", int64_t{1}});
  const bool is_dilated = std::ranges::any_of(dilations, [](int64_t d) { return d != 1; });
  if (is_dilated && is_average) node.refuse("a dilation");
  if (is_dilated) attributes.push_back({"dilations", dilations});
  if (node.flag(Attr::count_padding)) attributes.push_back({"count_include_pad", int64_t{1}});
  node.write(is_average ? "AveragePool" : "MaxPool", {node.in(0)}, std::move(attributes));
}

constexpr const char* kCoordinates[] = {"half_pixel",    "pytorch_half_pixel", "half_pixel_symmetric",
                                        "align_corners", "asymmetric",         "tf_crop_and_resize"};

void write_bilinear(NodeWriter& node) {
  constexpr const char* kModes[] = {"asymmetric", "align_corners", "pytorch_half_pixel"};
  node.use(Attr::preserve_aspect_ratio);
  node.use(Attr::exclude_outside);
  const int64_t mode = node.has(Attr::coordinate_mode) ? node.integer(Attr::coordinate_mode) : 0;
  const int64_t height = node.integer(Attr::new_height), width = node.integer(Attr::new_width);
  const std::string x = node.in(0);
  const nnrt::Shape shape = node.shape();
  std::string size;
  if (shape[0] > 0 && shape[1] > 0) {
    size = node.vector({shape[0], shape[1], height, width});
  } else {
    const std::string others = node.derive("Shape", {x}, {{"end", int64_t{2}}});
    size = node.derive("Concat", {others, node.vector({height, width})}, {{"axis", int64_t{0}}});
  }
  node.write(
      "Resize", {x, "", "", size},
      {{"mode", std::string("linear")}, {"coordinate_transformation_mode", std::string(kModes[mode])}});
}

std::string floats(NodeWriter& node, Attr attr) {
  std::vector<float> values;
  for (const double value : node.attribute(attr).floats) values.push_back(static_cast<float>(value));
  return node.file().constant(node.outputs[0] + "_numbers", DType::f32, {static_cast<int64_t>(values.size())},
                              std::as_bytes(std::span(values)));
}

// Whether scales give the sizes of the result too.
bool scales_give_sizes(NodeWriter& node) {
  const nnrt::Shape from = node.shape(), to = node.output_shape();
  const auto& scales = node.attribute(Attr::scales).floats;
  for (size_t d = 0; d < from.size(); ++d) {
    const float length = static_cast<float>(from[d]) * static_cast<float>(scales[d]);
    if (scales[d] != 1 && (from[d] < 0 || static_cast<int64_t>(std::floor(length)) != to[d])) return false;
  }
  return true;
}

void write_resize(NodeWriter& node) {
  constexpr const char* kModes[] = {"nearest", "linear", "cubic"};
  constexpr const char* kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  const auto choice = [&](Attr attr) { return node.has(attr) ? node.integer(attr) : 0; };
  const int64_t coordinates = choice(Attr::coordinate_mode);
  if (coordinates > 5) node.refuse("coordinates of half pixels of nearest");
  const std::string region = node.has(Attr::region) ? floats(node, Attr::region) : "";
  const double outside = node.has(Attr::value) ? node.real(Attr::value) : 0;
  const double coefficient = node.has(Attr::cubic_coefficient) ? node.real(Attr::cubic_coefficient) : -0.75;
  Names inputs{node.in(0), region};
  if (node.has(Attr::scales)) {
    if (node.input_count() > 1 && !scales_give_sizes(node)) node.refuse("scales beside sizes");
    inputs.push_back(floats(node, Attr::scales));
  } else {
    inputs.insert(inputs.end(), {"", node.as_int64(1, true)});
  }
  node.write("Resize", inputs,
             {{"mode", std::string(kModes[choice(Attr::mode)])},
              {"coordinate_transformation_mode", std::string(kCoordinates[coordinates])},
              {"nearest_mode", std::string(kNearest[choice(Attr::nearest_mode)])},
              {"cubic_coeff_a", static_cast<float>(coefficient)},
              {"exclude_outside", int64_t{node.flag(Attr::exclude_outside)}},
              {"antialias", int64_t{node.flag(Attr::antialias)}},
              {"extrapolation_value", static_cast<float>(outside)}});
}

void write_grid_sample(NodeWriter& node) {
  const bool is_volume = node.rank() == 5;
  constexpr const char* kModes[] = {"linear", "nearest", "cubic"};
  constexpr const char* kOldModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr const char* kPadding[] = {"zeros", "border", "reflection"};
  const auto choice = [&](Attr attr) { return node.has(attr) ? node.integer(attr) : 0; };
  const int64_t mode = choice(Attr::mode);
  node.write("GridSample", {node.in(0), node.in(1)},
             {{"mode", std::string(is_volume ? kModes[mode] : kOldModes[mode])},
              {"padding_mode", std::string(kPadding[choice(Attr::padding_mode)])},
              {"align_corners", int64_t{node.flag(Attr::align_corners)}}},
             is_volume ? 20 : 18);
}

void write_col2im(NodeWriter& node) {
  const Integers block = node.attribute(Attr::block).integers;
  node.write("Col2Im", {node.in(0), node.as_int64(1), node.vector(block)},
             {{"strides", node.list(Attr::stride, block.size(), 1)},
              {"dilations", node.list(Attr::dilation, block.size(), 1)},
              {"pads", in_halves(node.list(Attr::pad, 2 * block.size(), 0))}});
}

}  // namespace

std::vector<WriteRow> spatial_write_rows() {
  return {
      {Op::conv2d, "Conv", write_convolution},
      {Op::conv3d, "Conv", write_convolution},
      {Op::depthwise_conv2d_native, "Conv", write_convolution},
      {Op::conv2d_transpose, "ConvTranspose", write_transposed},
      {Op::avg_pool, "AveragePool", write_pool},
      {Op::max_pool, "MaxPool", write_pool},
      {Op::avg_pool_nd, "AveragePool", write_pool},
      {Op::max_pool_nd, "MaxPool", write_pool},
      {Op::resize_bilinear, "Resize", write_bilinear},
      {Op::resize, "Resize", write_resize},
      {Op::grid_sample, "GridSample", write_grid_sample},
      {Op::col2im, "Col2Im", write_col2im},
  };
}

}  // namespace nnrt::import::onnx
