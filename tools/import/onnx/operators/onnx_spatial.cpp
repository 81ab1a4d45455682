#include "tools/import/onnx/operators/onnx_spatial.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

bool is_same(std::string_view mode) { return mode == "SAME_UPPER" || mode == "SAME_LOWER"; }

// Divides what is padded or cut between both ends of a dimension.
void place_pads(SpatialParams& spatial, size_t axis, int64_t total, bool upper) {
  total = std::max<int64_t>(total, 0);
  spatial.pads[2 * axis] = upper ? total / 2 : total - total / 2;
  spatial.pads[2 * axis + 1] = total - spatial.pads[2 * axis];
}

// Pads of one dimension for ceil(size / stride) outputs.
void pad_same(SpatialParams& spatial, size_t axis, int64_t size, bool upper) {
  if (size == kUnknown) fail(unsupported("SAME padding for an unknown size is not supported."));
  const int64_t stride = spatial.stride[axis];
  const int64_t reach = (spatial.kernel[axis] - 1) * spatial.dilation[axis] + 1;
  place_pads(spatial, axis, ((size + stride - 1) / stride - 1) * stride + reach - size, upper);
}

}  // namespace

List<int64_t> paired(const List<int64_t>& pads) {
  List<int64_t> pairs;
  const size_t axes = pads.size() / 2;
  for (size_t i = 0; i < axes; ++i) pairs.insert(pairs.end(), {pads[i], pads[axes + i]});
  return pairs;
}

List<int64_t> read_list(Call& call, std::string_view attribute, size_t count, int64_t fallback) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  List<int64_t> values = call.attributes.integers(attribute);
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count)
    fail(damaged("The number of ", attribute, " (", values.size(), ") is not ", count, "."));
  for (const int64_t value : values) {
    if (value < 0 || value > kMax)
      fail(damaged("One of ", attribute, " (", value, ") is outside [0, ", kMax, "]."));
  }
  return values;
}

SpatialParams read_spatial(Call& call, const Dims& shape, List<int64_t> kernel, Same same) {
  if (shape.size() < 3) fail(damaged("The rank (", shape.size(), ") is below 3."));
  const size_t axes = shape.size() - 2;
  SpatialParams spatial;
  if (kernel.empty() || call.attributes.has("kernel_shape")) {
    spatial.kernel = read_list(call, "kernel_shape", axes, 0);
    if (!kernel.empty() && spatial.kernel != kernel)
      fail(damaged("The kernel size does not match the weights."));
  } else {
    spatial.kernel = std::move(kernel);
  }
  spatial.stride = read_list(call, "strides", axes, 1);
  spatial.dilation = read_list(call, "dilations", axes, 1);
  for (size_t i = 0; i < axes; ++i) {
    if (spatial.kernel[i] < 1 || spatial.stride[i] < 1 || spatial.dilation[i] < 1)
      fail(damaged("A kernel's size, stride or dilation is 0."));
  }
  const std::string mode = call.attributes.text("auto_pad", "NOTSET");
  const List<int64_t> pads = read_list(call, "pads", 2 * axes, 0);
  spatial.pads = mode == "NOTSET" ? paired(pads) : List<int64_t>(2 * axes, 0);
  spatial.same = same == Same::mode && mode == "SAME_UPPER";
  if (!is_same(mode) && mode != "NOTSET" && mode != "VALID")
    fail(damaged("The padding (", mode, ") does not exist."));
  for (size_t i = 0; i < axes && is_same(mode) && !spatial.same; ++i)
    pad_same(spatial, i, shape[2 + i], mode == "SAME_UPPER");
  return spatial;
}

List<int64_t> place_output(Call& call, SpatialParams& spatial, const Dims& shape) {
  const size_t axes = spatial.kernel.size();
  List<int64_t> extra = read_list(call, "output_padding", axes, 0);
  const std::string mode = call.attributes.text("auto_pad", "NOTSET");
  if (!is_same(mode) && !call.attributes.has("output_shape")) return extra;
  const List<int64_t> wanted = read_list(call, "output_shape", axes, 0);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t size = shape[2 + i];
    if (size == kUnknown) fail(unsupported("The size of the image is not known."));
    const int64_t result = wanted[i] != 0 ? wanted[i] : size * spatial.stride[i];
    const int64_t full = (size - 1) * spatial.stride[i] + (spatial.kernel[i] - 1) * spatial.dilation[i] + 1;
    const int64_t total = full + extra[i] - result;
    extra[i] += std::max<int64_t>(-total, 0);
    place_pads(spatial, i, total, mode == "SAME_UPPER");
  }
  return extra;
}

TensorId as_image(Call& call, TensorId x) {
  if (call.rank(x) == 4) return x;
  if (call.rank(x) == 3) return call.unsqueeze(x, {2});
  fail(unsupported("The rank (", call.rank(x), ") is neither 3 nor 4."));
}

SpatialParams as_image(SpatialParams spatial) {
  if (spatial.kernel.size() > 1) return spatial;
  for (List<int64_t>* const list : {&spatial.kernel, &spatial.stride, &spatial.dilation})
    list->insert_at(0, 1);
  spatial.pads.insert(spatial.pads.begin(), 2, 0);
  return spatial;
}

TensorId from_image(Call& call, TensorId y, int64_t rank) { return rank == 4 ? y : call.squeeze(y, {2}); }

}  // namespace nnrt::import::onnx
