// Compile-time checks of the ABI: enumerator values and structure layouts.
#include <android/NeuralNetworks.h>

#include <cstddef>
#include <initializer_list>

namespace nnrt::nnapi {
namespace {

constexpr bool are_numbered_from(int first, std::initializer_list<int> values) {
  for (const int value : values) {
    if (value != first++) return false;
  }
  return true;
}

static_assert(are_numbered_from(
    0, {ANEURALNETWORKS_NO_ERROR, ANEURALNETWORKS_OUT_OF_MEMORY, ANEURALNETWORKS_INCOMPLETE,
        ANEURALNETWORKS_UNEXPECTED_NULL, ANEURALNETWORKS_BAD_DATA, ANEURALNETWORKS_OP_FAILED,
        ANEURALNETWORKS_BAD_STATE, ANEURALNETWORKS_UNMAPPABLE, ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
        ANEURALNETWORKS_UNAVAILABLE_DEVICE, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
        ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT, ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT,
        ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT, ANEURALNETWORKS_DEAD_OBJECT}));
static_assert(are_numbered_from(27, {ANEURALNETWORKS_FEATURE_LEVEL_1, ANEURALNETWORKS_FEATURE_LEVEL_2,
                                     ANEURALNETWORKS_FEATURE_LEVEL_3, ANEURALNETWORKS_FEATURE_LEVEL_4,
                                     ANEURALNETWORKS_FEATURE_LEVEL_5}));
static_assert(are_numbered_from(1000006, {ANEURALNETWORKS_FEATURE_LEVEL_6, ANEURALNETWORKS_FEATURE_LEVEL_7,
                                          ANEURALNETWORKS_FEATURE_LEVEL_8}));
static_assert(are_numbered_from(0, {ANEURALNETWORKS_DEVICE_UNKNOWN, ANEURALNETWORKS_DEVICE_OTHER,
                                    ANEURALNETWORKS_DEVICE_CPU, ANEURALNETWORKS_DEVICE_GPU,
                                    ANEURALNETWORKS_DEVICE_ACCELERATOR}));
static_assert(are_numbered_from(0,
                                {ANEURALNETWORKS_PREFER_LOW_POWER, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER,
                                 ANEURALNETWORKS_PREFER_SUSTAINED_SPEED}));
static_assert(ANEURALNETWORKS_PRIORITY_LOW == 90 && ANEURALNETWORKS_PRIORITY_MEDIUM == 100 &&
              ANEURALNETWORKS_PRIORITY_HIGH == 110 && ANEURALNETWORKS_PRIORITY_DEFAULT == 100);
static_assert(are_numbered_from(0, {ANEURALNETWORKS_DURATION_ON_HARDWARE, ANEURALNETWORKS_DURATION_IN_DRIVER,
                                    ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE,
                                    ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER}));
static_assert(are_numbered_from(0, {ANEURALNETWORKS_FUSED_NONE, ANEURALNETWORKS_FUSED_RELU,
                                    ANEURALNETWORKS_FUSED_RELU1, ANEURALNETWORKS_FUSED_RELU6}));
static_assert(ANEURALNETWORKS_PADDING_SAME == 1 && ANEURALNETWORKS_PADDING_VALID == 2);
static_assert(are_numbered_from(0, {ANEURALNETWORKS_FLOAT32, ANEURALNETWORKS_INT32, ANEURALNETWORKS_UINT32,
                                    ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_INT32,
                                    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, ANEURALNETWORKS_BOOL,
                                    ANEURALNETWORKS_TENSOR_QUANT16_SYMM, ANEURALNETWORKS_TENSOR_FLOAT16,
                                    ANEURALNETWORKS_TENSOR_BOOL8, ANEURALNETWORKS_FLOAT16,
                                    ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
                                    ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, ANEURALNETWORKS_TENSOR_QUANT8_SYMM,
                                    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, ANEURALNETWORKS_MODEL}));
// Operation codes have no gaps; tests compare each with the golden cases.
static_assert(ANEURALNETWORKS_ADD == 0 && ANEURALNETWORKS_REVERSE == 105);
static_assert(sizeof(ANeuralNetworksOperationType) == 4);

static_assert(sizeof(ResultCode) == sizeof(int) && sizeof(OperandCode) == sizeof(int) &&
              sizeof(OperationCode) == sizeof(int));
static_assert(sizeof(ANeuralNetworksOperandType) == 24 && offsetof(ANeuralNetworksOperandType, type) == 0 &&
              offsetof(ANeuralNetworksOperandType, dimensionCount) == 4 &&
              offsetof(ANeuralNetworksOperandType, dimensions) == 8 &&
              offsetof(ANeuralNetworksOperandType, scale) == 16 &&
              offsetof(ANeuralNetworksOperandType, zeroPoint) == 20);
static_assert(sizeof(ANeuralNetworksSymmPerChannelQuantParams) == 16 &&
              offsetof(ANeuralNetworksSymmPerChannelQuantParams, channelDim) == 0 &&
              offsetof(ANeuralNetworksSymmPerChannelQuantParams, scaleCount) == 4 &&
              offsetof(ANeuralNetworksSymmPerChannelQuantParams, scales) == 8);

}  // namespace
}  // namespace nnrt::nnapi
