/**
 * @file neural_network_runtime_type.h
 *
 * Types of the Neural Network Runtime's C API: return codes, tensor and model descriptions, and handles.
 * Usable from C11 and C++.
 *
 * "Since API n" is the OpenHarmony API level that introduced a declaration; without it, API 9.
 */
#ifndef NEURAL_NETWORK_RUNTIME_TYPE_H
#define NEURAL_NETWORK_RUNTIME_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A model, being built or finished. Created by OH_NNModel_Construct. */
typedef struct OH_NNModel OH_NNModel;

/** The compilation of a model for a device. Created by OH_NNCompilation_Construct and its variants. */
typedef struct OH_NNCompilation OH_NNCompilation;

/** Runs a compiled model. Created by OH_NNExecutor_Construct. */
typedef struct OH_NNExecutor OH_NNExecutor;

/** Quantization parameters of a tensor. Created by OH_NNQuantParam_Create. Since API 11. */
typedef struct NN_QuantParam NN_QuantParam;

/** Name, data type, shape and format of a tensor. Created by OH_NNTensorDesc_Create. Since API 11. */
typedef struct NN_TensorDesc NN_TensorDesc;

/** A description with shared memory. Created by OH_NNTensor_Create and its variants. Since API 11. */
typedef struct NN_Tensor NN_Tensor;

/** Trade-off between speed and power. A hint; it never changes results. */
typedef enum {
  /** The device decides. The default. */
  OH_NN_PERFORMANCE_NONE = 0,
  /** Saves power. */
  OH_NN_PERFORMANCE_LOW = 1,
  /** Balances power and speed. */
  OH_NN_PERFORMANCE_MEDIUM = 2,
  /** Prefers speed. */
  OH_NN_PERFORMANCE_HIGH = 3,
  /** As fast as the device can. */
  OH_NN_PERFORMANCE_EXTREME = 4
} OH_NN_PerformanceMode;

/** Importance of a model among the models of this process. A hint. */
typedef enum {
  /** The device decides. The default. */
  OH_NN_PRIORITY_NONE = 0,
  /** Yields to others. */
  OH_NN_PRIORITY_LOW = 1,
  /** Neither yields nor goes first. */
  OH_NN_PRIORITY_MEDIUM = 2,
  /** Goes first. */
  OH_NN_PRIORITY_HIGH = 3
} OH_NN_Priority;

/** Return codes. Every code except OH_NN_SUCCESS is logged with the reason, as one line. */
typedef enum {
  /** Success. */
  OH_NN_SUCCESS = 0,
  /** Failure: no such device, no device that runs an operation, an unexpected error. */
  OH_NN_FAILED = 1,
  /** An argument is null, out of range, or does not fit the object or the model. */
  OH_NN_INVALID_PARAMETER = 2,
  /** Not enough memory, on the host or on the device. */
  OH_NN_MEMORY_ERROR = 3,
  /** Not allowed in this state: the model is (not) finished, the compilation is built, no callback is set. */
  OH_NN_OPERATION_FORBIDDEN = 4,
  /** Never returned by this library, which returns OH_NN_INVALID_PARAMETER for null pointers. */
  OH_NN_NULL_PTR = 5,
  /** A file cannot be read or is damaged. */
  OH_NN_INVALID_FILE = 6,
  /** Misspelled, replaced by OH_NN_UNAVAILABLE_DEVICE; never returned. Deprecated since API 11. */
  OH_NN_UNAVALIDABLE_DEVICE = 7,
  /** A directory does not exist or cannot be entered. */
  OH_NN_INVALID_PATH = 8,
  /** An asynchronous run did not end in time. Since API 11. */
  OH_NN_TIMEOUT = 9,
  /** Not supported by the device, for this operation, or for this object. Since API 11. */
  OH_NN_UNSUPPORTED = 10,
  /** The connection to a device's service failed. Since API 11. */
  OH_NN_CONNECTION_EXCEPTION = 11,
  /** The cache could not be written. Since API 11. */
  OH_NN_SAVE_CACHE_EXCEPTION = 12,
  /** The size of a shape with unknown dimensions was requested. Since API 11. */
  OH_NN_DYNAMIC_SHAPE = 13,
  /** The device does not respond, or lacks a requested feature. Since API 11. */
  OH_NN_UNAVAILABLE_DEVICE = 14
} OH_NN_ReturnCode;

