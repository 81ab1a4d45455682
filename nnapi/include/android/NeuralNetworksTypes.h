/**
 * @file NeuralNetworksTypes.h
 *
 * Types of the Neural Networks API: result codes, operand types, operations, and handles. Usable from C11 and
 * C++17.
 *
 * "Level n" is the feature level that introduced a declaration; without it, level 27. See FeatureLevelCode.
 */
#ifndef ANDROID_NEURAL_NETWORKS_TYPES_H
#define ANDROID_NEURAL_NETWORKS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result codes. */
typedef enum {
  /** Success. */
  ANEURALNETWORKS_NO_ERROR = 0,
  /** Memory, threads or file descriptors are exhausted. */
  ANEURALNETWORKS_OUT_OF_MEMORY = 1,
  /** Required information is missing. */
  ANEURALNETWORKS_INCOMPLETE = 2,
  /** A required pointer is NULL. */
  ANEURALNETWORKS_UNEXPECTED_NULL = 3,
  /** An argument, a model or a type is invalid, or not supported. */
  ANEURALNETWORKS_BAD_DATA = 4,
  /** A computation failed: an operation found an invalid value or shape, or a device failed. */
  ANEURALNETWORKS_OP_FAILED = 5,
  /** The function may not be called in the object's current state. */
  ANEURALNETWORKS_BAD_STATE = 6,
  /** The memory cannot be mapped. */
  ANEURALNETWORKS_UNMAPPABLE = 7,
  /** The buffer of an output is too small. Level 29. */
  ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE = 8,
  /** The device is no longer available. Level 29. */
  ANEURALNETWORKS_UNAVAILABLE_DEVICE = 9,
  /** A deadline was missed; the same call may succeed later. Level 30. */
  ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT = 10,
  /** A deadline was missed, and the same call will miss it again. Level 30. */
  ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT = 11,
  /** The device is temporarily out of resources. Level 30. */
  ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT = 12,
  /** The device does not have enough resources. Level 30. */
  ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT = 13,
  /** The driver crashed. Level 30. */
  ANEURALNETWORKS_DEAD_OBJECT = 14
} ResultCode;

/** Feature levels of the library and of devices; each includes the lower ones. Level 31. */
typedef enum {
  ANEURALNETWORKS_FEATURE_LEVEL_1 = 27,
  ANEURALNETWORKS_FEATURE_LEVEL_2 = 28,
  ANEURALNETWORKS_FEATURE_LEVEL_3 = 29,
  ANEURALNETWORKS_FEATURE_LEVEL_4 = 30,
  ANEURALNETWORKS_FEATURE_LEVEL_5 = 31,
  ANEURALNETWORKS_FEATURE_LEVEL_6 = 1000006,
  ANEURALNETWORKS_FEATURE_LEVEL_7 = 1000007,
  ANEURALNETWORKS_FEATURE_LEVEL_8 = 1000008
} FeatureLevelCode;

/** Device types. Level 29. */
typedef enum {
  /** Not reported. */
  ANEURALNETWORKS_DEVICE_UNKNOWN = 0,
  /** None of the others. */
  ANEURALNETWORKS_DEVICE_OTHER = 1,
  /** A CPU; also a software Vulkan driver. */
  ANEURALNETWORKS_DEVICE_CPU = 2,
  /** A GPU. */
  ANEURALNETWORKS_DEVICE_GPU = 3,
  /** A dedicated accelerator for neural networks. */
  ANEURALNETWORKS_DEVICE_ACCELERATOR = 4
} DeviceTypeCode;

/** Expected use of a compiled model. A hint; it never changes results. */
typedef enum {
  /** Saves power. */
  ANEURALNETWORKS_PREFER_LOW_POWER = 0,
  /** Single answers with low latency. The default. */
  ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER = 1,
  /** Continuous throughput, as for video. */
  ANEURALNETWORKS_PREFER_SUSTAINED_SPEED = 2
} PreferenceCode;

/** Priority of a compilation among those of this process. Level 30. */
typedef enum {
  ANEURALNETWORKS_PRIORITY_LOW = 90,
  ANEURALNETWORKS_PRIORITY_MEDIUM = 100,
  ANEURALNETWORKS_PRIORITY_HIGH = 110,
  ANEURALNETWORKS_PRIORITY_DEFAULT = ANEURALNETWORKS_PRIORITY_MEDIUM
} PriorityCode;

