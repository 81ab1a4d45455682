// Convolutions, pooling and resizing.
#include "core/base/text.h"
#include "core/base/transpose.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/writer/ms_nodes.h"

#include <algorithm>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;

// Pads are a list, or a mode: 0 same, 1 valid.
void set_pads(NodeWriter& writer, Primitive& primitive, std::string_view list) {
  const Integers pads = writer.list(Attr::pad);
  if (writer.has(Attr::pad_mode)) {
    const bool same = writer.integer(Attr::pad_mode) == 0;
    primitive.set("pad_mode", static_cast<int64_t>(same ? PadMode::same : PadMode::valid));
    return;
  }
  primitive.set("pad_mode", static_cast<int64_t>(PadMode::pad));
  primitive.set(list, pads.empty() ? Integers(4) : pads);
}

// The weight is [out, height, width, in / group].
void set_kernel(NodeWriter& writer, Primitive& primitive, int64_t group) {
  const nnrt::Shape& weight = writer.shape(1);
  primitive.set("kernel_size", Integers{weight[1], weight[2]})
      .set("group", group)
      .set("in_channel", weight[3] * group)
      .set("out_channel", weight[0])
      .set("format", int64_t{kNhwc});
}

// It is optional.
void drop_zero_bias(NodeWriter& writer) {
  if (writer.inputs.size() < 3 || !writer.tensor(writer.inputs[2]).has_data()) return;
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (std::ranges::all_of(*writer.tensor(writer.inputs[2]).data, is_zero)) writer.inputs.resize(2);
}

void write_convolution(NodeWriter& writer, Primitive& primitive) {
  drop_zero_bias(writer);
  set_pads(writer, primitive, "pad_list");
  set_kernel(writer, primitive, writer.integer(Attr::group));
}

void write_depthwise(NodeWriter& writer, Primitive& primitive) {
  drop_zero_bias(writer);
  set_pads(writer, primitive, "pad_list");
  const int64_t channels = writer.shape(0)[writer.format() == Format::nchw ? 1 : 3];
  if (channels < 1) fail(unsupported("The number of channels is not known."));
  set_kernel(writer, primitive, channels);
}

// [out, height, width, in / group] as [in, height, width, out / group].
void swap_channels(NodeWriter& writer, int64_t group) {
  const SourceTensor& weight = writer.tensor(writer.inputs[1]);
  if (!weight.has_data()) fail(unsupported("The weight is not constant."));
  const nnrt::Shape dims = weight.dims;
  Bytes swapped = transposed(*weight.data, {group, dims[0] / group, dims[1] * dims[2], dims[3]}, {0, 3, 2, 1},
                             size_of(dtype_of(weight.type_id)));
  SourceTensor made = weight;
  made.name.clear();
  made.dims = {dims[3] * group, dims[1], dims[2], dims[0] / group};
  made.data = std::make_shared<const Bytes>(std::move(swapped));
  writer.inputs[1] = writer.add(std::move(made));
}

void write_transposed(NodeWriter& writer, Primitive& primitive) {
  if (writer.input(1).quant.scales.size() > 1)
    fail(unsupported("MindSpore Lite has no transposed convolution with a scale per channel."));
  set_pads(writer, primitive, "pad_list");
  const int64_t group = writer.integer(Attr::group);
  set_kernel(writer, primitive, group);
  const Integers padding = writer.list(Attr::output_padding);
  primitive.set("output_paddings", Integers{padding.front(), padding.back()});
  const bool is_depthwise = writer.shape(1)[3] == 1 && writer.shape(1)[0] == group;
  if (!is_depthwise) swap_channels(writer, group);
}

