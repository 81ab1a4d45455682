// Convolutions, pooling and resizing.
#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/writer/ms_nodes.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;

// Pads are a list, or a mode: 0 same, 1 valid.
void set_pads(const NodeWriter& writer, Primitive& primitive, std::string_view list) {
  const Attrs& attrs = writer.attrs();
  if (attrs.has(Attr::pad_mode)) {
    const bool same = attrs.integer(Attr::pad_mode) == 0;
    primitive.set("pad_mode", static_cast<int64_t>(same ? PadMode::same : PadMode::valid));
    return;
  }
  const auto pads = attrs.has(Attr::pad) ? attrs.integers(Attr::pad) : std::span<const int64_t>();
  primitive.set("pad_mode", static_cast<int64_t>(PadMode::pad));
  primitive.set(list, pads.empty() ? Integers(4) : Integers(pads.begin(), pads.end()));
}

// The weight is [out, height, width, in / group].
void set_kernel(const NodeWriter& writer, Primitive& primitive, int64_t group) {
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

Status write_convolution(NodeWriter& writer, Primitive& primitive) {
  drop_zero_bias(writer);
  set_pads(writer, primitive, "pad_list");
  set_kernel(writer, primitive, writer.attrs().integer(Attr::group));
  return {};
}

Status write_depthwise(NodeWriter& writer, Primitive& primitive) {
  drop_zero_bias(writer);
  set_pads(writer, primitive, "pad_list");
  const int64_t channels = writer.shape(0)[writer.format() == Format::nchw ? 1 : 3];
  if (channels < 1) return unsupported("The number of channels is not known.");
  set_kernel(writer, primitive, channels);
  return {};
}

// [out, height, width, in / group] as [in, height, width, out / group].
Status swap_channels(NodeWriter& writer, int64_t group) {
  const SourceTensor& weight = writer.tensor(writer.inputs[1]);
  if (!weight.has_data()) return unsupported("The weight is not constant.");
  const nnrt::Shape dims = weight.dims;
  const size_t out = static_cast<size_t>(dims[0] / group), cells = static_cast<size_t>(dims[1] * dims[2]),
               in = static_cast<size_t>(dims[3]), bytes = size_of(dtype_of(weight.type_id));
  Bytes swapped(weight.data->size());
  const std::byte* from = weight.data->data();
  for (size_t g = 0; g < static_cast<size_t>(group); ++g)
    for (size_t o = 0; o < out; ++o)
      for (size_t cell = 0; cell < cells; ++cell)
        for (size_t i = 0; i < in; ++i, from += bytes)
          std::memcpy(swapped.data() + (((g * in + i) * cells + cell) * out + o) * bytes, from, bytes);
  SourceTensor made = weight;
  made.name.clear();
  made.dims = {dims[3] * group, dims[1], dims[2], dims[0] / group};
  made.data = std::make_shared<const Bytes>(std::move(swapped));
  writer.inputs[1] = writer.add(std::move(made));
  return {};
}

Status write_transposed(NodeWriter& writer, Primitive& primitive) {
  if (writer.input(1).quant.scales.size() > 1)
    return unsupported("MindSpore Lite has no transposed convolution with a scale per channel.");
  set_pads(writer, primitive, "pad_list");
  const int64_t group = writer.attrs().integer(Attr::group);
  set_kernel(writer, primitive, group);
  const auto padding = writer.attrs().integers(Attr::output_padding);
  primitive.set("output_paddings", Integers{padding.front(), padding.back()});
  const bool is_depthwise = writer.shape(1)[3] == 1 && writer.shape(1)[0] == group;
  return is_depthwise ? Status() : swap_channels(writer, group);
}

// The last window may lie outside of the input in MindSpore; OH_NN drops it then.
Status check_rounding(const NodeWriter& writer) {
  const Attrs& attrs = writer.attrs();
  if (attrs.integer(Attr::round_mode) == 0 || attrs.has(Attr::pad_mode) || attrs.is_set(Attr::global))
    return {};
  const nnrt::Shape &from = writer.shape(0), &to = writer.tensor(writer.outputs[0]).dims;
  const size_t height = writer.format() == Format::nchw ? 2 : 1;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t pads =
        attrs.has(Attr::pad) ? attrs.integers(Attr::pad)[2 * i] + attrs.integers(Attr::pad)[2 * i + 1] : 0;
    const int64_t in = from[height + i], kernel = attrs.integers(Attr::kernel)[i],
                  stride = attrs.integers(Attr::stride)[i];
    if (in < 0) return unsupported("It rounds an unknown size up.");
    const int64_t windows = (in + pads - kernel + stride - 1) / stride + 1;
    if (windows != to[height + i])
      return unsupported("MindSpore Lite would add a window outside of the input.");
  }
  return {};
}