/** Durations of a computation, in nanoseconds. Level 29. */
typedef enum {
  /** Time on the device. */
  ANEURALNETWORKS_DURATION_ON_HARDWARE = 0,
  /** Time in the driver, including that on the device. */
  ANEURALNETWORKS_DURATION_IN_DRIVER = 1,
  /** As DURATION_ON_HARDWARE, counted from when all dependencies were signaled. Level 30. */
  ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE = 2,
  /** As DURATION_IN_DRIVER, counted from when all dependencies were signaled. Level 30. */
  ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER = 3
} DurationCode;

/** Fused activations, applied to the dequantized result before it is quantized. */
typedef enum {
  ANEURALNETWORKS_FUSED_NONE = 0,
  /** max(x, 0). */
  ANEURALNETWORKS_FUSED_RELU = 1,
  /** min(max(x, -1), 1). */
  ANEURALNETWORKS_FUSED_RELU1 = 2,
  /** min(max(x, 0), 6). */
  ANEURALNETWORKS_FUSED_RELU6 = 3
} FuseCode;

/** Implicit padding of convolutions and pooling. */
typedef enum {
  /** The output has ceil(input / stride) elements; an odd remainder is padded at the end. */
  ANEURALNETWORKS_PADDING_SAME = 1,
  /** No padding. */
  ANEURALNETWORKS_PADDING_VALID = 2
} PaddingCode;

/** Limits for operand values. */
enum {
  /** Values up to this size are copied by ANeuralNetworksModel_setOperandValue. */
  ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES = 128
};

/** Caches of compilations. Level 29. */
enum {
  /** Size of the token of ANeuralNetworksCompilation_setCaching. */
  ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN = 32
};

/**
 * Operand types. Scalars have no dimensions. A tensor dimension of 0 is unknown until the model runs; a
 * tensor without dimensions has unknown rank (since level 29). Tensors are dense and row-major, in the byte
 * order of the machine.
 */
typedef enum {
  /** A 32-bit float. */
  ANEURALNETWORKS_FLOAT32 = 0,
  /** A signed 32-bit integer. */
  ANEURALNETWORKS_INT32 = 1,
  /** An unsigned 32-bit integer. Not used by any operation. */
  ANEURALNETWORKS_UINT32 = 2,
  /** 32-bit floats. */
  ANEURALNETWORKS_TENSOR_FLOAT32 = 3,
  /** Signed 32-bit integers; for a bias, number = value * scale. */
  ANEURALNETWORKS_TENSOR_INT32 = 4,
  /** Bytes: number = (value - zeroPoint) * scale, scale > 0, zeroPoint 0 to 255. */
  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM = 5,
  /** A byte, 0 or 1. Level 29, like the following ones. */
  ANEURALNETWORKS_BOOL = 6,
  /** Signed 16-bit integers: number = value * scale, scale > 0. */
  ANEURALNETWORKS_TENSOR_QUANT16_SYMM = 7,
  /** 16-bit floats. */
  ANEURALNETWORKS_TENSOR_FLOAT16 = 8,
  /** Bytes: 0 is false, anything else true; results are 0 or 1. */
  ANEURALNETWORKS_TENSOR_BOOL8 = 9,
  /** A 16-bit float. */
  ANEURALNETWORKS_FLOAT16 = 10,
  /** Signed bytes: number = value * scales[index along channelDim]. See
   *  ANeuralNetworksModel_setOperandSymmPerChannelQuantParams. */
  ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
  /** Unsigned 16-bit integers: number = (value - zeroPoint) * scale, scale > 0, zeroPoint 0 to 65535. */
  ANEURALNETWORKS_TENSOR_QUANT16_ASYMM = 12,
  /** Signed bytes: number = value * scale, scale > 0. */
  ANEURALNETWORKS_TENSOR_QUANT8_SYMM = 13,
  /** Signed bytes: number = (value - zeroPoint) * scale, scale > 0, zeroPoint -128 to 127. Level 30. */
  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED = 14,
  /** A model, for IF and WHILE. Level 30. */
  ANEURALNETWORKS_MODEL = 15
} OperandCode;

