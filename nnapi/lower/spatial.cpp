#include "nnapi/lower/spatial.h"

#include "core/base/text.h"

#include <android/NeuralNetworks.h>

namespace nnrt::nnapi {

Settings SpatialKernel::settings() const {
  const AttrSetting strides(Attr::stride, stride);
  if (same) return {strides, {Attr::pad_mode, 0}};
  return {strides, {Attr::pad, {padding[0].before, padding[0].after, padding[1].before, padding[1].after}}};
}

void read_padding_code(Lowering& op, SpatialKernel& kernel, size_t i) {
  const int64_t code = op.integer(i);
  kernel.same = code == ANEURALNETWORKS_PADDING_SAME;
  if (!kernel.same && code != ANEURALNETWORKS_PADDING_VALID)
    op.fail(invalid("The padding code (", code, ") is neither 1 nor 2."));
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
