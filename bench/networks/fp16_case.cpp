#include "networks/fp16_case.h"

#include "core/base/fp16.h"

#include <cstring>

namespace bench {
namespace {

conformance::Bytes rounded(const conformance::Bytes& floats) {
  conformance::Bytes values(floats.size() / 2);
  for (size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    float value;
    std::memcpy(&value, &floats[i * sizeof(float)], sizeof value);
    const nnrt::Half half = nnrt::to_half(value);
    std::memcpy(&values[i * sizeof half], &half, sizeof half);
  }
  return values;
}

conformance::Bytes widened(const conformance::Bytes& halves) {
  conformance::Bytes values(halves.size() * 2);
  for (size_t i = 0; i < halves.size() / sizeof(nnrt::Half); ++i) {
    nnrt::Half half;
    std::memcpy(&half, &halves[i * sizeof half], sizeof half);
    const float value = nnrt::to_float(half);
    std::memcpy(&values[i * sizeof value], &value, sizeof value);
  }
  return values;
}

}  // namespace

conformance::Case with_fp16(conformance::Case network) {
  for (conformance::Tensor& tensor : network.tensors) {
    if (tensor.dataType != OH_NN_FLOAT32 || tensor.type != OH_NN_TENSOR) continue;
    tensor.dataType = OH_NN_FLOAT16;
    if (tensor.data) tensor.data = rounded(*tensor.data);
  }
  return network;
}

conformance::Case with_half_weights(conformance::Case network) {
  for (conformance::Tensor& tensor : network.tensors) {
    if (tensor.dataType == OH_NN_FLOAT32 && tensor.type == OH_NN_TENSOR && tensor.data)
      tensor.data = widened(rounded(*tensor.data));
  }
  return network;
}

}  // namespace bench