/**
 * Operations. The comments list inputs -> outputs: tensors by lower-case names with dimensions in brackets,
 * scalars by type. FLOAT is FLOAT16 if the tensors are TENSOR_FLOAT16, otherwise FLOAT32. Trailing operands
 * marked with ? may be omitted. The allowed types of the first tensor follow: float (TENSOR_FLOAT32, since
 * level 29 TENSOR_FLOAT16), int32 (TENSOR_INT32), bool (TENSOR_BOOL8), quant8 (TENSOR_QUANT8_ASYMM, since
 * level 30 TENSOR_QUANT8_ASYMM_SIGNED). "fuse" is an INT32 FuseCode. "nchw" (since level 29) is a BOOL: true
 * if images are [batch, channels, height, width] instead of [batch, height, width, channels]. Negative axes
 * count from the end.
 */
typedef enum {
  /** a, b, fuse -> a + b. Float, quant8, int32 (level 30). Broadcasts; up to rank 4. */
  ANEURALNETWORKS_ADD = 0,
  /** Mean of the elements of each window that lie inside. x [b, h, w, c]; explicitly: INT32 padding left,
   *  right, top, bottom; or implicitly: INT32 of PaddingCode; then INT32 stride width, stride height, filter
   *  width, filter height, fuse, nchw? -> y. Float, quant8. */
  ANEURALNETWORKS_AVERAGE_POOL_2D = 1,
  /** One or more tensors, INT32 axis (from 0) -> one tensor. Float, quant8; up to rank 4. */
  ANEURALNETWORKS_CONCATENATION = 2,
  /** x [b, h, w, in]; filter [out, fh, fw, in]; bias [out]; padding as AVERAGE_POOL_2D; INT32 stride width,
   *  stride height; fuse; nchw?; INT32 dilation width?, dilation height? -> y. Float, quant8; the filter of
   *  quant8 may be TENSOR_QUANT8_SYMM_PER_CHANNEL along dimension 0, its bias is int32. */
  ANEURALNETWORKS_CONV_2D = 3,
  /** As CONV_2D with a filter [1, fh, fw, out], channels along dimension 3, and an INT32 multiplier
   *  (out = in * multiplier) after the strides. */
  ANEURALNETWORKS_DEPTHWISE_CONV_2D = 4,
  /** x [b, h, w, c], INT32 block, nchw? -> [b, h * block, w * block, c / block / block]. Float, quant8. */
  ANEURALNETWORKS_DEPTH_TO_SPACE = 5,
  /** A quantized tensor -> float, the dequantized values. TENSOR_QUANT8_ASYMM; since level 29 also
   *  TENSOR_QUANT8_SYMM and TENSOR_QUANT8_SYMM_PER_CHANNEL, since 30 TENSOR_QUANT8_ASYMM_SIGNED. */
  ANEURALNETWORKS_DEQUANTIZE = 6,
  /** int32 lookups [k], values [n, ...] -> [k, ...]. Float, int32, quant8. */
  ANEURALNETWORKS_EMBEDDING_LOOKUP = 7,
  /** x -> x rounded down to an integer. Float. */
  ANEURALNETWORKS_FLOOR = 8,
  /** x, flattened to [batch, n]; weights [units, n]; bias [units]; fuse -> [batch, units]. Float, quant8. */
  ANEURALNETWORKS_FULLY_CONNECTED = 9,
  /** int32 lookups [k]; int32 keys [n], ascending; values [n, ...] -> [k, ...], zeros where no key is equal;
   *  TENSOR_QUANT8_ASYMM hits [k], 1 or 0. TENSOR_FLOAT32, int32, TENSOR_QUANT8_ASYMM. */
  ANEURALNETWORKS_HASHTABLE_LOOKUP = 10,
  /** x, INT32 axis? (-1; level 29) -> x / sqrt(sum of squares along the axis). Float, quant8. */
  ANEURALNETWORKS_L2_NORMALIZATION = 11,
  /** As AVERAGE_POOL_2D: sqrt(mean of squares). Float. */
  ANEURALNETWORKS_L2_POOL_2D = 12,
  /** x, INT32 radius, FLOAT bias, FLOAT alpha, FLOAT beta, INT32 axis? (-1; level 29) -> x / (bias + alpha *
   *  sum of squares over the radius)^beta. Float. */
  ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION = 13,
  /** x -> 1 / (1 + exp(-x)). Float, quant8 (output scale 1/256). */
  ANEURALNETWORKS_LOGISTIC = 14,
  /** seeds [hashes, bits]; items [n, ...] of any type; weights [n] or omitted; INT32 1, 2 (dense) or 3
   *  (sparse) -> int32 [hashes * bits] if dense, [hashes] if sparse. Float. */
  ANEURALNETWORKS_LSH_PROJECTION = 15,
  /** One step of a long short-term memory. x [b, n]; weights of input, forget, cell, output gate [u, n];
   *  recurrent weights [u, o]; peephole weights of input, forget, output gate [u], may be omitted; biases
   * [u]; projection [o, u] and its bias [o], may be omitted; output state [b, o]; cell state [b, u]; INT32
   *  activation (0 none, 1 relu, 3 relu6, 4 tanh, 6 sigmoid); FLOAT cell clip, projection clip (0: none);
   * four weights of layer normalization [u]? (level 29) -> scratch; output state; cell state; output. Weights
   * and bias of the input gate are omitted where it is coupled with the forget gate. Float. */
  ANEURALNETWORKS_LSTM = 16,
  /** As AVERAGE_POOL_2D: the largest element. */
  ANEURALNETWORKS_MAX_POOL_2D = 17,
  /** As ADD: a * b. */
  ANEURALNETWORKS_MUL = 18,
  /** x -> max(x, 0). Float, quant8. */
  ANEURALNETWORKS_RELU = 19,
  /** x -> min(max(x, -1), 1). Float, quant8. */
  ANEURALNETWORKS_RELU1 = 20,
  /** x -> min(max(x, 0), 6). Float, quant8. */
  ANEURALNETWORKS_RELU6 = 21,
  /**
   * x, int32 dimensions [k], one of which may be -1 -> x in this shape. Float, quant8, int32 (level 1000006).
   */
  ANEURALNETWORKS_RESHAPE = 22,
  /** x [b, h, w, c]; width, height: both INT32, the size, or both FLOAT, the factors (level 29); nchw?; BOOL
   *  align corners?, BOOL half pixel centers? (level 30) -> y. Float, quant8. */
  ANEURALNETWORKS_RESIZE_BILINEAR = 23,
  /** x [b, n]; weights [u, n]; recurrent weights [u, u]; bias [u]; state [b, u]; fuse -> state; output.
   * Float.
   */
  ANEURALNETWORKS_RNN = 24,
  /** x, FLOAT beta (FLOAT32 for quant8), INT32 axis? (-1; level 29) -> exp(beta * x) / their sum. Float,
   *  quant8 (output scale 1/256); up to rank 4. */
  ANEURALNETWORKS_SOFTMAX = 25,
  /** The inverse of DEPTH_TO_SPACE. */
  ANEURALNETWORKS_SPACE_TO_DEPTH = 26,
  /** x [b, n]; feature weights [f, n]; time weights [f, m]; bias [u] or omitted; state [b, f * m]; INT32 rank
   *  (f = u * rank); fuse -> state; output [b, u]. Float. */
  ANEURALNETWORKS_SVDF = 27,
  /** x -> tanh(x). Float, quant8 (output scale 1/128). */
  ANEURALNETWORKS_TANH = 28,
  /** x [b, h, w, c]; int32 block [2]; nchw? -> blocks moved from the batch into height and width. Float,
   *  quant8. Level 28, as those that follow. */
  ANEURALNETWORKS_BATCH_TO_SPACE_ND = 29,
  /** As ADD: a / b. Float, int32 (level 30, rounded down). */
  ANEURALNETWORKS_DIV = 30,
  /** x, int32 axes, INT32 keep dimensions -> mean. Float, quant8; up to rank 4. */
  ANEURALNETWORKS_MEAN = 31,
  /** x, int32 [rank, 2] padding before and after each dimension -> x padded with zeros. Float, quant8. */
  ANEURALNETWORKS_PAD = 32,
  /** x [b, h, w, c]; int32 block [2]; int32 padding [2, 2]; nchw? -> the inverse of BATCH_TO_SPACE_ND. */
  ANEURALNETWORKS_SPACE_TO_BATCH_ND = 33,
  /** x, int32 axes? -> x without these axes, or without all axes, of size 1. Float, quant8. */
  ANEURALNETWORKS_SQUEEZE = 34,
  /** x; int32 begin, end, strides [rank]; INT32 masks of begin, end, and of axes to drop -> a part. Float,
   *  quant8; up to rank 4. */
  ANEURALNETWORKS_STRIDED_SLICE = 35,
  /** As ADD: a - b. Quant8 since level 29. */
  ANEURALNETWORKS_SUB = 36,
  /** x, int32 permutation [rank]? (reversed) -> x with its axes in this order. Float, quant8; up to rank 4.
   */
  ANEURALNETWORKS_TRANSPOSE = 37,
  /** x -> |x|. Float, int32 (level 30). Level 29, as those that follow. */
  ANEURALNETWORKS_ABS = 38,
  /** x, INT32 axis -> int32 index of the largest element. Float, int32, quant8. */
  ANEURALNETWORKS_ARGMAX = 39,
  /** As ARGMAX, for the smallest element. */
  ANEURALNETWORKS_ARGMIN = 40,
  /** Boxes [n, 4]; deltas [n, classes * 4]; int32 batch index [n]; image sizes [b, 2] -> boxes [n, classes *
   *  4]. Float, or TENSOR_QUANT16_ASYMM of scale 1/8 with quant8 deltas. */
  ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM = 41,
  /** 61 inputs: x; weights and states of two LSTM that read it in opposite directions; an auxiliary input and
   *  its weights; INT32 activation; FLOAT clips; BOOL merge outputs, time major; layer normalization. ->
   * forward output; backward output unless merged; since level 30 also the four final states, or none. Float.
   */
  ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM = 42,
  /** 15 inputs: x; weights, recurrent weights, bias, state, forward and then backward; an auxiliary input and
   *  its two weights; fuse; BOOL time major, merge outputs. -> forward output; backward output unless merged;
   *  since level 30 also both final states, or none. Float. */
  ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN = 43,
  /** scores [n, classes]; boxes [n, classes * 4]; int32 batch index [n]; FLOAT score threshold; INT32 most
   *  detections (negative: all); INT32 kernel 0 hard, 1 linear, 2 gaussian; FLOAT overlap threshold, sigma,
   *  NMS score threshold -> scores [k]; boxes [k, 4]; int32 class [k]; int32 batch index [k]. Float, quant8
   *  with boxes TENSOR_QUANT16_ASYMM. */
  ANEURALNETWORKS_BOX_WITH_NMS_LIMIT = 44,
  /** A tensor -> its numbers in another type: float, int32, TENSOR_QUANT8_ASYMM. Level 30: any other type of
   *  tensor to the same. */
  ANEURALNETWORKS_CAST = 45,
  /** x, INT32 groups, INT32 axis -> channels interleaved. Float, quant8; up to rank 4. */
  ANEURALNETWORKS_CHANNEL_SHUFFLE = 46,
  /** scores [b, anchors, classes]; deltas [b, anchors, >= 4]; anchors [anchors, 4]; FLOAT scale y, x, height,
   *  width; BOOL regular NMS; INT32 most detections, most classes a detection, most detections a class; FLOAT
   *  score threshold, overlap threshold; BOOL whether classes count the background -> scores [b, m]; boxes
   *  [b, m, 4]; int32 class [b, m]; int32 count [b]. Float. */
  ANEURALNETWORKS_DETECTION_POSTPROCESSING = 47,
  /** a, b -> bool a == b. Bool, float, int32, quant8. Broadcasts. */
  ANEURALNETWORKS_EQUAL = 48,
  /** x -> exp(x). Float. */
  ANEURALNETWORKS_EXP = 49,
  /** x, INT32 axis -> x with a new axis of size 1 at this position. Float, int32, quant8. */
  ANEURALNETWORKS_EXPAND_DIMS = 50,
  /** x, INT32 axis, int32 indices -> the slices of x at the indices. Float, int32, quant8. */
  ANEURALNETWORKS_GATHER = 51,
  /** scores [b, h, w, anchors]; deltas [b, h, w, anchors * 4]; anchors [anchors, 4]; image sizes [b, 2];
   * FLOAT stride height, width; INT32 most before and after NMS; FLOAT overlap threshold, least size; BOOL
   * nchw -> scores [k]; boxes [k, 4]; int32 batch index [k]. Float, quant8 with anchors TENSOR_QUANT16_SYMM.
   */
  ANEURALNETWORKS_GENERATE_PROPOSALS = 52,
  /** As EQUAL: a > b. */
  ANEURALNETWORKS_GREATER = 53,
  /** As EQUAL: a >= b. */
  ANEURALNETWORKS_GREATER_EQUAL = 54,
  /** As CONV_2D without dilations, with INT32 groups after the strides and nchw required; filter [out, fh,
   * fw, in / groups]. */
  ANEURALNETWORKS_GROUPED_CONV_2D = 55,
  /** heatmaps [n, s, s, keypoints]; boxes [n, 4]; BOOL nchw -> scores [n, keypoints]; keypoints [n,
   * keypoints, 2]. Float, quant8 with boxes TENSOR_QUANT16_ASYMM. */
  ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT = 56,
  /** x [b, h, w, c]; FLOAT gamma, beta, epsilon; BOOL nchw -> (x - mean) * gamma / sqrt(variance + epsilon) +
   *  beta over height and width. Float. */
  ANEURALNETWORKS_INSTANCE_NORMALIZATION = 57,
  /** As EQUAL: a < b. */
  ANEURALNETWORKS_LESS = 58,
  /** As EQUAL: a <= b. */
  ANEURALNETWORKS_LESS_EQUAL = 59,
  /** x -> natural logarithm. Float. */
  ANEURALNETWORKS_LOG = 60,
  /** a, b -> a and b. Bool. Broadcasts. */
  ANEURALNETWORKS_LOGICAL_AND = 61,
  /** x -> not x. Bool. */
  ANEURALNETWORKS_LOGICAL_NOT = 62,
  /** a, b -> a or b. Bool. Broadcasts. */
  ANEURALNETWORKS_LOGICAL_OR = 63,
  /** x, FLOAT beta, INT32 axis -> logarithm of SOFTMAX. Float. */
  ANEURALNETWORKS_LOG_SOFTMAX = 64,
  /** a, b -> the larger. Float, int32, quant8. Broadcasts. */
  ANEURALNETWORKS_MAXIMUM = 65,
  /** a, b -> the smaller. Float, int32, quant8. Broadcasts. */
  ANEURALNETWORKS_MINIMUM = 66,
  /** x -> -x. Float, int32. */
  ANEURALNETWORKS_NEG = 67,
  /** As EQUAL: a != b. */
  ANEURALNETWORKS_NOT_EQUAL = 68,
  /** As PAD, with a third input for the padding value: FLOAT, or for quant8 INT32, the quantized value. */
  ANEURALNETWORKS_PAD_V2 = 69,
  /** a, b -> a^b. Float. Broadcasts. */
  ANEURALNETWORKS_POW = 70,
  /** x, alpha -> x >= 0 ? x : x * alpha. Float, quant8. Broadcasts. */
  ANEURALNETWORKS_PRELU = 71,
  /** Float -> quant8. */
  ANEURALNETWORKS_QUANTIZE = 72,
  /** x [b, n]; weights of input, forget, cell, output gate [o, n]; recurrent weights [o, o], all
   *  TENSOR_QUANT8_ASYMM; int32 biases [o]; TENSOR_QUANT16_SYMM cell state [b, o]; TENSOR_QUANT8_ASYMM output
   *  [b, o] -> cell state; output. */
  ANEURALNETWORKS_QUANTIZED_16BIT_LSTM = 73,
  /** Logarithms of probabilities [b, classes]; INT32 samples; int32 seeds [2] -> int32 classes [b, samples].
   *  Float. */
  ANEURALNETWORKS_RANDOM_MULTINOMIAL = 74,
  /** x, int32 axes, BOOL keep dimensions -> whether all are true. Bool. */
  ANEURALNETWORKS_REDUCE_ALL = 75,
  /** As REDUCE_ALL: whether any is true. */
  ANEURALNETWORKS_REDUCE_ANY = 76,
  /** As REDUCE_ALL: the maximum. Float, quant8. */
  ANEURALNETWORKS_REDUCE_MAX = 77,
  /** As REDUCE_ALL: the minimum. Float, quant8. */
  ANEURALNETWORKS_REDUCE_MIN = 78,
  /** As REDUCE_ALL: the product. Float. */
  ANEURALNETWORKS_REDUCE_PROD = 79,
  /** As REDUCE_ALL: the sum. Float. */
  ANEURALNETWORKS_REDUCE_SUM = 80,
  /** x [b, h, w, c]; boxes [n, 4]; int32 batch index [n]; INT32 output height, width; FLOAT stride height,
   *  width; INT32 samples in height, width (0: as the box needs); BOOL nchw -> [n, height, width, c]. Float,
   *  quant8 with boxes TENSOR_QUANT16_ASYMM. */
  ANEURALNETWORKS_ROI_ALIGN = 81,
  /** As ROI_ALIGN without samples: the largest element of each bin. */
  ANEURALNETWORKS_ROI_POOLING = 82,
  /** x -> 1 / sqrt(x). Float, quant8 (level 1000007). */
  ANEURALNETWORKS_RSQRT = 83,
  /** bool condition, a, b -> a where true, otherwise b; all have the same shape. Float, int32, quant8. */
  ANEURALNETWORKS_SELECT = 84,
  /** x -> sin(x). Float. */
  ANEURALNETWORKS_SIN = 85,
  /** x; int32 begin [rank]; int32 size [rank] (-1: to the end) -> a slice. Float, int32, quant8. */
  ANEURALNETWORKS_SLICE = 86,
  /** x, INT32 axis, INT32 count -> count parts. Float, int32, quant8. */
  ANEURALNETWORKS_SPLIT = 87,
  /** x -> sqrt(x). Float. */
  ANEURALNETWORKS_SQRT = 88,
  /** x, int32 multiples [rank] -> x repeated. Float, int32, quant8. */
  ANEURALNETWORKS_TILE = 89,
  /** x, INT32 k -> the k largest of the last axis, descending; int32 indices. Float, int32, quant8. */
  ANEURALNETWORKS_TOPK_V2 = 90,
  /** x [b, h, w, in]; filter [out, fh, fw, in]; bias [out]; explicit padding as CONV_2D, or int32 shape of
   * the output [4] and INT32 of PaddingCode; INT32 stride width, height; fuse; BOOL nchw -> y. Types as
   * CONV_2D. */
  ANEURALNETWORKS_TRANSPOSE_CONV_2D = 91,
  /** LSTM over a sequence [b, time, n], or [time, b, n]: its inputs 0 to 22, BOOL time major, four weights of
   *  layer normalization (may be omitted) -> output; since level 30 also both final states, or none. Float.
   */
  ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM = 92,
  /** RNN over a sequence: its inputs, INT32 time major -> output; since level 30 also the final state?.
   * Float.
   */
  ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN = 93,
  /** As RESIZE_BILINEAR with the nearest element, nchw required. */
  ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR = 94,
  /** An LSTM of x TENSOR_QUANT8_ASYMM_SIGNED [b, n] with weights TENSOR_QUANT8_SYMM, biases int32, peephole
   * and layer normalization weights TENSOR_QUANT16_SYMM, FLOAT32 clips and scales of intermediates, INT32
   * zero point and FLOAT32 scale of the hidden state: 32 inputs -> output state; cell state; output. Level
   * 30, as those that follow. */
  ANEURALNETWORKS_QUANTIZED_LSTM = 95,
  /** bool condition [1]; MODEL if true; MODEL if false; inputs of both -> outputs of both. */
  ANEURALNETWORKS_IF = 96,
  /** MODEL condition, with an output bool [1]; MODEL body; initial values -> the first of the values when the
   *  condition is false. The body computes the first of its inputs anew; the others stay. */
  ANEURALNETWORKS_WHILE = 97,
  /** x, FLOAT alpha -> x > 0 ? x : alpha * (exp(x) - 1). Float. */
  ANEURALNETWORKS_ELU = 98,
  /** x -> x * min(max(x + 3, 0), 6) / 6. Float, quant8. */
  ANEURALNETWORKS_HARD_SWISH = 99,
  /** int32 dimensions [k]; a scalar FLOAT32, FLOAT16 or INT32 -> a tensor of it. */
  ANEURALNETWORKS_FILL = 100,
  /** Any tensor -> INT32, the number of its dimensions. */
  ANEURALNETWORKS_RANK = 101,
  /** a [..., m, k]; b [..., k, n]; BOOL whether a, BOOL whether b is transposed -> [..., m, n]. Float, int32,
   *  TENSOR_QUANT8_ASYMM_SIGNED; rank 2 to 4. Level 1000006. */
  ANEURALNETWORKS_BATCH_MATMUL = 102,
  /** INT32 axis, one or more tensors of one shape -> one tensor with a new axis. Float, int32, quant8. Level
   *  1000006. */
  ANEURALNETWORKS_PACK = 103,
  /** x; int32 [rank, 2] as PAD; INT32 0: the border is not repeated, 1: it is -> x mirrored around. Float,
   *  int32, quant8. Level 1000007. */
  ANEURALNETWORKS_MIRROR_PAD = 104,
  /** x, int32 axis [1] -> x with this axis reversed. Float, int32, quant8; up to rank 8. Level 1000007. */
  ANEURALNETWORKS_REVERSE = 105
} OperationCode;

