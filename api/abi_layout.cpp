// Proof of the ABI: every enumerator in the order of its number, every structure's layout. There is nothing
// here to run.
#include "core/graph/op.h"

#include <neural_network_runtime/neural_network_runtime.h>

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

// These numbers are read by the build, which is no compiler (cmake/operator_list.cmake).
#define NNRT_OP(op, name, number) static_assert(OH_NN_OPS_##name == number && number == int(Op::op));
#include "core/graph/operators.inc"
#undef NNRT_OP

static_assert(are_numbered_from(0, {OH_NN_TENSOR,
                                    OH_NN_ADD_ACTIVATIONTYPE,
                                    OH_NN_AVG_POOL_KERNEL_SIZE,
                                    OH_NN_AVG_POOL_STRIDE,
                                    OH_NN_AVG_POOL_PAD_MODE,
                                    OH_NN_AVG_POOL_PAD,
                                    OH_NN_AVG_POOL_ACTIVATION_TYPE,
                                    OH_NN_BATCH_NORM_EPSILON,
                                    OH_NN_BATCH_TO_SPACE_ND_BLOCKSIZE,
                                    OH_NN_BATCH_TO_SPACE_ND_CROPS,
                                    OH_NN_CONCAT_AXIS,
                                    OH_NN_CONV2D_STRIDES,
                                    OH_NN_CONV2D_PAD,
                                    OH_NN_CONV2D_DILATION,
                                    OH_NN_CONV2D_PAD_MODE,
                                    OH_NN_CONV2D_ACTIVATION_TYPE,
                                    OH_NN_CONV2D_GROUP,
                                    OH_NN_CONV2D_TRANSPOSE_STRIDES,
                                    OH_NN_CONV2D_TRANSPOSE_PAD,
                                    OH_NN_CONV2D_TRANSPOSE_DILATION,
                                    OH_NN_CONV2D_TRANSPOSE_OUTPUT_PADDINGS,
                                    OH_NN_CONV2D_TRANSPOSE_PAD_MODE,
                                    OH_NN_CONV2D_TRANSPOSE_ACTIVATION_TYPE,
                                    OH_NN_CONV2D_TRANSPOSE_GROUP,
                                    OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES,
                                    OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD,
                                    OH_NN_DEPTHWISE_CONV2D_NATIVE_DILATION,
                                    OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE,
                                    OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE,
                                    OH_NN_DIV_ACTIVATIONTYPE,
                                    OH_NN_ELTWISE_MODE,
                                    OH_NN_FULL_CONNECTION_AXIS,
                                    OH_NN_FULL_CONNECTION_ACTIVATIONTYPE,
                                    OH_NN_MATMUL_TRANSPOSE_A,
                                    OH_NN_MATMUL_TRANSPOSE_B,
                                    OH_NN_MATMUL_ACTIVATION_TYPE,
                                    OH_NN_MAX_POOL_KERNEL_SIZE,
                                    OH_NN_MAX_POOL_STRIDE,
                                    OH_NN_MAX_POOL_PAD_MODE,
                                    OH_NN_MAX_POOL_PAD,
                                    OH_NN_MAX_POOL_ACTIVATION_TYPE,
                                    OH_NN_MUL_ACTIVATION_TYPE,
                                    OH_NN_ONE_HOT_AXIS,
                                    OH_NN_PAD_CONSTANT_VALUE,
                                    OH_NN_SCALE_ACTIVATIONTYPE,
                                    OH_NN_SCALE_AXIS,
                                    OH_NN_SOFTMAX_AXIS,
                                    OH_NN_SPACE_TO_BATCH_ND_BLOCK_SHAPE,
                                    OH_NN_SPACE_TO_BATCH_ND_PADDINGS,
                                    OH_NN_SPLIT_AXIS,
                                    OH_NN_SPLIT_OUTPUT_NUM,
                                    OH_NN_SPLIT_SIZE_SPLITS,
                                    OH_NN_SQUEEZE_AXIS,
                                    OH_NN_STACK_AXIS,
                                    OH_NN_STRIDED_SLICE_BEGIN_MASK,
                                    OH_NN_STRIDED_SLICE_END_MASK,
                                    OH_NN_STRIDED_SLICE_ELLIPSIS_MASK,
                                    OH_NN_STRIDED_SLICE_NEW_AXIS_MASK,
                                    OH_NN_STRIDED_SLICE_SHRINK_AXIS_MASK,
                                    OH_NN_SUB_ACTIVATIONTYPE,
                                    OH_NN_REDUCE_MEAN_KEEP_DIMS,
                                    OH_NN_RESIZE_BILINEAR_NEW_HEIGHT,
                                    OH_NN_RESIZE_BILINEAR_NEW_WIDTH,
                                    OH_NN_RESIZE_BILINEAR_PRESERVE_ASPECT_RATIO,
                                    OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE,
                                    OH_NN_RESIZE_BILINEAR_EXCLUDE_OUTSIDE,
                                    OH_NN_LAYER_NORM_BEGIN_NORM_AXIS,
                                    OH_NN_LAYER_NORM_EPSILON,
                                    OH_NN_LAYER_NORM_BEGIN_PARAM_AXIS,
                                    OH_NN_LAYER_NORM_ELEMENTWISE_AFFINE,
                                    OH_NN_REDUCE_PROD_KEEP_DIMS,
                                    OH_NN_REDUCE_ALL_KEEP_DIMS,
                                    OH_NN_QUANT_DTYPE_CAST_SRC_T,
                                    OH_NN_QUANT_DTYPE_CAST_DST_T,
                                    OH_NN_TOP_K_SORTED,
                                    OH_NN_ARG_MAX_AXIS,
                                    OH_NN_ARG_MAX_KEEPDIMS,
                                    OH_NN_UNSQUEEZE_AXIS,
                                    OH_NN_UNSTACK_AXIS,
                                    OH_NN_FLATTEN_AXIS,
                                    OH_NN_DEPTH_TO_SPACE_BLOCK_SIZE,
                                    OH_NN_DEPTH_TO_SPACE_MODE,
                                    OH_NN_RANGE_START,
                                    OH_NN_RANGE_LIMIT,
                                    OH_NN_RANGE_DELTA,
                                    OH_NN_CONSTANT_OF_SHAPE_DATA_TYPE,
                                    OH_NN_CONSTANT_OF_SHAPE_VALUE,
                                    OH_NN_BROADCAST_TO_SHAPE,
                                    OH_NN_INSTANCE_NORM_EPSILON,
                                    OH_NN_EXP_BASE,
                                    OH_NN_EXP_SCALE,
                                    OH_NN_EXP_SHIFT,
                                    OH_NN_LEAKY_RELU_NEGATIVE_SLOPE,
                                    OH_NN_LSTM_BIDIRECTIONAL,
                                    OH_NN_LSTM_HAS_BIAS,
                                    OH_NN_LSTM_INPUT_SIZE,
                                    OH_NN_LSTM_HIDDEN_SIZE,
                                    OH_NN_LSTM_NUM_LAYERS,
                                    OH_NN_LSTM_NUM_DIRECTIONS,
                                    OH_NN_LSTM_DROPOUT,
                                    OH_NN_LSTM_ZONEOUT_CELL,
                                    OH_NN_LSTM_ZONEOUT_HIDDEN,
                                    OH_NN_LSTM_PROJ_SIZE,
                                    OH_NN_CLIP_MAX,
                                    OH_NN_CLIP_MIN,
                                    OH_NN_ALL_KEEP_DIMS,
                                    OH_NN_ASSERT_SUMMARIZE,
                                    OH_NN_POW_SCALE,
                                    OH_NN_POW_SHIFT,
                                    OH_NN_AVG_POOL_ROUND_MODE,
                                    OH_NN_AVG_POOL_GLOBAL,
                                    OH_NN_FULL_CONNECTION_HAS_BIAS,
                                    OH_NN_FULL_CONNECTION_USE_AXIS,
                                    OH_NN_GELU_APPROXIMATE,
                                    OH_NN_MAX_POOL_ROUND_MODE,
                                    OH_NN_MAX_POOL_GLOBAL,
                                    OH_NN_PAD_PADDING_MODE,
                                    OH_NN_REDUCE_MEAN_REDUCE_TO_END,
                                    OH_NN_REDUCE_MEAN_COEFF,
                                    OH_NN_REDUCE_PROD_REDUCE_TO_END,
                                    OH_NN_REDUCE_PROD_COEFF,
                                    OH_NN_REDUCE_ALL_REDUCE_TO_END,
                                    OH_NN_REDUCE_ALL_COEFF,
                                    OH_NN_TOP_K_AXIS,
                                    OH_NN_ARG_MAX_TOP_K,
                                    OH_NN_ARG_MAX_OUT_MAX_VALUE,
                                    OH_NN_QUANT_DTYPE_CAST_AXIS,
                                    OH_NN_SLICE_AXES,
                                    OH_NN_TILE_DIMS,
                                    OH_NN_CROP_AXIS,
                                    OH_NN_CROP_OFFSET,
                                    OH_NN_DETECTION_POST_PROCESS_INPUT_SIZE,
                                    OH_NN_DETECTION_POST_PROCESS_SCALE,
                                    OH_NN_DETECTION_POST_PROCESS_NMS_IOU_THRESHOLD,
                                    OH_NN_DETECTION_POST_PROCESS_NMS_SCORE_THRESHOLD,
                                    OH_NN_DETECTION_POST_PROCESS_MAX_DETECTIONS,
                                    OH_NN_DETECTION_POST_PROCESS_DETECTIONS_PER_CLASS,
                                    OH_NN_DETECTION_POST_PROCESS_MAX_CLASSES_PER_DETECTION,
                                    OH_NN_DETECTION_POST_PROCESS_NUM_CLASSES,
                                    OH_NN_DETECTION_POST_PROCESS_USE_REGULAR_NMS,
                                    OH_NN_DETECTION_POST_PROCESS_OUT_QUANTIZED,
                                    OH_NN_L2_NORMALIZE_AXIS,
                                    OH_NN_L2_NORMALIZE_EPSILON,
                                    OH_NN_L2_NORMALIZE_ACTIVATION_TYPE,
                                    OH_NN_LOG_SOFTMAX_AXIS,
                                    OH_NN_LRN_DEPTH_RADIUS,
                                    OH_NN_LRN_BIAS,
                                    OH_NN_LRN_ALPHA,
                                    OH_NN_LRN_BETA,
                                    OH_NN_LRN_NORM_REGION,
                                    OH_NN_SPACE_TO_DEPTH_BLOCK_SIZE,
                                    OH_NN_REDUCE_MAX_KEEP_DIMS,
                                    OH_NN_REDUCE_MAX_REDUCE_TO_END,
                                    OH_NN_REDUCE_MAX_COEFF,
                                    OH_NN_REDUCE_MIN_KEEP_DIMS,
                                    OH_NN_REDUCE_MIN_REDUCE_TO_END,
                                    OH_NN_REDUCE_MIN_COEFF,
                                    OH_NN_REDUCE_SUM_KEEP_DIMS,
                                    OH_NN_REDUCE_SUM_REDUCE_TO_END,
                                    OH_NN_REDUCE_SUM_COEFF,
                                    OH_NN_REDUCE_L2_KEEP_DIMS,
                                    OH_NN_REDUCE_L2_REDUCE_TO_END,
                                    OH_NN_REDUCE_L2_COEFF}));

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
