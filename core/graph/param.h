// Parameters, named and numbered as in OH_NN_TensorType: the build generates tensor_types.inc from the API
// headers, with a line NNRT_TENSOR_TYPE(clip_max, CLIP_MAX, 103) per type.
#pragma once

#include <string_view>

namespace nnrt {

// `tensor` is data, not a parameter.
enum class Param : int {
#define NNRT_TENSOR_TYPE(param, name, number) param = number,
#include "core/graph/tensor_types.inc"
#undef NNRT_TENSOR_TYPE
};

// "OH_NN_CLIP_MAX"; empty if the number is not an OH_NN_TensorType.
std::string_view name(Param param);

}  // namespace nnrt