/** An OperationCode. */
typedef int32_t ANeuralNetworksOperationType;

/** Describes an operand. Functions copy it. */
typedef struct ANeuralNetworksOperandType {
  /** An OperandCode. */
  int32_t type;
  /** Number of dimensions; 0 for scalars, and for tensors of unknown rank. */
  uint32_t dimensionCount;
  /** The dimensions, 0 if unknown. NULL if and only if dimensionCount is 0. */
  const uint32_t* dimensions;
  /** Scale of quantized values; 0 if the type has none. */
  float scale;
  /** Quantized value that represents 0; 0 if the type has none. */
  int32_t zeroPoint;
} ANeuralNetworksOperandType;

/** Scales of an operand of type TENSOR_QUANT8_SYMM_PER_CHANNEL. Level 29. */
typedef struct ANeuralNetworksSymmPerChannelQuantParams {
  /** The channel dimension. */
  uint32_t channelDim;
  /** Number of scales: the size of the channel dimension. */
  uint32_t scaleCount;
  /** The scales, each above 0. */
  const float* scales;
} ANeuralNetworksSymmPerChannelQuantParams;

/** A model, being built or finished. Created by ANeuralNetworksModel_create. */
typedef struct ANeuralNetworksModel ANeuralNetworksModel;

/** A model compiled for devices. Created by ANeuralNetworksCompilation_create. */
typedef struct ANeuralNetworksCompilation ANeuralNetworksCompilation;

/** A computation with its arguments. Created by ANeuralNetworksExecution_create. */
typedef struct ANeuralNetworksExecution ANeuralNetworksExecution;

/** The end of a computation. Created by ANeuralNetworksExecution_startCompute. */
typedef struct ANeuralNetworksEvent ANeuralNetworksEvent;

/** Computations in quick succession. Created by ANeuralNetworksBurst_create. Level 29. */
typedef struct ANeuralNetworksBurst ANeuralNetworksBurst;

/** Memory for operands. Created by ANeuralNetworksMemory_createFromFd. */
typedef struct ANeuralNetworksMemory ANeuralNetworksMemory;

/** Describes the intended use of a memory. Created by ANeuralNetworksMemoryDesc_create. Level 30. */
typedef struct ANeuralNetworksMemoryDesc ANeuralNetworksMemoryDesc;

/** A device. Returned by ANeuralNetworks_getDevice. Level 29. */
typedef struct ANeuralNetworksDevice ANeuralNetworksDevice;

/** A buffer of Android's graphics system. Not available on Linux. */
typedef struct AHardwareBuffer AHardwareBuffer;

#ifdef __cplusplus
}
#endif

#endif
