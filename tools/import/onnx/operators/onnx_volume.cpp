#include "tools/import/onnx/operators/onnx_volume.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

// The sides of one dimension that give it ceil(size / stride) results.
Status pad_same(VolumeParams& volume, size_t axis, int64_t size, bool upper) {
  if (size == kUnknown) return unsupported("Padding of the kind SAME of an unknown size is not supported.");
  const int64_t stride = volume.stride[axis];
  const int64_t reach = (volume.kernel[axis] - 1) * volume.dilation[axis] + 1;
  const int64_t total = std::max<int64_t>(0, ((size + stride - 1) / stride - 1) * stride + reach - size);
  volume.pads[2 * axis] = upper ? total / 2 : total - total / 2;
  volume.pads[2 * axis + 1] = total - volume.pads[2 * axis];
  return {};
}

}  // namespace

std::vector<int64_t> paired(const std::vector<int64_t>& pads) {
  std::vector<int64_t> pairs;
  const size_t axes = pads.size() / 2;
  for (size_t i = 0; i < axes; ++i) pairs.insert(pairs.end(), {pads[i], pads[axes + i]});
  return pairs;
}

Result<std::vector<int64_t>> read_list(Call& call, std::string_view attribute, size_t count,
                                       int64_t fallback) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  std::vector<int64_t> values = call.attributes.integers(attribute);
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count)
    return damaged("The number of ", attribute, " (", values.size(), ") is not ", count, ".");
  for (const int64_t value : values) {
    if (value < 0 || value > kMax)
      return damaged("One of ", attribute, " (", value, ") is outside [0, ", kMax, "].");
  }
  return values;
}

Result<VolumeParams> read_volume_params(Call& call, const nnrt::Shape& shape, std::vector<int64_t> kernel) {
  if (shape.size() < 3) return damaged("The rank (", shape.size(), ") is below 3.");
  const size_t axes = shape.size() - 2;
  VolumeParams volume;
  if (kernel.empty() || call.attributes.has("kernel_shape")) {
    NNRT_ASSIGN(volume.kernel, read_list(call, "kernel_shape", axes, 0));
    if (!kernel.empty() && volume.kernel != kernel)
      return damaged("The kernel's size is not that of the weights.");
  }
  if (!kernel.empty()) volume.kernel = std::move(kernel);
  NNRT_ASSIGN(volume.stride, read_list(call, "strides", axes, 1));
  NNRT_ASSIGN(volume.dilation, read_list(call, "dilations", axes, 1));
  for (size_t i = 0; i < axes; ++i) {
    if (volume.kernel[i] < 1 || volume.stride[i] < 1 || volume.dilation[i] < 1)
      return damaged("A kernel's size, stride or dilation is 0.");
  }
  const std::string mode = call.attributes.text("auto_pad", "NOTSET");
  NNRT_ASSIGN(const std::vector<int64_t> pads, read_list(call, "pads", 2 * axes, 0));
  volume.pads = mode == "NOTSET" ? paired(pads) : std::vector<int64_t>(2 * axes, 0);
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    if (mode == "NOTSET" || mode == "VALID") return volume;
    return damaged("The padding (", mode, ") does not exist.");
  }
  for (size_t i = 0; i < axes; ++i) NNRT_TRY(pad_same(volume, i, shape[2 + i], mode == "SAME_UPPER"));
  return volume;
}

}  // namespace nnrt::import::onnx