/** Fused activation of an operation: the value of its ...ACTIVATION... parameter, one INT8. */
#ifdef __cplusplus
typedef enum : int8_t {
#else
typedef enum {
#endif
  /** None. */
  OH_NN_FUSED_NONE = 0,
  /** max(x, 0). */
  OH_NN_FUSED_RELU = 1,
  /** min(max(x, 0), 6). */
  OH_NN_FUSED_RELU6 = 2
} OH_NN_FuseType;

/**
 * Meaning of the dimensions of image data. It only declares the layout; setting it moves no data. Only
 * operations that use height, width or channels read it.
 */
typedef enum {
  /** Not specified; treated as NHWC where it matters. */
  OH_NN_FORMAT_NONE = 0,
  /** Batch, channels, height, width. */
  OH_NN_FORMAT_NCHW = 1,
  /** Batch, height, width, channels. */
  OH_NN_FORMAT_NHWC = 2,
  /** Any number of dimensions without special meaning. Since API 12. */
  OH_NN_FORMAT_ND = 3
} OH_NN_Format;

/** Kind of a device. */
typedef enum {
  /** None of the others. */
  OH_NN_OTHERS = 0,
  /** A CPU. */
  OH_NN_CPU = 1,
  /** A GPU, or a software driver that emulates one. */
  OH_NN_GPU = 2,
  /** Dedicated hardware for neural networks. */
  OH_NN_ACCELERATOR = 3
} OH_NN_DeviceType;

/** Element type of a tensor, with the size of an element. */
typedef enum {
  /** Unknown. 0 bytes. */
  OH_NN_UNKNOWN = 0,
  /** 0 is false; anything else is true and is written as 1. 1 byte. */
  OH_NN_BOOL = 1,
  /** Signed integer, or a quantized value. 1 byte. */
  OH_NN_INT8 = 2,
  /** Signed integer. 2 bytes. */
  OH_NN_INT16 = 3,
  /** Signed integer. 4 bytes. */
  OH_NN_INT32 = 4,
  /** Signed integer. 8 bytes. */
  OH_NN_INT64 = 5,
  /** Unsigned integer. 1 byte. */
  OH_NN_UINT8 = 6,
  /** Unsigned integer. 2 bytes. */
  OH_NN_UINT16 = 7,
  /** Unsigned integer. 4 bytes. */
  OH_NN_UINT32 = 8,
  /** Unsigned integer. 8 bytes. */
  OH_NN_UINT64 = 9,
  /** IEEE 754 half precision. 2 bytes. */
  OH_NN_FLOAT16 = 10,
  /** IEEE 754 single precision. 4 bytes. */
  OH_NN_FLOAT32 = 11,
  /** IEEE 754 double precision. 8 bytes. */
  OH_NN_FLOAT64 = 12
} OH_NN_DataType;

/**
 * Operations of a model, for OH_NNModel_AddOperation. "Inputs" lists the input tensors in order; there is one
 * output unless "Outputs" lists several. Parameters are tensors too: those whose OH_NN_TensorType starts with
 * the operation's name, in any order.
 */
typedef enum {
  /** Elementwise sum with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_ADD = 1,
  /**
   * Mean over a window that slides over height and width, excluding padding. Data has 4 dimensions. Inputs:
   * input.
   */
  OH_NN_OPS_AVG_POOL = 2,
  /**
   * (input - mean) / sqrt(variance + epsilon) * scale + offset, per channel. Inputs: input, scale, offset,
   * mean, variance.
   */
  OH_NN_OPS_BATCH_NORM = 3,
  /** Moves blocks of the batch back into height and width, then crops. Inputs: input. */
  OH_NN_OPS_BATCH_TO_SPACE_ND = 4,
  /** Adds a bias to each channel. Inputs: input, bias. */
  OH_NN_OPS_BIAS_ADD = 5,
  /**
   * Converts elements to another data type. type is a constant that holds an OH_NN_DataType. Inputs: input,
   * type.
   */
  OH_NN_OPS_CAST = 6,
  /** Joins two or more tensors along one axis. Inputs: input, ... */
  OH_NN_OPS_CONCAT = 7,
  /**
   * 2-D convolution with groups and dilation. The weight is [outChannel, kernelHeight, kernelWidth, inChannel
   * / group], the bias has outChannel elements. Inputs: input, weight, bias.
   */
  OH_NN_OPS_CONV2D = 8,
  /**
   * Transposed 2-D convolution. The weight is [outChannel, kernelHeight, kernelWidth, inChannel / group].
   * Inputs: input, weight, bias.
   */
  OH_NN_OPS_CONV2D_TRANSPOSE = 9,
  /**
   * Depthwise 2-D convolution. The weight is [outChannel, kernelHeight, kernelWidth, 1]. Inputs: input,
   * weight, bias.
   */
  OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE = 10,
  /** Elementwise quotient with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_DIV = 11,
  /** Elementwise product, sum or maximum. Inputs: input1, input2. */
  OH_NN_OPS_ELTWISE = 12,
  /** Inserts a dimension of length 1 at position axis. Inputs: input, axis. */
  OH_NN_OPS_EXPAND_DIMS = 13,
  /** A tensor of the given shape filled with one value. Inputs: value, shape. */
  OH_NN_OPS_FILL = 14,
  /**
   * Fully connected layer: the input as a matrix, times the transposed weight [outputs, inputs], plus bias.
   * Inputs: input, weight, bias (optional).
   */
  OH_NN_OPS_FULL_CONNECTION = 15,
  /** Slices of the input along an axis, chosen by indices. Inputs: input, inputIndices, axis. */
  OH_NN_OPS_GATHER = 16,
  /** x * min(max(x + 3, 0), 6) / 6. Inputs: input. */
  OH_NN_OPS_HSWISH = 17,
  /** Elementwise input1 <= input2 with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2. */
  OH_NN_OPS_LESS_EQUAL = 18,
  /** Matrix product of the last two dimensions; leading dimensions broadcast. Inputs: input1, input2. */
  OH_NN_OPS_MATMUL = 19,
  /** Elementwise maximum with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_MAXIMUM = 20,
  /** Maximum over a window that slides over height and width. Data has 4 dimensions. Inputs: input. */
  OH_NN_OPS_MAX_POOL = 21,
  /** Elementwise product with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_MUL = 22,
  /**
   * onValue where a new dimension of length depth equals the index, offValue elsewhere. Inputs: indices,
   * depth, onValue, offValue.
   */
  OH_NN_OPS_ONE_HOT = 23,
  /** Pads each dimension at both ends; paddings is [rank, 2]. Inputs: inputX, paddings. */
  OH_NN_OPS_PAD = 24,
  /** Elementwise (scale * input + shift)^y with broadcasting. Inputs: input, y. */
  OH_NN_OPS_POW = 25,
  /**
   * input * scale + bias, where scale and bias span the dimensions from axis on. Inputs: input, scale, bias.
   */
  OH_NN_OPS_SCALE = 26,
  /** The dimensions of the input in this run. Inputs: input. */
  OH_NN_OPS_SHAPE = 27,
  /** 1 / (1 + exp(-x)). Inputs: input. */
  OH_NN_OPS_SIGMOID = 28,
  /**
   * The block that starts at begin and has the given size; -1 in size means up to the end. Inputs: input,
   * begin, size.
   */
  OH_NN_OPS_SLICE = 29,
  /** exp(x) / sum(exp(x)) along an axis. Inputs: input. */
  OH_NN_OPS_SOFTMAX = 30,
  /** Pads height and width, then moves blocks of them into the batch. Inputs: input. */
  OH_NN_OPS_SPACE_TO_BATCH_ND = 31,
  /** Splits the input along an axis into several outputs. Inputs: input. Outputs: output, ... */
  OH_NN_OPS_SPLIT = 32,
  /** Square root. Inputs: input. */
  OH_NN_OPS_SQRT = 33,
  /** Elementwise (input1 - input2)^2 with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_SQUARED_DIFFERENCE = 34,
  /** Removes dimensions of length 1. Inputs: input. */
  OH_NN_OPS_SQUEEZE = 35,
  /** Joins two or more tensors of equal shape along a new axis. Inputs: input, ... */
  OH_NN_OPS_STACK = 36,
  /**
   * Every stride-th element of a range of each dimension, like a Python slice. Inputs: input, begin, end,
   * strides.
   */
  OH_NN_OPS_STRIDED_SLICE = 37,
  /** Elementwise difference with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_SUB = 38,
  /** Hyperbolic tangent. Inputs: input. */
  OH_NN_OPS_TANH = 39,
  /** Repeats the input multiples[i] times along each dimension. Inputs: input, multiples. */
  OH_NN_OPS_TILE = 40,
  /** Permutes dimensions: output dimension j is input dimension perm[j]. Inputs: input, perm. */
  OH_NN_OPS_TRANSPOSE = 41,
  /** Arithmetic mean over the given axes. Inputs: input, axis. */
  OH_NN_OPS_REDUCE_MEAN = 42,
  /** Bilinear resize of height and width. Data has 4 dimensions. Inputs: input. */
  OH_NN_OPS_RESIZE_BILINEAR = 43,
  /** 1 / sqrt(x). Inputs: input. */
  OH_NN_OPS_RSQRT = 44,
  /**
   * The same elements in another shape; one dimension may be -1 and is inferred. Inputs: input, inputShape.
   */
  OH_NN_OPS_RESHAPE = 45,
  /** x if x > 0, otherwise x times the weight of its channel. Inputs: input, weight. */
  OH_NN_OPS_PRELU = 46,
  /** max(x, 0). Inputs: input. */
  OH_NN_OPS_RELU = 47,
  /** min(max(x, 0), 6). Inputs: input. */
  OH_NN_OPS_RELU6 = 48,
  /**
   * Normalizes the last dimensions to mean 0 and variance 1, then scales by gamma and shifts by beta. Inputs:
   * input, gamma, beta.
   */
  OH_NN_OPS_LAYER_NORM = 49,
  /** Product over the given axes. Inputs: input, axis. */
  OH_NN_OPS_REDUCE_PROD = 50,
  /** Logical AND over the given axes, of OH_NN_BOOL. Inputs: input, axis. */
  OH_NN_OPS_REDUCE_ALL = 51,
  /** Converts between float and quantized tensors, or between quantized ones. Inputs: input. */
  OH_NN_OPS_QUANT_DTYPE_CAST = 52,
  /**
   * The k largest elements along an axis (output 0) and their indices (output 1). Inputs: input, k. Outputs:
   * output0, output1.
   */
  OH_NN_OPS_TOP_K = 53,
  /** Index, or value, of the largest element along an axis. Inputs: input. */
  OH_NN_OPS_ARG_MAX = 54,
  /** Inserts dimensions of length 1. Inputs: input. */
  OH_NN_OPS_UNSQUEEZE = 55,
  /** x times the cumulative distribution function of the normal distribution. Inputs: input. */
  OH_NN_OPS_GELU = 56,
  /**
   * Splits the input along an axis into tensors without that axis. Inputs: input. Outputs: output, ... Since
   * API 12.
   */
  OH_NN_OPS_UNSTACK = 57,
  /** Absolute value. Inputs: input. Since API 12. */
  OH_NN_OPS_ABS = 58,
  /** The Gauss error function. Inputs: input. Since API 12. */
  OH_NN_OPS_ERF = 59,
  /** base^(shift + scale * x). Inputs: input. Since API 12. */
  OH_NN_OPS_EXP = 60,
  /**
   * Elementwise input1 < input2 with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2. Since
   * API 12.
   */
  OH_NN_OPS_LESS = 61,
  /** input1 where condition is true, otherwise input2. Inputs: condition, input1, input2. Since API 12. */
  OH_NN_OPS_SELECT = 62,
  /** x * x. Inputs: input. Since API 12. */
  OH_NN_OPS_SQUARE = 63,
  /** Flattens to 2-D: the dimensions before axis, and the rest. Inputs: input. Since API 12. */
  OH_NN_OPS_FLATTEN = 64,
  /** Moves blocks of channels into height and width. Inputs: input. Since API 12. */
  OH_NN_OPS_DEPTH_TO_SPACE = 65,
  /**
   * start, start + delta, start + 2 * delta ... before limit. The input only determines the data type.
   * Inputs: input. Since API 12.
   */
  OH_NN_OPS_RANGE = 66,
  /**
   * Normalizes each channel of each batch to mean 0 and variance 1, then scales and shifts it. Inputs: input,
   * scale, bias. Since API 12.
   */
  OH_NN_OPS_INSTANCE_NORM = 67,
  /** A tensor of the given shape filled with one value. Inputs: shape. Since API 12. */
  OH_NN_OPS_CONSTANT_OF_SHAPE = 68,
  /** Broadcasts to the given shape. Inputs: input. Since API 12. */
  OH_NN_OPS_BROADCAST_TO = 69,
  /**
   * Elementwise input1 == input2 with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2. Since
   * API 12.
   */
  OH_NN_OPS_EQUAL = 70,
  /**
   * Elementwise input1 > input2 with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2. Since
   * API 12.
   */
  OH_NN_OPS_GREATER = 71,
  /**
   * Elementwise input1 != input2 with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2. Since
   * API 12.
   */
  OH_NN_OPS_NOT_EQUAL = 72,
  /**
   * Elementwise input1 >= input2 with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2. Since
   * API 12.
   */
  OH_NN_OPS_GREATER_EQUAL = 73,
  /** x if x > 0, otherwise negativeSlope * x. Inputs: input. Since API 12. */
  OH_NN_OPS_LEAKY_RELU = 74,
  /**
   * LSTM over a sequence, optionally stacked and bidirectional. Inputs: input, wIh, wHh, bias, hx, cx.
   * Outputs: output, hy, cy. Since API 12.
   */
  OH_NN_OPS_LSTM = 75,
  /** min(max(x, min), max). Inputs: input. Since API 12. */
  OH_NN_OPS_CLIP = 76,
  /** Logical AND of x != 0 over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_ALL = 77,
  /** Fails the run if condition is false; otherwise outputs data. Inputs: condition, data. Since API 12. */
  OH_NN_OPS_ASSERT = 78,
  /** Cosine of radians. Inputs: input. Since API 12. */
  OH_NN_OPS_COS = 79,
  /** Natural logarithm. Inputs: input. Since API 12. */
  OH_NN_OPS_LOG = 80,
  /** Elementwise logical AND with broadcasting. Inputs: input1, input2. Since API 12. */
  OH_NN_OPS_LOGICAL_AND = 81,
  /** Logical NOT. Inputs: input. Since API 12. */
  OH_NN_OPS_LOGICAL_NOT = 82,
  /**
   * Remainder of the division rounded toward zero; it has the sign of input1. Inputs: input1, input2. Since
   * API 12.
   */
  OH_NN_OPS_MOD = 83,
  /** -x. Inputs: input. Since API 12. */
  OH_NN_OPS_NEG = 84,
  /** 1 / x. Inputs: input. Since API 12. */
  OH_NN_OPS_RECIPROCAL = 85,
  /** Sine of radians. Inputs: input. Since API 12. */
  OH_NN_OPS_SIN = 86,
  /**
   * input1 where condition is true, otherwise input2, with broadcasting. Inputs: condition, input1, input2.
   * Since API 12.
   */
  OH_NN_OPS_WHERE = 87,
  /**
   * Zeros of shape sparseShape with values written at indices. Inputs: indices, values, sparseShape. Since
   * API 12.
   */
  OH_NN_OPS_SPARSE_TO_DENSE = 88,
  /** Elementwise logical OR with broadcasting. Inputs: input1, input2. Since API 12. */
  OH_NN_OPS_LOGICAL_OR = 89,
  /** Rounds up to an integer. Inputs: input. Since API 12. */
  OH_NN_OPS_CEIL = 90,
  /**
   * A block of the input at an offset, with the shape of the second input. Inputs: input, shape. Since API
   * 12.
   */
  OH_NN_OPS_CROP = 91,
  /**
   * Decodes the boxes of an SSD network, applies non-maximum suppression and returns the best detections.
   * Inputs: bbox, scores, anchors. Outputs: bboxes, classes, confidences, numDetections. Since API 12.
   */
  OH_NN_OPS_DETECTION_POST_PROCESS = 92,
  /** Rounds down to an integer. Inputs: input. Since API 12. */
  OH_NN_OPS_FLOOR = 93,
  /** x / sqrt(max(sum of squares, epsilon)) over the given axes. Inputs: input. Since API 12. */
  OH_NN_OPS_L2_NORMALIZE = 94,
  /** Logarithm of SOFTMAX along an axis. Inputs: input. Since API 12. */
  OH_NN_OPS_LOG_SOFTMAX = 95,
  /** Local response normalization across channels. Inputs: input. Since API 12. */
  OH_NN_OPS_LRN = 96,
  /** Elementwise minimum with broadcasting. Inputs: input1, input2. Since API 12. */
  OH_NN_OPS_MINIMUM = 97,
  /** Number of dimensions of the input. Inputs: input. Since API 12. */
  OH_NN_OPS_RANK = 98,
  /** Maximum over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_REDUCE_MAX = 99,
  /** Minimum over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_REDUCE_MIN = 100,
  /** Sum over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_REDUCE_SUM = 101,
  /** Rounds to the nearest integer, ties away from zero. Inputs: input. Since API 12. */
  OH_NN_OPS_ROUND = 102,
  /**
   * Zeros of the given shape with updates written at indices. Inputs: indices, updates, shape. Since API 12.
   */
  OH_NN_OPS_SCATTER_ND = 103,
  /** Moves blocks of height and width into channels. Inputs: input. Since API 12. */
  OH_NN_OPS_SPACE_TO_DEPTH = 104,
  /** x / (1 + exp(-x)). Inputs: input. Since API 12. */
  OH_NN_OPS_SWISH = 105,
  /** Square root of the sum of squares over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_REDUCE_L2 = 106,
  /** min(max(x + 3, 0), 6) / 6. Inputs: input. Since API 12. */
  OH_NN_OPS_HARD_SIGMOID = 107,
  /** Slices of the input, selected by index tuples. Inputs: input, indices. Since API 12. */
  OH_NN_OPS_GATHER_ND = 108,
  /** Not an operator: makes the type wide enough for the values in nnrt_operators.h. */
  OH_NN_OPS_RESERVED = 0x7FFFFFFF
} OH_NN_OperationType;

/**
 * Role of a tensor in a model: data, or a parameter of an operation. Each parameter's comment gives its data
 * type, with the number of elements in brackets unless it is one. A parameter is optional unless marked
 * "required"; one without a default has no effect if absent.
 */
typedef enum {
  /** Data: an input, an output, a weight, or an intermediate tensor. */
  OH_NN_TENSOR = 0,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_ADD_ACTIVATIONTYPE = 1,
  /** INT64[2]: height and width of the window; required unless global. */
  OH_NN_AVG_POOL_KERNEL_SIZE = 2,
  /** INT64[2]: stride along height and width. Default [1, 1]. */
  OH_NN_AVG_POOL_STRIDE = 3,
  /** INT8: 0 is same, 1 is valid. May also be a list, as for the other padding parameter. */
  OH_NN_AVG_POOL_PAD_MODE = 4,
  /**
   * INT64[4]: padding at top, bottom, left, right. May also be a mode, as for the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_AVG_POOL_PAD = 5,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_AVG_POOL_ACTIVATION_TYPE = 6,
  /** FLOAT32: added to the variance. Default 0.0001. */
  OH_NN_BATCH_NORM_EPSILON = 7,
  /** INT64[2]: height and width of a block. Required. */
  OH_NN_BATCH_TO_SPACE_ND_BLOCKSIZE = 8,
  /** INT64[4]: elements cropped at top, bottom, left, right. Default [0, 0, 0, 0]. */
  OH_NN_BATCH_TO_SPACE_ND_CROPS = 9,
  /** INT64: the axis; negative counts from the end. Default 0. */
  OH_NN_CONCAT_AXIS = 10,
  /** INT64[2]: stride along height and width. Default [1, 1]. */
  OH_NN_CONV2D_STRIDES = 11,
  /**
   * INT64[4]: padding at top, bottom, left, right. May also be a mode, as for the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_CONV2D_PAD = 12,
  /** INT64[2]: dilation along height and width. Default [1, 1]. */
  OH_NN_CONV2D_DILATION = 13,
  /** INT8: 0 is same, 1 is valid. May also be a list, as for the other padding parameter. */
  OH_NN_CONV2D_PAD_MODE = 14,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_CONV2D_ACTIVATION_TYPE = 15,
  /** INT64: number of groups. Default 1. */
  OH_NN_CONV2D_GROUP = 16,
  /** INT64[2]: stride along height and width. Default [1, 1]. */
  OH_NN_CONV2D_TRANSPOSE_STRIDES = 17,
  /**
   * INT64[4]: padding at top, bottom, left, right. May also be a mode, as for the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_CONV2D_TRANSPOSE_PAD = 18,
  /** INT64[2]: dilation along height and width. Default [1, 1]. */
  OH_NN_CONV2D_TRANSPOSE_DILATION = 19,
  /**
   * INT64[1 or 2]: padding added to the end of the output's height and width, or one number for both. Default
   * [0, 0].
   */
  OH_NN_CONV2D_TRANSPOSE_OUTPUT_PADDINGS = 20,
  /** INT8: 0 is same, 1 is valid. May also be a list, as for the other padding parameter. */
  OH_NN_CONV2D_TRANSPOSE_PAD_MODE = 21,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_CONV2D_TRANSPOSE_ACTIVATION_TYPE = 22,
  /** INT64: number of groups. Default 1. */
  OH_NN_CONV2D_TRANSPOSE_GROUP = 23,
  /** INT64[2]: stride along height and width. Default [1, 1]. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES = 24,
  /**
   * INT64[4]: padding at top, bottom, left, right. May also be a mode, as for the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD = 25,
  /** INT64[2]: dilation along height and width. Default [1, 1]. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_DILATION = 26,
  /** INT8: 0 is same, 1 is valid. May also be a list, as for the other padding parameter. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE = 27,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE = 28,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_DIV_ACTIVATIONTYPE = 29,
  /** INT8: 0 is product, 1 is sum, 2 is maximum. Default 0. */
  OH_NN_ELTWISE_MODE = 30,
  /** INT64: first dimension that is flattened into the columns of the input matrix. Default 0. */
  OH_NN_FULL_CONNECTION_AXIS = 31,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_FULL_CONNECTION_ACTIVATIONTYPE = 32,
  /** BOOL: transpose the first matrix. Default false. */
  OH_NN_MATMUL_TRANSPOSE_A = 33,
  /** BOOL: transpose the second matrix. Default false. */
  OH_NN_MATMUL_TRANSPOSE_B = 34,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_MATMUL_ACTIVATION_TYPE = 35,
  /** INT64[2]: height and width of the window; required unless global. */
  OH_NN_MAX_POOL_KERNEL_SIZE = 36,
  /** INT64[2]: stride along height and width. Default [1, 1]. */
  OH_NN_MAX_POOL_STRIDE = 37,
  /** INT8: 0 is same, 1 is valid. May also be a list, as for the other padding parameter. */
  OH_NN_MAX_POOL_PAD_MODE = 38,
  /**
   * INT64[4]: padding at top, bottom, left, right. May also be a mode, as for the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_MAX_POOL_PAD = 39,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_MAX_POOL_ACTIVATION_TYPE = 40,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_MUL_ACTIVATION_TYPE = 41,
  /** INT64: position of the new dimension; -1: last. Default -1. */
  OH_NN_ONE_HOT_AXIS = 42,
  /** FLOAT32: value of the padding; may also have the data type of the input. Default 0. */
  OH_NN_PAD_CONSTANT_VALUE = 43,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_SCALE_ACTIVATIONTYPE = 44,
  /** INT64: first dimension that scale and bias span. Required. */
  OH_NN_SCALE_AXIS = 45,
  /** INT64: the axis; negative counts from the end. Default -1. */
  OH_NN_SOFTMAX_AXIS = 46,
  /** INT64[2]: height and width of a block. Required. */
  OH_NN_SPACE_TO_BATCH_ND_BLOCK_SHAPE = 47,
  /** INT64[4]: padding at top, bottom, left, right. Default [0, 0, 0, 0]. */
  OH_NN_SPACE_TO_BATCH_ND_PADDINGS = 48,
  /** INT64: the axis; negative counts from the end. Default 0. */
  OH_NN_SPLIT_AXIS = 49,
  /** INT64: number of outputs, if given. */
  OH_NN_SPLIT_OUTPUT_NUM = 50,
  /** INT64[n]: length of each output along the axis. Absent: equal lengths. */
  OH_NN_SPLIT_SIZE_SPLITS = 51,
  /** INT64[n]: the dimensions to remove. Absent: all of length 1. */
  OH_NN_SQUEEZE_AXIS = 52,
  /** INT64: position of the new dimension. Default 0. */
  OH_NN_STACK_AXIS = 53,
  /** INT64: if bit i is set, begin[i] is ignored. Default 0. */
  OH_NN_STRIDED_SLICE_BEGIN_MASK = 54,
  /** INT64: if bit i is set, end[i] is ignored. Default 0. */
  OH_NN_STRIDED_SLICE_END_MASK = 55,
  /** INT64: if bit i is set, this dimension is copied completely. Default 0. */
  OH_NN_STRIDED_SLICE_ELLIPSIS_MASK = 56,
  /** INT64: if bit i is set, entry i inserts a dimension of length 1. Default 0. */
  OH_NN_STRIDED_SLICE_NEW_AXIS_MASK = 57,
  /** INT64: if bit i is set, only begin[i] is selected and the dimension is removed. Default 0. */
  OH_NN_STRIDED_SLICE_SHRINK_AXIS_MASK = 58,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_SUB_ACTIVATIONTYPE = 59,
  /** BOOL: keep reduced dimensions, with length 1. Default false. */
  OH_NN_REDUCE_MEAN_KEEP_DIMS = 60,
  /** INT64: height of the output. Required. */
  OH_NN_RESIZE_BILINEAR_NEW_HEIGHT = 61,
  /** INT64: width of the output. Required. */
  OH_NN_RESIZE_BILINEAR_NEW_WIDTH = 62,
  /** BOOL: require the same scale factor for height and width. Default false. */
  OH_NN_RESIZE_BILINEAR_PRESERVE_ASPECT_RATIO = 63,
  /** INT8 or INT32: 0 is asymmetric, 1 aligns corners, 2 is half pixel. Default 0. */
  OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE = 64,
  /** INT64: no effect on bilinear interpolation. Default 0. */
  OH_NN_RESIZE_BILINEAR_EXCLUDE_OUTSIDE = 65,
  /** INT32 or INT64: first dimension that is normalized. Default 1. */
  OH_NN_LAYER_NORM_BEGIN_NORM_AXIS = 66,
  /** FLOAT32: added to the variance. Default 1e-07. */
  OH_NN_LAYER_NORM_EPSILON = 67,
  /** INT32 or INT64: first dimension of gamma and beta. Default 1. */
  OH_NN_LAYER_NORM_BEGIN_PARAM_AXIS = 68,
  /** Obsolete parameter of OH_NN_OPS_LAYER_NORM; no operation accepts it. */
  OH_NN_LAYER_NORM_ELEMENTWISE_AFFINE = 69,
  /** BOOL: keep reduced dimensions, with length 1. Default false. */
  OH_NN_REDUCE_PROD_KEEP_DIMS = 70,
  /** BOOL: keep reduced dimensions, with length 1. Default false. */
  OH_NN_REDUCE_ALL_KEEP_DIMS = 71,
  /** INT64: data type of the input, an OH_NN_DataType. Required. */
  OH_NN_QUANT_DTYPE_CAST_SRC_T = 72,
  /** INT64: data type of the output, an OH_NN_DataType. Required. */
  OH_NN_QUANT_DTYPE_CAST_DST_T = 73,
  /** BOOL: descending order; otherwise ascending. Default true. */
  OH_NN_TOP_K_SORTED = 74,
  /** INT64: the axis; negative counts from the end. Default -1. */
  OH_NN_ARG_MAX_AXIS = 75,
  /** BOOL: keep the axis, with length 1. Default false. */
  OH_NN_ARG_MAX_KEEPDIMS = 76,
  /** INT64[n]: positions of the new dimensions in the output. Required. */
  OH_NN_UNSQUEEZE_AXIS = 77,
  /** INT32 or INT64: the axis; negative counts from the end. Default 0. Since API 12. */
  OH_NN_UNSTACK_AXIS = 78,
  /** INT64: first dimension of the second half. Default 1. Since API 12. */
  OH_NN_FLATTEN_AXIS = 79,
  /** INT64: side of a block. Required. Since API 12. */
  OH_NN_DEPTH_TO_SPACE_BLOCK_SIZE = 80,
  /** INT32: order of channels: 0 block first (DCR), 1 depth first (CRD). Default 0. Since API 12. */
  OH_NN_DEPTH_TO_SPACE_MODE = 81,
  /** INT64: the first value. Default 0. Since API 12. */
  OH_NN_RANGE_START = 82,
  /** INT64: the end, exclusive. Default 0. Since API 12. */
  OH_NN_RANGE_LIMIT = 83,
  /** INT64: the step. Default 1. Since API 12. */
  OH_NN_RANGE_DELTA = 84,
  /** INT64: data type of the output. Absent: the declared type of the output. Since API 12. */
  OH_NN_CONSTANT_OF_SHAPE_DATA_TYPE = 85,
  /** FLOAT32: the value. Default 0. Since API 12. */
  OH_NN_CONSTANT_OF_SHAPE_VALUE = 86,
  /** INT64[1 to 8]: the target shape. Required. Since API 12. */
  OH_NN_BROADCAST_TO_SHAPE = 87,
  /** FLOAT32: added to the variance. Default 0. Since API 12. */
  OH_NN_INSTANCE_NORM_EPSILON = 88,
  /** FLOAT32: the base; -1 means e. Default -1. Since API 12. */
  OH_NN_EXP_BASE = 89,
  /** FLOAT32: factor of the exponent. Default 1. Since API 12. */
  OH_NN_EXP_SCALE = 90,
  /** FLOAT32: added to the exponent. Default 0. Since API 12. */
  OH_NN_EXP_SHIFT = 91,
  /** FLOAT32: slope for x < 0. Default 0. Since API 12. */
  OH_NN_LEAKY_RELU_NEGATIVE_SLOPE = 92,
  /** BOOL: process the sequence in both directions. Default false. Since API 12. */
  OH_NN_LSTM_BIDIRECTIONAL = 93,
  /** BOOL: use the bias. Default false. Since API 12. */
  OH_NN_LSTM_HAS_BIAS = 94,
  /** INT64: size of an input vector; 0: taken from the input's shape. Default 0. Since API 12. */
  OH_NN_LSTM_INPUT_SIZE = 95,
  /** INT64: size of a hidden vector; 0: taken from the weights' shapes. Default 0. Since API 12. */
  OH_NN_LSTM_HIDDEN_SIZE = 96,
  /** INT64: number of layers; 0: 1. Default 0. Since API 12. */
  OH_NN_LSTM_NUM_LAYERS = 97,
  /** INT64: 1, or 2 if bidirectional; 0: either. Default 0. Since API 12. */
  OH_NN_LSTM_NUM_DIRECTIONS = 98,
  /** FLOAT32: no effect, as inference has no dropout. Default 0. Since API 12. */
  OH_NN_LSTM_DROPOUT = 99,
  /** FLOAT32: fraction of the previous cell state that is kept. Default 0. Since API 12. */
  OH_NN_LSTM_ZONEOUT_CELL = 100,
  /** FLOAT32: fraction of the previous hidden state that is kept. Default 0. Since API 12. */
  OH_NN_LSTM_ZONEOUT_HIDDEN = 101,
  /** INT64: must be 0 (no projection). Default 0. Since API 12. */
  OH_NN_LSTM_PROJ_SIZE = 102,
  /** FLOAT32: upper bound. Default 0. Since API 12. */
  OH_NN_CLIP_MAX = 103,
  /** FLOAT32: lower bound. Default 0. Since API 12. */
  OH_NN_CLIP_MIN = 104,
  /** INT64: keep reduced dimensions, with length 1. Default 0. Since API 12. */
  OH_NN_ALL_KEEP_DIMS = 105,
  /** INT64: number of elements of data to log on failure; negative: all. Default 0. Since API 12. */
  OH_NN_ASSERT_SUMMARIZE = 106,
  /** FLOAT32: factor of the input. Default 1. Since API 12. */
  OH_NN_POW_SCALE = 107,
  /** FLOAT32: added to the scaled input. Default 0. Since API 12. */
  OH_NN_POW_SHIFT = 108,
  /** INT32: rounding of the output size: 0 down, 1 up. Default 0. Since API 12. */
  OH_NN_AVG_POOL_ROUND_MODE = 109,
  /** BOOL: the window covers the complete plane. Default false. Since API 12. */
  OH_NN_AVG_POOL_GLOBAL = 110,
  /** BOOL: whether the bias input is used. Absent: used if present. Since API 12. */
  OH_NN_FULL_CONNECTION_HAS_BIAS = 111,
  /** BOOL: whether the axis is used. Absent: used if present. Since API 12. */
  OH_NN_FULL_CONNECTION_USE_AXIS = 112,
  /** BOOL: use the tanh approximation instead of erf. Default false. Since API 12. */
  OH_NN_GELU_APPROXIMATE = 113,
  /** INT32: rounding of the output size: 0 down, 1 up. Default 0. Since API 12. */
  OH_NN_MAX_POOL_ROUND_MODE = 114,
  /** BOOL: the window covers the complete plane. Default false. Since API 12. */
  OH_NN_MAX_POOL_GLOBAL = 115,
  /** INT32: 0 is constant, 1 is reflect, 2 is symmetric. Default 0. Since API 12. */
  OH_NN_PAD_PADDING_MODE = 116,
  /** BOOL: reduce axis[0] and all following dimensions. Default false. */
  OH_NN_REDUCE_MEAN_REDUCE_TO_END = 117,
  /** FLOAT32: factor of the result, used with reduceToEnd. Default 1. */
  OH_NN_REDUCE_MEAN_COEFF = 118,
  /** BOOL: reduce axis[0] and all following dimensions. Default false. */
  OH_NN_REDUCE_PROD_REDUCE_TO_END = 119,
  /** FLOAT32: factor of the result, used with reduceToEnd. Default 1. */
  OH_NN_REDUCE_PROD_COEFF = 120,
  /** BOOL: reduce axis[0] and all following dimensions. Default false. */
  OH_NN_REDUCE_ALL_REDUCE_TO_END = 121,
  /** FLOAT32: factor of the result, used with reduceToEnd. Default 1. */
  OH_NN_REDUCE_ALL_COEFF = 122,
  /** INT32 or INT64: the axis; negative counts from the end. Default -1. Since API 12. */
  OH_NN_TOP_K_AXIS = 123,
  /** INT64: number of largest elements. Default 1. Since API 12. */
  OH_NN_ARG_MAX_TOP_K = 124,
  /** BOOL: output values instead of indices. Default false. Since API 12. */
  OH_NN_ARG_MAX_OUT_MAX_VALUE = 125,
  /** INT64: the channel dimension, for per-channel scales. Default 0. Since API 12. */
  OH_NN_QUANT_DTYPE_CAST_AXIS = 126,
  /** INT64[n]: the dimensions that begin and size refer to. Absent: all, in order. Since API 12. */
  OH_NN_SLICE_AXES = 127,
  /** INT64[n]: the dimensions that multiples refers to. Absent: all. Since API 12. */
  OH_NN_TILE_DIMS = 128,
  /** INT64: first dimension that is cropped. Default 0. Since API 12. */
  OH_NN_CROP_AXIS = 129,
  /** INT64[n]: offset in each cropped dimension, or one for all. Absent: 0. Since API 12. */
  OH_NN_CROP_OFFSET = 130,
  /** INT64: no effect. Default 0. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_INPUT_SIZE = 131,
  /** FLOAT32[4]: scales of the box encoding: height, width, x, y. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_SCALE = 132,
  /** FLOAT32: boxes with a larger intersection over union are suppressed. Default 0. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_NMS_IOU_THRESHOLD = 133,
  /** FLOAT32: detections below this score are dropped. Default 0. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_NMS_SCORE_THRESHOLD = 134,
  /** INT64: number of detections returned. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_MAX_DETECTIONS = 135,
  /** INT64: maximum detections per class in regular suppression. Default 0. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_DETECTIONS_PER_CLASS = 136,
  /** INT64: classes reported for each box. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_MAX_CLASSES_PER_DETECTION = 137,
  /** INT64: number of classes, without background. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_NUM_CLASSES = 138,
  /** BOOL: suppress boxes per class instead of once for all classes. Default false. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_USE_REGULAR_NMS = 139,
  /** BOOL: no effect: outputs are OH_NN_FLOAT32. Default false. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_OUT_QUANTIZED = 140,
  /** INT64[n]: the dimensions summed over. Absent: all. Since API 12. */
  OH_NN_L2_NORMALIZE_AXIS = 141,
  /** FLOAT32: lower bound of the sum of squares. Default 1e-06. Since API 12. */
  OH_NN_L2_NORMALIZE_EPSILON = 142,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. Since API 12. */
  OH_NN_L2_NORMALIZE_ACTIVATION_TYPE = 143,
  /** INT64: the axis; negative counts from the end. Default 0. Since API 12. */
  OH_NN_LOG_SOFTMAX_AXIS = 144,
  /** INT64: channels summed on each side. Default 0. Since API 12. */
  OH_NN_LRN_DEPTH_RADIUS = 145,
  /** FLOAT32: added to the scaled sum. Default 1. Since API 12. */
  OH_NN_LRN_BIAS = 146,
  /** FLOAT32: factor of the sum. Default 1. Since API 12. */
  OH_NN_LRN_ALPHA = 147,
  /** FLOAT32: the exponent. Default 0.5. Since API 12. */
  OH_NN_LRN_BETA = 148,
  /** INT32: must be 0 (across channels). Default 0. Since API 12. */
  OH_NN_LRN_NORM_REGION = 149,
  /** INT64: side of a block. Required. Since API 12. */
  OH_NN_SPACE_TO_DEPTH_BLOCK_SIZE = 150,
  /** BOOL: keep reduced dimensions, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_MAX_KEEP_DIMS = 151,
  /** BOOL: reduce axis[0] and all following dimensions. Default false. Since API 12. */
  OH_NN_REDUCE_MAX_REDUCE_TO_END = 152,
  /** FLOAT32: factor of the result, used with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_MAX_COEFF = 153,
  /** BOOL: keep reduced dimensions, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_MIN_KEEP_DIMS = 154,
  /** BOOL: reduce axis[0] and all following dimensions. Default false. Since API 12. */
  OH_NN_REDUCE_MIN_REDUCE_TO_END = 155,
  /** FLOAT32: factor of the result, used with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_MIN_COEFF = 156,
  /** BOOL: keep reduced dimensions, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_SUM_KEEP_DIMS = 157,
  /** BOOL: reduce axis[0] and all following dimensions. Default false. Since API 12. */
  OH_NN_REDUCE_SUM_REDUCE_TO_END = 158,
  /** FLOAT32: factor of the result, used with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_SUM_COEFF = 159,
  /** BOOL: keep reduced dimensions, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_L2_KEEP_DIMS = 160,
  /** BOOL: reduce axis[0] and all following dimensions. Default false. Since API 12. */
  OH_NN_REDUCE_L2_REDUCE_TO_END = 161,
  /** FLOAT32: factor of the result, used with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_L2_COEFF = 162,
  /** Not a type: makes the type wide enough for the values in nnrt_operators.h. */
  OH_NN_TENSOR_TYPE_RESERVED = 0x7FFFFFFF
} OH_NN_TensorType;

/** A list of tensor numbers, owned by the caller. An empty list has data NULL and size 0. */
typedef struct OH_NN_UInt32Array {
  /** The numbers. */
  uint32_t* data;
  /** The number of values. */
  uint32_t size;
} OH_NN_UInt32Array;

/**
 * Quantization parameters of an OH_NN_Tensor: float = scale * (value - zeroPoint). The arrays are owned by
 * the caller and have quantCount elements: one per tensor, or one per channel.
 * Deprecated since API 11: use NN_QuantParam.
 */
typedef struct OH_NN_QuantParam {
  /** Number of elements of each array. */
  uint32_t quantCount;
  /** Bits of a quantized value: 8. */
  const uint32_t* numBits;
  /** Real-valued size of one quantization step. */
  const double* scale;
  /** The quantized value that represents 0. */
  const int32_t* zeroPoint;
} OH_NN_QuantParam;

/**
 * A tensor of a model, in the form used by API 9. Deprecated since API 11: use NN_TensorDesc, and NN_Tensor
 * for data.
 */
typedef struct OH_NN_Tensor {
  /** Type of the elements. */
  OH_NN_DataType dataType;
  /** Number of dimensions, at most 200; 0 is a scalar. */
  uint32_t dimensionCount;
  /** The dimensions, -1 for one that may change from run to run; NULL if there are none. */
  const int32_t* dimensions;
  /** Quantization, or NULL. */
  const OH_NN_QuantParam* quantParam;
  /** Role of the tensor. */
  OH_NN_TensorType type;
} OH_NN_Tensor;

/**
 * Device memory, mapped for the host. Created by OH_NNExecutor_AllocateInputMemory and
 * OH_NNExecutor_AllocateOutputMemory. Deprecated since API 11: use NN_Tensor.
 */
typedef struct OH_NN_Memory {
  /** Start of the memory; readable and writable. */
  void* const data;
  /** Size in bytes. */
  const size_t length;
} OH_NN_Memory;

/**
 * Called when an asynchronous run ends, exactly once per run, from a thread of the library.
 *
 * @param userData the value passed to OH_NNExecutor_RunAsync.
 * @param errCode the result of the run.
 * @param outputTensor the NN_Tensor pointers passed to OH_NNExecutor_RunAsync; the array itself is valid only
 *        during the call.
 * @param outputCount their number.
 * Since API 11.
 */
typedef void (*NN_OnRunDone)(void* userData, OH_NN_ReturnCode errCode, void* outputTensor[],
                             int32_t outputCount);

/**
 * Called once for each pending asynchronous run when its device is lost, before the run's NN_OnRunDone.
 *
 * @param userData the value passed to OH_NNExecutor_RunAsync.
 * Since API 11.
 */
typedef void (*NN_OnServiceDied)(void* userData);

#ifdef __cplusplus
}
#endif

#endif  // NEURAL_NETWORK_RUNTIME_TYPE_H