Status write_pooling(NodeWriter& writer, Primitive& primitive) {
  NNRT_TRY(check_rounding(writer));
  set_pads(writer, primitive, "pad");
  primitive.set("format", int64_t{kNhwc});
  return {};
}

Status write_bilinear(NodeWriter&, Primitive& primitive) {
  primitive.set("method", static_cast<int64_t>(ResizeMethod::linear)).set("format", int64_t{kNhwc});
  return {};
}

// Only height and width change; modes are those of both.
Status write_resize(NodeWriter& writer, Primitive& primitive) {
  enum Mode : int64_t { nearest, linear, cubic };
  enum Coordinates : int64_t { half_pixel, pytorch, symmetric, corners, asymmetric, region };
  const Attrs& attrs = writer.attrs();
  const nnrt::Shape& from = writer.shape(0);
  const SourceTensor& to = writer.tensor(writer.outputs[0]);
  const bool is_image = from.size() == 4 && to.dims.size() == 4 &&
                        std::ranges::none_of(to.dims, [](int64_t d) { return d < 1; });
  const bool is_last = is_image && from[3] == to.dims[3];
  if (!is_image || from[0] != to.dims[0] || (!is_last && from[1] != to.dims[1]))
    return unsupported("RESIZE changes other dimensions than height and width, or to unknown sizes.");
  const size_t h = is_last ? 1 : 2, w = h + 1;
  const int64_t mode = attrs.integer(Attr::mode), coordinates = attrs.integer(Attr::coordinate_mode);
  const bool is_nearest =
      mode == nearest && coordinates == asymmetric && attrs.integer(Attr::nearest_mode) == 2;
  if (!is_nearest) return unsupported("The interpolation of RESIZE has no equivalent in an .ms file.");
  // Sizes that are not exact multiples depend on how the factors are rounded.
  if (to.dims[h] % from[h] != 0 || to.dims[w] % from[w] != 0)
    return unsupported("The factors of RESIZE are not integers.");
  primitive.set("method", static_cast<int64_t>(ResizeMethod::nearest))
      .set("new_height", to.dims[h])
      .set("new_width", to.dims[w])
      .set("coordinate_transform_mode", static_cast<int64_t>(CoordinateMode::asymmetric))
      .set("nearest_mode", int64_t{3})
      .set("format", int64_t{kNhwc});
  writer.inputs.resize(1);
  return {};
}

}  // namespace

std::vector<WriteRow> spatial_write_rows() {
  using enum PrimitiveType;
  const std::vector<MappedField> conv{
      {Attr::stride, "stride"}, {Attr::dilation, "dilation"}, {Attr::activation, "activation_type"}};
  std::vector<MappedField> grouped = conv, transposed = conv;
  grouped.push_back({Attr::group, "group"});
  transposed.push_back({Attr::group, "group"});
  transposed.push_back({Attr::output_padding, "output_paddings"});
  const std::vector<MappedField> pool{{Attr::kernel, "kernel_size"},
                                      {Attr::stride, "strides"},
                                      {Attr::round_mode, "round_mode"},
                                      {Attr::global, "global"},
                                      {Attr::activation, "activation_type"}};
  return {{Op::conv2d, conv2d_fusion, grouped, {}, write_convolution},
          {Op::depthwise_conv2d_native, conv2d_fusion, conv, {}, write_depthwise},
          {Op::conv2d_transpose, conv2d_transpose_fusion, transposed, {}, write_transposed},
          {Op::avg_pool, avg_pool_fusion, pool, {}, write_pooling},
          {Op::max_pool, max_pool_fusion, pool, {}, write_pooling},
          {Op::resize_bilinear,
           resize,
           {{Attr::new_height, "new_height"},
            {Attr::new_width, "new_width"},
            {Attr::preserve_aspect_ratio, "preserve_aspect_ratio"},
            {Attr::coordinate_mode, "coordinate_transform_mode"},
            {Attr::exclude_outside, "exclude_outside"}},
           {},
           write_bilinear},
          {Op::resize, resize, {}, {}, write_resize}};
}

}  // namespace nnrt::import::mindspore