// The last window may lie outside of the input in MindSpore; OH_NN drops it then.
void check_rounding(NodeWriter& writer) {
  if (writer.integer(Attr::round_mode) == 0 || writer.has(Attr::pad_mode) || writer.flag(Attr::global))
    return;
  const nnrt::Shape &from = writer.shape(0), &to = writer.tensor(writer.outputs[0]).dims;
  const size_t height = writer.format() == Format::nchw ? 2 : 1;
  const Integers pad = writer.list(Attr::pad), kernel = writer.list(Attr::kernel),
                 stride = writer.list(Attr::stride);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t in = from[height + i], pads = pad.empty() ? 0 : pad[2 * i] + pad[2 * i + 1];
    if (in < 0) fail(unsupported("It rounds an unknown size up."));
    const int64_t windows = (in + pads - kernel[i] + stride[i] - 1) / stride[i] + 1;
    if (windows != to[height + i])
      fail(unsupported("MindSpore Lite would add a window outside of the input."));
  }
}

void write_pooling(NodeWriter& writer, Primitive& primitive) {
  check_rounding(writer);
  set_pads(writer, primitive, "pad");
  primitive.set("format", int64_t{kNhwc});
}

void write_bilinear(NodeWriter& writer, Primitive& primitive) {
  constexpr std::pair<Attr, const char*> kFields[] = {{Attr::new_height, "new_height"},
                                                      {Attr::new_width, "new_width"},
                                                      {Attr::preserve_aspect_ratio, "preserve_aspect_ratio"},
                                                      {Attr::coordinate_mode, "coordinate_transform_mode"},
                                                      {Attr::exclude_outside, "exclude_outside"}};
  for (const auto& [attr, field] : kFields)
    if (writer.has(attr)) primitive.set(field, writer.integer(attr));
  primitive.set("method", static_cast<int64_t>(ResizeMethod::linear)).set("format", int64_t{kNhwc});
}

// Only height and width change; modes are those of both.
void write_resize(NodeWriter& writer, Primitive& primitive) {
  enum Mode : int64_t { nearest, linear, cubic };
  enum Coordinates : int64_t { half_pixel, pytorch, symmetric, corners, asymmetric, region };
  const nnrt::Shape& from = writer.shape(0);
  const SourceTensor& to = writer.tensor(writer.outputs[0]);
  for (const Attr attr : {Attr::scales, Attr::cubic_coefficient}) writer.use(attr);
  const bool is_image = from.size() == 4 && to.dims.size() == 4 &&
                        std::ranges::none_of(to.dims, [](int64_t d) { return d < 1; });
  const bool is_last = is_image && from[3] == to.dims[3];
  if (!is_image || from[0] != to.dims[0] || (!is_last && from[1] != to.dims[1]))
    fail(unsupported("RESIZE changes other dimensions than height and width, or to unknown sizes."));
  const size_t h = is_last ? 1 : 2, w = h + 1;
  const int64_t mode = writer.integer(Attr::mode), coordinates = writer.integer(Attr::coordinate_mode);
  const bool is_nearest =
      mode == nearest && coordinates == asymmetric && writer.integer(Attr::nearest_mode) == 2;
  if (!is_nearest) fail(unsupported("The interpolation of RESIZE has no equivalent in an .ms file."));
  // Sizes that are not exact multiples depend on how the factors are rounded.
  if (to.dims[h] % from[h] != 0 || to.dims[w] % from[w] != 0)
    fail(unsupported("The factors of RESIZE are not integers."));
  primitive.set("method", static_cast<int64_t>(ResizeMethod::nearest))
      .set("new_height", to.dims[h])
      .set("new_width", to.dims[w])
      .set("coordinate_transform_mode", static_cast<int64_t>(CoordinateMode::asymmetric))
      .set("nearest_mode", int64_t{3})
      .set("format", int64_t{kNhwc});
  writer.inputs.resize(1);
}

}  // namespace

std::vector<WriteRow> spatial_write_rows() {
  using enum PrimitiveType;
  return {
      {Op::conv2d, conv2d_fusion, write_convolution},
      {Op::depthwise_conv2d_native, conv2d_fusion, write_depthwise},
      {Op::conv2d_transpose, conv2d_transpose_fusion, write_transposed},
      {Op::avg_pool, avg_pool_fusion, write_pooling},
      {Op::max_pool, max_pool_fusion, write_pooling},
      {Op::resize_bilinear, resize, write_bilinear},
      {Op::resize, resize, write_resize},
  };
}

}  // namespace nnrt::import::mindspore
