// Compile-time checks of the ABI: all enumerator values and structure layouts.
#include "core/graph/op.h"

#include <neural_network_runtime/neural_network_runtime.h>
#include <neural_network_runtime/nnrt_extensions.h>

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace nnrt {
namespace {

constexpr bool are_numbered_from(int first, std::initializer_list<int> values) {
  for (const int value : values) {
    if (value != first++) return false;
  }
  return true;
}

static_assert(are_numbered_from(0, {OH_NN_PERFORMANCE_NONE, OH_NN_PERFORMANCE_LOW, OH_NN_PERFORMANCE_MEDIUM,
                                    OH_NN_PERFORMANCE_HIGH, OH_NN_PERFORMANCE_EXTREME}));
static_assert(are_numbered_from(0, {OH_NN_PRIORITY_NONE, OH_NN_PRIORITY_LOW, OH_NN_PRIORITY_MEDIUM,
                                    OH_NN_PRIORITY_HIGH}));
static_assert(are_numbered_from(0, {OH_NN_SUCCESS, OH_NN_FAILED, OH_NN_INVALID_PARAMETER, OH_NN_MEMORY_ERROR,
                                    OH_NN_OPERATION_FORBIDDEN, OH_NN_NULL_PTR, OH_NN_INVALID_FILE,
                                    OH_NN_UNAVALIDABLE_DEVICE, OH_NN_INVALID_PATH, OH_NN_TIMEOUT,
                                    OH_NN_UNSUPPORTED, OH_NN_CONNECTION_EXCEPTION, OH_NN_SAVE_CACHE_EXCEPTION,
                                    OH_NN_DYNAMIC_SHAPE, OH_NN_UNAVAILABLE_DEVICE}));
static_assert(are_numbered_from(0, {OH_NN_FUSED_NONE, OH_NN_FUSED_RELU, OH_NN_FUSED_RELU6}));
static_assert(are_numbered_from(0,
                                {OH_NN_FORMAT_NONE, OH_NN_FORMAT_NCHW, OH_NN_FORMAT_NHWC, OH_NN_FORMAT_ND}));
static_assert(are_numbered_from(0, {OH_NN_OTHERS, OH_NN_CPU, OH_NN_GPU, OH_NN_ACCELERATOR}));
static_assert(are_numbered_from(0, {OH_NN_UNKNOWN, OH_NN_BOOL, OH_NN_INT8, OH_NN_INT16, OH_NN_INT32,
                                    OH_NN_INT64, OH_NN_UINT8, OH_NN_UINT16, OH_NN_UINT32, OH_NN_UINT64,
                                    OH_NN_FLOAT16, OH_NN_FLOAT32, OH_NN_FLOAT64}));

static_assert(sizeof(OH_NN_PerformanceMode) == sizeof(int) && sizeof(OH_NN_Priority) == sizeof(int) &&
              sizeof(OH_NN_ReturnCode) == sizeof(int) && sizeof(OH_NN_Format) == sizeof(int) &&
              sizeof(OH_NN_DeviceType) == sizeof(int) && sizeof(OH_NN_DataType) == sizeof(int) &&
              sizeof(OH_NN_OperationType) == sizeof(int) && sizeof(OH_NN_TensorType) == sizeof(int));
static_assert(std::is_same_v<std::underlying_type_t<OH_NN_FuseType>, int8_t>);

// These numbers are also parsed by the build (cmake/operator_list.cmake), which cannot evaluate expressions.
#define NNRT_OP(op, name, number) static_assert(OH_NN_OPS_##name == number && number == int(Op::op));
#include "core/graph/operators.inc"
#undef NNRT_OP
#define NNRT_TENSOR_TYPE(param, name, number) static_assert(OH_NN_##name == number);
#include "core/graph/tensor_types.inc"
#undef NNRT_TENSOR_TYPE

static_assert(sizeof(OH_NN_UInt32Array) == 16 && offsetof(OH_NN_UInt32Array, data) == 0 &&
              offsetof(OH_NN_UInt32Array, size) == 8);
static_assert(sizeof(OH_NN_QuantParam) == 32 && offsetof(OH_NN_QuantParam, quantCount) == 0 &&
              offsetof(OH_NN_QuantParam, numBits) == 8 && offsetof(OH_NN_QuantParam, scale) == 16 &&
              offsetof(OH_NN_QuantParam, zeroPoint) == 24);
static_assert(sizeof(OH_NN_Tensor) == 32 && offsetof(OH_NN_Tensor, dataType) == 0 &&
              offsetof(OH_NN_Tensor, dimensionCount) == 4 && offsetof(OH_NN_Tensor, dimensions) == 8 &&
              offsetof(OH_NN_Tensor, quantParam) == 16 && offsetof(OH_NN_Tensor, type) == 24);
static_assert(sizeof(OH_NN_Memory) == 16 && offsetof(OH_NN_Memory, data) == 0 &&
              offsetof(OH_NN_Memory, length) == 8);

}  // namespace
}  // namespace nnrt
