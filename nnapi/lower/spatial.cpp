#include "nnapi/lower/spatial.h"

#include "core/base/text.h"

#include <android/NeuralNetworks.h>

#include <algorithm>

namespace nnrt::nnapi {

Settings SpatialKernel::settings() const {
  return {{Attr::stride, std::vector{stride[0], stride[1]}},
          {Attr::pad, std::vector{padding[0].before, padding[0].after, padding[1].before, padding[1].after}}};
}

void pad_by_code(Lowering& op, SpatialKernel& kernel, int64_t code, int64_t height, int64_t width) {
  if (code == ANEURALNETWORKS_PADDING_VALID) return;
  if (code != ANEURALNETWORKS_PADDING_SAME)
    return op.fail(invalid("The padding code (", code, ") is neither 1 nor 2."));
  const std::array<int64_t, 2> in{height, width};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t stride = std::max<int64_t>(kernel.stride[axis], 1);
    const int64_t reach = (kernel.size[axis] - 1) * kernel.dilation[axis] + 1;
    const int64_t out = (in[axis] - 1) / stride + 1;
    const int64_t total = std::max<int64_t>((out - 1) * stride + reach - in[axis], 0);
    kernel.padding[axis] = {total / 2, total - total / 2};
  }
}

void read_padding(Lowering& op, SpatialKernel& kernel, size_t first) {
  kernel.padding[1] = {op.integer(first), op.integer(first + 1)};
  kernel.padding[0] = {op.integer(first + 2), op.integer(first + 3)};
}

void read_strides(Lowering& op, SpatialKernel& kernel, size_t first) {
  kernel.stride = {op.integer(first + 1), op.integer(first)};
  for (const int64_t stride : kernel.stride) {
    if (stride < 1) op.fail(invalid("A stride (", stride, ") is below 1."));
  }
}

}  // namespace nnrt::nnapi
