#include "tools/import/onnx/operators/onnx_spatial.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMax = std::numeric_limits<int32_t>::max();

void check_range(std::string_view what, int64_t value, int64_t min) {
  if (value >= min && value <= kMax) return;
  fail(damaged("The ", what, " (", value, ") is outside [", min, ", ", kMax, "]."));
}

void read_pads(Call& call, SpatialParams& spatial, int64_t rank) {
  const List<int64_t> pads = call.attributes.integers("pads");
  if (pads.empty()) return;
  const auto axes = static_cast<size_t>(rank - 2);
  if (pads.size() != 2 * axes) fail(damaged("The number of pads (", pads.size(), ") is not ", 2 * axes, "."));
  for (size_t i = 0; i < axes; ++i) {
    const size_t axis = i + 2 - axes;
    check_range("pad", pads[i], 0);
    check_range("pad", pads[axes + i], 0);
    spatial.pads[2 * axis] = pads[i];
    spatial.pads[2 * axis + 1] = pads[axes + i];
  }
}

}  // namespace

TensorId as_image(Call& call, TensorId x) {
  if (call.rank(x) == 4) return x;
  if (call.rank(x) == 3) return call.unsqueeze(x, {2});
  fail(unsupported("The rank (", call.rank(x), ") is neither 3 nor 4."));
}

TensorId from_image(Call& call, TensorId y, int64_t rank) { return rank == 4 ? y : call.squeeze(y, {2}); }

Pair read_pair(Call& call, std::string_view attribute, int64_t rank, int64_t fallback, int64_t lone) {
  const List<int64_t> values = call.attributes.integers(attribute);
  if (values.empty()) return rank == 3 ? Pair{lone, fallback} : Pair{fallback, fallback};
  if (static_cast<int64_t>(values.size()) != rank - 2)
    fail(damaged("The number of ", attribute, " (", values.size(), ") is not ", rank - 2, "."));
  for (const int64_t value : values) check_range(attribute, value, 0);
  return rank == 3 ? Pair{lone, values[0]} : Pair{values[0], values[1]};
}

SpatialParams read_spatial_params(Call& call, int64_t rank, std::optional<Pair> kernel) {
  SpatialParams spatial;
  spatial.kernel = read_pair(call, "kernel_shape", rank, 0, 1);
  if (kernel && spatial.kernel[1] == 0) spatial.kernel = *kernel;
  if (kernel && spatial.kernel != *kernel) fail(damaged("The kernel size does not match the weights."));
  spatial.stride = read_pair(call, "strides", rank, 1, 1);
  spatial.dilation = read_pair(call, "dilations", rank, 1, 1);
  for (size_t axis = 0; axis < 2; ++axis) {
    check_range("kernel's size", spatial.kernel[axis], 1);
    check_range("stride", spatial.stride[axis], 1);
    check_range("dilation", spatial.dilation[axis], 1);
  }
  read_pads(call, spatial, rank);
  return spatial;
}

void resolve_padding(Call& call, SpatialParams& spatial, const Dims& image) {
  const std::string mode = call.attributes.text("auto_pad", "NOTSET");
  if (mode == "NOTSET") return;
  spatial.pads = {};
  if (mode == "VALID") return;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") fail(damaged("The padding (", mode, ") does not exist."));
  spatial.same = mode == "SAME_UPPER";
  if (spatial.same) return;
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t size = image[2 + axis];
    if (size == kUnknown) fail(unsupported("SAME_LOWER for an image of unknown size is not supported."));
    const int64_t stride = spatial.stride[axis];
    const int64_t reach = (spatial.kernel[axis] - 1) * spatial.dilation[axis] + 1;
    const int64_t total = std::max<int64_t>(0, ((size + stride - 1) / stride - 1) * stride + reach - size);
    spatial.pads[2 * axis] = total - total / 2;
    spatial.pads[2 * axis + 1] = total / 2;
  }
}

}  // namespace nnrt::import::onnx
