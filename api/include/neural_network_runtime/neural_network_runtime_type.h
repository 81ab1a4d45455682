/**
 * @file neural_network_runtime_type.h
 *
 * Types of the Neural Network Runtime's C API: what functions return, what describes tensors and models, and
 * the handles. Usable from C11 and C++.
 *
 * "Since API n" names the OpenHarmony API level that brought a declaration; nothing marked means API 9.
 */
#ifndef NEURAL_NETWORK_RUNTIME_TYPE_H
#define NEURAL_NETWORK_RUNTIME_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A model while it is composed, and afterwards. Made by OH_NNModel_Construct. */
typedef struct OH_NNModel OH_NNModel;

/** The compilation of a model for a device. Made by OH_NNCompilation_Construct and its siblings. */
typedef struct OH_NNCompilation OH_NNCompilation;

/** Runs a compiled model. Made by OH_NNExecutor_Construct. */
typedef struct OH_NNExecutor OH_NNExecutor;

/** Quantization parameters of a tensor. Made by OH_NNQuantParam_Create. Since API 11. */
typedef struct NN_QuantParam NN_QuantParam;

/** Name, data type, shape and format of a tensor. Made by OH_NNTensorDesc_Create. Since API 11. */
typedef struct NN_TensorDesc NN_TensorDesc;

/** A description with memory that devices share. Made by OH_NNTensor_Create and its siblings. Since API 11.
 */
typedef struct NN_Tensor NN_Tensor;

/** The speed that a device should run at, weighed against power. A hint; it never changes results. */
typedef enum {
  /** The device decides. The default. */
  OH_NN_PERFORMANCE_NONE = 0,
  /** Saves power. */
  OH_NN_PERFORMANCE_LOW = 1,
  /** Between power and speed. */
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
  /** Gives way to others. */
  OH_NN_PRIORITY_LOW = 1,
  /** Neither gives way nor goes first. */
  OH_NN_PRIORITY_MEDIUM = 2,
  /** Goes first. */
  OH_NN_PRIORITY_HIGH = 3
} OH_NN_Priority;

/** Results of functions. Everything but OH_NN_SUCCESS is logged in one line that says why. */
typedef enum {
  /** It is done. */
  OH_NN_SUCCESS = 0,
  /** It could not be done: no such device, no device that runs an operation, an unexpected error. */
  OH_NN_FAILED = 1,
  /** An argument is null, out of range, or does not fit the object or the model. */
  OH_NN_INVALID_PARAMETER = 2,
  /** There is not enough memory, on the host or on the device. */
  OH_NN_MEMORY_ERROR = 3,
  /** Not in this state: the model is (not) finished, the compilation is built, no callback is set. */
  OH_NN_OPERATION_FORBIDDEN = 4,
  /** Part of the interface; this library answers OH_NN_INVALID_PARAMETER for null pointers. */
  OH_NN_NULL_PTR = 5,
  /** A file cannot be read or is damaged. */
  OH_NN_INVALID_FILE = 6,
  /** Misspelt and replaced by OH_NN_UNAVAILABLE_DEVICE; never returned. Deprecated since API 11. */
  OH_NN_UNAVALIDABLE_DEVICE = 7,
  /** A directory does not exist or cannot be entered. */
  OH_NN_INVALID_PATH = 8,
  /** An asynchronous run did not end in time. Since API 11. */
  OH_NN_TIMEOUT = 9,
  /** This is not supported: by the device, for this operation, or for this object. Since API 11. */
  OH_NN_UNSUPPORTED = 10,
  /** The connection to a device's service failed. Since API 11. */
  OH_NN_CONNECTION_EXCEPTION = 11,
  /** The cache could not be written. Since API 11. */
  OH_NN_SAVE_CACHE_EXCEPTION = 12,
  /** A size was asked for of a shape with dimensions that are not known yet. Since API 11. */
  OH_NN_DYNAMIC_SHAPE = 13,
  /** The device does not answer any more, or lacks a feature that was asked for. Since API 11. */
  OH_NN_UNAVAILABLE_DEVICE = 14
} OH_NN_ReturnCode;

/** The activation at the end of some operations: the value of their ...ACTIVATION... parameter, one INT8. */
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
 * The meaning of the dimensions of image data. A statement about data: setting it moves nothing. Only
 * operations that look at height and width or at channels read it.
 */
typedef enum {
  /** No statement; read as batch, height, width, channels where it matters. */
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
  /** A processor. */
  OH_NN_CPU = 1,
  /** A graphics processor, or a software driver that stands in for one. */
  OH_NN_GPU = 2,
  /** Hardware made for neural networks. */
  OH_NN_ACCELERATOR = 3
} OH_NN_DeviceType;

/** Type of a tensor's elements, and how many bytes one takes. */
typedef enum {
  /** Not known. 0 bytes. */
  OH_NN_UNKNOWN = 0,
  /** 0 is false; everything else is true, and written as 1. 1 byte. */
  OH_NN_BOOL = 1,
  /** Signed integer, or the code of a quantized value. 1 byte. */
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
 * The operations of models, for OH_NNModel_AddOperation. "Inputs" lists the input tensors in their order;
 * there is one output unless "Outputs" lists others. Parameters are tensors too: those whose OH_NN_TensorType
 * begins with the operation's name, in any order.
 */
typedef enum {
  /** Sum, element by element, with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_ADD = 1,
  /**
   * Mean over a window that slides over height and width. Padding is not counted. Data has 4 dimensions.
   * Inputs: input.
   */
  OH_NN_OPS_AVG_POOL = 2,
  /**
   * (input - mean) / sqrt(variance + epsilon) * scale + offset, channel by channel. Inputs: input, scale,
   * offset, mean, variance.
   */
  OH_NN_OPS_BATCH_NORM = 3,
  /** Moves blocks of the batch back into height and width, then crops. Inputs: input. */
  OH_NN_OPS_BATCH_TO_SPACE_ND = 4,
  /** Adds one number to each channel. Inputs: input, bias. */
  OH_NN_OPS_BIAS_ADD = 5,
  /**
   * Converts elements to another data type. type is a constant with the OH_NN_DataType as its value. Inputs:
   * input, type.
   */
  OH_NN_OPS_CAST = 6,
  /** Joins two or more tensors along one axis. Inputs: input, ... */
  OH_NN_OPS_CONCAT = 7,
  /**
   * Two-dimensional convolution with groups and dilation. The weight is [outChannel, kernelHeight,
   * kernelWidth, inChannel / group], the bias has outChannel elements. Inputs: input, weight, bias.
   */
  OH_NN_OPS_CONV2D = 8,
  /**
   * Transposed two-dimensional convolution. The weight is [outChannel, kernelHeight, kernelWidth, inChannel /
   * group]. Inputs: input, weight, bias.
   */
  OH_NN_OPS_CONV2D_TRANSPOSE = 9,
  /**
   * Convolution of each channel by itself. The weight is [outChannel, kernelHeight, kernelWidth, 1]. Inputs:
   * input, weight, bias.
   */
  OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE = 10,
  /** Quotient, element by element, with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_DIV = 11,
  /** Product, sum or maximum of two tensors, element by element. Inputs: input1, input2. */
  OH_NN_OPS_ELTWISE = 12,
  /** Inserts a dimension of length 1 before position axis. Inputs: input, axis. */
  OH_NN_OPS_EXPAND_DIMS = 13,
  /** A tensor of the given shape with the same value everywhere. Inputs: value, shape. */
  OH_NN_OPS_FILL = 14,
  /**
   * Fully connected layer: input seen as a matrix, times the transposed weight [outputs, inputs], plus bias.
   * Inputs: input, weight, bias (optional).
   */
  OH_NN_OPS_FULL_CONNECTION = 15,
  /** Slices of the input along an axis, chosen by indices. Inputs: input, inputIndices, axis. */
  OH_NN_OPS_GATHER = 16,
  /** x * min(max(x + 3, 0), 6) / 6. Inputs: input. */
  OH_NN_OPS_HSWISH = 17,
  /**
   * input1 <= input2, element by element, with broadcasting. The output is OH_NN_BOOL. Inputs: input1,
   * input2.
   */
  OH_NN_OPS_LESS_EQUAL = 18,
  /**
   * Matrix product over the last two dimensions; leading dimensions are broadcast. Inputs: input1, input2.
   */
  OH_NN_OPS_MATMUL = 19,
  /** The larger of two values, element by element, with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_MAXIMUM = 20,
  /** Maximum over a window that slides over height and width. Data has 4 dimensions. Inputs: input. */
  OH_NN_OPS_MAX_POOL = 21,
  /** Product, element by element, with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_MUL = 22,
  /**
   * onValue where a new dimension of length depth equals the index, offValue elsewhere. Inputs: indices,
   * depth, onValue, offValue.
   */
  OH_NN_OPS_ONE_HOT = 23,
  /** Adds cells before and after each dimension; paddings is [rank, 2]. Inputs: inputX, paddings. */
  OH_NN_OPS_PAD = 24,
  /** (scale * input + shift) to the power of y, element by element, with broadcasting. Inputs: input, y. */
  OH_NN_OPS_POW = 25,
  /**
   * input * scale + bias, where scale and bias span the dimensions from axis on. Inputs: input, scale, bias.
   */
  OH_NN_OPS_SCALE = 26,
  /** The dimensions of the input, as they are in this run. Inputs: input. */
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
  /** Cuts the input along an axis into several outputs. Inputs: input. Outputs: output, ... */
  OH_NN_OPS_SPLIT = 32,
  /** Square root. Inputs: input. */
  OH_NN_OPS_SQRT = 33,
  /** (input1 - input2) squared, element by element, with broadcasting. Inputs: input1, input2. */
  OH_NN_OPS_SQUARED_DIFFERENCE = 34,
  /** Removes dimensions of length 1. Inputs: input. */
  OH_NN_OPS_SQUEEZE = 35,
  /** Joins two or more tensors of equal shape along a new axis. Inputs: input, ... */
  OH_NN_OPS_STACK = 36,
  /**
   * Every stride-th element of a range of each dimension, by the rules of slices in Python. Inputs: input,
   * begin, end, strides.
   */
  OH_NN_OPS_STRIDED_SLICE = 37,
  /** Difference, element by element, with broadcasting. Inputs: input1, input2. */
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
   * The same elements in another shape; one dimension may be -1: whatever is left. Inputs: input, inputShape.
   */
  OH_NN_OPS_RESHAPE = 45,
  /** x where x > 0, otherwise x times the weight of its channel. Inputs: input, weight. */
  OH_NN_OPS_PRELU = 46,
  /** max(x, 0). Inputs: input. */
  OH_NN_OPS_RELU = 47,
  /** min(max(x, 0), 6). Inputs: input. */
  OH_NN_OPS_RELU6 = 48,
  /**
   * Normalizes to mean 0 and variance 1 over the last dimensions, then scales by gamma and shifts by beta.
   * Inputs: input, gamma, beta.
   */
  OH_NN_OPS_LAYER_NORM = 49,
  /** Product over the given axes. Inputs: input, axis. */
  OH_NN_OPS_REDUCE_PROD = 50,
  /** Logical and over the given axes, of OH_NN_BOOL. Inputs: input, axis. */
  OH_NN_OPS_REDUCE_ALL = 51,
  /** Converts between floating and quantized tensors, or between quantized ones. Inputs: input. */
  OH_NN_OPS_QUANT_DTYPE_CAST = 52,
  /**
   * The k largest elements along an axis (output 0) and their positions (output 1). Inputs: input, k.
   * Outputs: output0, output1.
   */
  OH_NN_OPS_TOP_K = 53,
  /** Position, or value, of the largest element along an axis. Inputs: input. */
  OH_NN_OPS_ARG_MAX = 54,
  /** Inserts dimensions of length 1. Inputs: input. */
  OH_NN_OPS_UNSQUEEZE = 55,
  /** x times the cumulative normal distribution of x. Inputs: input. */
  OH_NN_OPS_GELU = 56,
  /**
   * Cuts the input along an axis into tensors that no longer have it. Inputs: input. Outputs: output, ...
   * Since API 12.
   */
  OH_NN_OPS_UNSTACK = 57,
  /** Absolute value. Inputs: input. Since API 12. */
  OH_NN_OPS_ABS = 58,
  /** The Gauss error function. Inputs: input. Since API 12. */
  OH_NN_OPS_ERF = 59,
  /** base to the power of (shift + scale * x). Inputs: input. Since API 12. */
  OH_NN_OPS_EXP = 60,
  /**
   * input1 < input2, element by element, with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2.
   * Since API 12.
   */
  OH_NN_OPS_LESS = 61,
  /** input1 where condition holds, otherwise input2. Inputs: condition, input1, input2. Since API 12. */
  OH_NN_OPS_SELECT = 62,
  /** x * x. Inputs: input. Since API 12. */
  OH_NN_OPS_SQUARE = 63,
  /** Two dimensions: the product of those before axis, and of the rest. Inputs: input. Since API 12. */
  OH_NN_OPS_FLATTEN = 64,
  /** Moves blocks of channels into height and width. Inputs: input. Since API 12. */
  OH_NN_OPS_DEPTH_TO_SPACE = 65,
  /**
   * start, start + delta, start + 2 * delta ... before limit. The input only gives the data type. Inputs:
   * input. Since API 12.
   */
  OH_NN_OPS_RANGE = 66,
  /**
   * Normalizes each channel of each batch to mean 0 and variance 1, then scales and shifts it. Inputs: input,
   * scale, bias. Since API 12.
   */
  OH_NN_OPS_INSTANCE_NORM = 67,
  /** A tensor of the given shape with the same value everywhere. Inputs: shape. Since API 12. */
  OH_NN_OPS_CONSTANT_OF_SHAPE = 68,
  /** Repeats dimensions of length 1 until the shape is reached. Inputs: input. Since API 12. */
  OH_NN_OPS_BROADCAST_TO = 69,
  /**
   * input1 == input2, element by element, with broadcasting. The output is OH_NN_BOOL. Inputs: input1,
   * input2. Since API 12.
   */
  OH_NN_OPS_EQUAL = 70,
  /**
   * input1 > input2, element by element, with broadcasting. The output is OH_NN_BOOL. Inputs: input1, input2.
   * Since API 12.
   */
  OH_NN_OPS_GREATER = 71,
  /**
   * input1 != input2, element by element, with broadcasting. The output is OH_NN_BOOL. Inputs: input1,
   * input2. Since API 12.
   */
  OH_NN_OPS_NOT_EQUAL = 72,
  /**
   * input1 >= input2, element by element, with broadcasting. The output is OH_NN_BOOL. Inputs: input1,
   * input2. Since API 12.
   */
  OH_NN_OPS_GREATER_EQUAL = 73,
  /** x where x > 0, otherwise negativeSlope * x. Inputs: input. Since API 12. */
  OH_NN_OPS_LEAKY_RELU = 74,
  /**
   * Long short-term memory over a sequence, stacked and bidirectional if wanted. Inputs: input, wIh, wHh,
   * bias, hx, cx. Outputs: output, hy, cy. Since API 12.
   */
  OH_NN_OPS_LSTM = 75,
  /** min(max(x, min), max). Inputs: input. Since API 12. */
  OH_NN_OPS_CLIP = 76,
  /** Logical and of x != 0 over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_ALL = 77,
  /**
   * Fails the run when condition is false; passes data on otherwise. Inputs: condition, data. Since API 12.
   */
  OH_NN_OPS_ASSERT = 78,
  /** Cosine of radians. Inputs: input. Since API 12. */
  OH_NN_OPS_COS = 79,
  /** Natural logarithm. Inputs: input. Since API 12. */
  OH_NN_OPS_LOG = 80,
  /** input1 and input2, element by element, with broadcasting. Inputs: input1, input2. Since API 12. */
  OH_NN_OPS_LOGICAL_AND = 81,
  /** not x. Inputs: input. Since API 12. */
  OH_NN_OPS_LOGICAL_NOT = 82,
  /**
   * Remainder of a division that rounds towards zero, so it has the sign of input1. Inputs: input1, input2.
   * Since API 12.
   */
  OH_NN_OPS_MOD = 83,
  /** -x. Inputs: input. Since API 12. */
  OH_NN_OPS_NEG = 84,
  /** 1 / x. Inputs: input. Since API 12. */
  OH_NN_OPS_RECIPROCAL = 85,
  /** Sine of radians. Inputs: input. Since API 12. */
  OH_NN_OPS_SIN = 86,
  /**
   * input1 where condition holds, otherwise input2, all three broadcast. Inputs: condition, input1, input2.
   * Since API 12.
   */
  OH_NN_OPS_WHERE = 87,
  /**
   * Zeros of shape sparseShape, with values written where indices say. Inputs: indices, values, sparseShape.
   * Since API 12.
   */
  OH_NN_OPS_SPARSE_TO_DENSE = 88,
  /** input1 or input2, element by element, with broadcasting. Inputs: input1, input2. Since API 12. */
  OH_NN_OPS_LOGICAL_OR = 89,
  /** The smallest integer that is not below x. Inputs: input. Since API 12. */
  OH_NN_OPS_CEIL = 90,
  /**
   * A block of the input, of the shape that the second input has, starting at an offset. Inputs: input,
   * shape. Since API 12.
   */
  OH_NN_OPS_CROP = 91,
  /**
   * Decodes the boxes of an SSD network, suppresses overlaps and returns the best detections. Inputs: bbox,
   * scores, anchors. Outputs: bboxes, classes, confidences, numDetections. Since API 12.
   */
  OH_NN_OPS_DETECTION_POST_PROCESS = 92,
  /** The largest integer that is not above x. Inputs: input. Since API 12. */
  OH_NN_OPS_FLOOR = 93,
  /** x / sqrt(max(sum of squares, epsilon)) over the given axes. Inputs: input. Since API 12. */
  OH_NN_OPS_L2_NORMALIZE = 94,
  /** Logarithm of SOFTMAX along an axis. Inputs: input. Since API 12. */
  OH_NN_OPS_LOG_SOFTMAX = 95,
  /** Local response normalization across channels. Inputs: input. Since API 12. */
  OH_NN_OPS_LRN = 96,
  /**
   * The smaller of two values, element by element, with broadcasting. Inputs: input1, input2. Since API 12.
   */
  OH_NN_OPS_MINIMUM = 97,
  /** Number of dimensions of the input. Inputs: input. Since API 12. */
  OH_NN_OPS_RANK = 98,
  /** Maximum over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_REDUCE_MAX = 99,
  /** Minimum over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_REDUCE_MIN = 100,
  /** Sum over the given axes. Inputs: input, axis. Since API 12. */
  OH_NN_OPS_REDUCE_SUM = 101,
  /** Nearest integer; ties go away from zero. Inputs: input. Since API 12. */
  OH_NN_OPS_ROUND = 102,
  /**
   * Zeros of the given shape, with updates written where indices say. Inputs: indices, updates, shape. Since
   * API 12.
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
  /** Slices of the input, chosen by index tuples. Inputs: input, indices. Since API 12. */
  OH_NN_OPS_GATHER_ND = 108,
  /** No operator: it makes room in the type for the numbers of nnrt_operators.h. */
  OH_NN_OPS_RESERVED = 0x7FFFFFFF
} OH_NN_OperationType;

/**
 * The use of a tensor of a model: data, or one parameter of one operation. Each parameter's comment gives
 * its data type, with the number of elements in brackets where that is not one. A parameter is optional
 * unless it says "required"; one that is neither required nor has a default has no effect when absent.
 */
typedef enum {
  /** Data: an input, an output, a weight, or what flows between operations. */
  OH_NN_TENSOR = 0,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_ADD_ACTIVATIONTYPE = 1,
  /** INT64[2]: height and width of the window; required unless global. */
  OH_NN_AVG_POOL_KERNEL_SIZE = 2,
  /** INT64[2]: steps along height and width. Default [1, 1]. */
  OH_NN_AVG_POOL_STRIDE = 3,
  /** INT8: 0 is same, 1 is valid. May also be a list as in the other padding parameter. */
  OH_NN_AVG_POOL_PAD_MODE = 4,
  /**
   * INT64[4]: cells added at top, bottom, left, right. May also be a mode as in the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_AVG_POOL_PAD = 5,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_AVG_POOL_ACTIVATION_TYPE = 6,
  /** FLOAT32: keeps the divisor away from zero. Default 0.0001. */
  OH_NN_BATCH_NORM_EPSILON = 7,
  /** INT64[2]: height and width of a block. Required. */
  OH_NN_BATCH_TO_SPACE_ND_BLOCKSIZE = 8,
  /** INT64[4]: cells cut off at top, bottom, left, right. Default [0, 0, 0, 0]. */
  OH_NN_BATCH_TO_SPACE_ND_CROPS = 9,
  /** INT64: the axis; negative counts from the end. Default 0. */
  OH_NN_CONCAT_AXIS = 10,
  /** INT64[2]: steps along height and width. Default [1, 1]. */
  OH_NN_CONV2D_STRIDES = 11,
  /**
   * INT64[4]: cells added at top, bottom, left, right. May also be a mode as in the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_CONV2D_PAD = 12,
  /** INT64[2]: distances of kernel cells along height and width. Default [1, 1]. */
  OH_NN_CONV2D_DILATION = 13,
  /** INT8: 0 is same, 1 is valid. May also be a list as in the other padding parameter. */
  OH_NN_CONV2D_PAD_MODE = 14,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_CONV2D_ACTIVATION_TYPE = 15,
  /** INT64: number of groups. Default 1. */
  OH_NN_CONV2D_GROUP = 16,
  /** INT64[2]: steps along height and width. Default [1, 1]. */
  OH_NN_CONV2D_TRANSPOSE_STRIDES = 17,
  /**
   * INT64[4]: cells added at top, bottom, left, right. May also be a mode as in the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_CONV2D_TRANSPOSE_PAD = 18,
  /** INT64[2]: distances of kernel cells along height and width. Default [1, 1]. */
  OH_NN_CONV2D_TRANSPOSE_DILATION = 19,
  /**
   * INT64[1 or 2]: cells added to the output at the end of height and width, or one number for both. Default
   * [0, 0].
   */
  OH_NN_CONV2D_TRANSPOSE_OUTPUT_PADDINGS = 20,
  /** INT8: 0 is same, 1 is valid. May also be a list as in the other padding parameter. */
  OH_NN_CONV2D_TRANSPOSE_PAD_MODE = 21,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_CONV2D_TRANSPOSE_ACTIVATION_TYPE = 22,
  /** INT64: number of groups. Default 1. */
  OH_NN_CONV2D_TRANSPOSE_GROUP = 23,
  /** INT64[2]: steps along height and width. Default [1, 1]. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES = 24,
  /**
   * INT64[4]: cells added at top, bottom, left, right. May also be a mode as in the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD = 25,
  /** INT64[2]: distances of kernel cells along height and width. Default [1, 1]. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_DILATION = 26,
  /** INT8: 0 is same, 1 is valid. May also be a list as in the other padding parameter. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE = 27,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE = 28,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_DIV_ACTIVATIONTYPE = 29,
  /** INT8: 0 is product, 1 is sum, 2 is maximum. Default 0. */
  OH_NN_ELTWISE_MODE = 30,
  /** INT64: first dimension that is flattened into the rows of the matrix product. Default 0. */
  OH_NN_FULL_CONNECTION_AXIS = 31,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_FULL_CONNECTION_ACTIVATIONTYPE = 32,
  /** BOOL: the first matrix is transposed. Default false. */
  OH_NN_MATMUL_TRANSPOSE_A = 33,
  /** BOOL: the second matrix is transposed. Default false. */
  OH_NN_MATMUL_TRANSPOSE_B = 34,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_MATMUL_ACTIVATION_TYPE = 35,
  /** INT64[2]: height and width of the window; required unless global. */
  OH_NN_MAX_POOL_KERNEL_SIZE = 36,
  /** INT64[2]: steps along height and width. Default [1, 1]. */
  OH_NN_MAX_POOL_STRIDE = 37,
  /** INT8: 0 is same, 1 is valid. May also be a list as in the other padding parameter. */
  OH_NN_MAX_POOL_PAD_MODE = 38,
  /**
   * INT64[4]: cells added at top, bottom, left, right. May also be a mode as in the other padding parameter.
   * Default [0, 0, 0, 0].
   */
  OH_NN_MAX_POOL_PAD = 39,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_MAX_POOL_ACTIVATION_TYPE = 40,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_MUL_ACTIVATION_TYPE = 41,
  /** INT64: position of the new dimension; -1: last. Default -1. */
  OH_NN_ONE_HOT_AXIS = 42,
  /** FLOAT32: value of the added cells; may also have the data type of the input. Default 0. */
  OH_NN_PAD_CONSTANT_VALUE = 43,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_SCALE_ACTIVATIONTYPE = 44,
  /** INT64: first dimension that scale and bias span. Required. */
  OH_NN_SCALE_AXIS = 45,
  /** INT64: the axis; negative counts from the end. Default -1. */
  OH_NN_SOFTMAX_AXIS = 46,
  /** INT64[2]: height and width of a block. Required. */
  OH_NN_SPACE_TO_BATCH_ND_BLOCK_SHAPE = 47,
  /** INT64[4]: cells added at top, bottom, left, right. Default [0, 0, 0, 0]. */
  OH_NN_SPACE_TO_BATCH_ND_PADDINGS = 48,
  /** INT64: the axis; negative counts from the end. Default 0. */
  OH_NN_SPLIT_AXIS = 49,
  /** INT64: number of outputs, if given. */
  OH_NN_SPLIT_OUTPUT_NUM = 50,
  /** INT64[n]: length of each output along the axis. Absent: equal parts. */
  OH_NN_SPLIT_SIZE_SPLITS = 51,
  /** INT64[n]: the dimensions to remove. Absent: all of length 1. */
  OH_NN_SQUEEZE_AXIS = 52,
  /** INT64: position of the new dimension. Default 0. */
  OH_NN_STACK_AXIS = 53,
  /** INT64: bit i set: begin[i] is ignored. Default 0. */
  OH_NN_STRIDED_SLICE_BEGIN_MASK = 54,
  /** INT64: bit i set: end[i] is ignored. Default 0. */
  OH_NN_STRIDED_SLICE_END_MASK = 55,
  /** INT64: bit i set: this dimension is taken whole. Default 0. */
  OH_NN_STRIDED_SLICE_ELLIPSIS_MASK = 56,
  /** INT64: bit i set: entry i makes a new dimension of length 1. Default 0. */
  OH_NN_STRIDED_SLICE_NEW_AXIS_MASK = 57,
  /** INT64: bit i set: element begin[i] alone is taken and the dimension removed. Default 0. */
  OH_NN_STRIDED_SLICE_SHRINK_AXIS_MASK = 58,
  /** INT8: fused activation, an OH_NN_FuseType. Default 0. */
  OH_NN_SUB_ACTIVATIONTYPE = 59,
  /** BOOL: reduced dimensions stay, with length 1. Default false. */
  OH_NN_REDUCE_MEAN_KEEP_DIMS = 60,
  /** INT64: height of the output. Required. */
  OH_NN_RESIZE_BILINEAR_NEW_HEIGHT = 61,
  /** INT64: width of the output. Required. */
  OH_NN_RESIZE_BILINEAR_NEW_WIDTH = 62,
  /** BOOL: requires that height and width are scaled alike. Default false. */
  OH_NN_RESIZE_BILINEAR_PRESERVE_ASPECT_RATIO = 63,
  /** INT8 or INT32: 0 is asymmetric, 1 aligns corners, 2 is half pixel. Default 0. */
  OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE = 64,
  /** INT64: without effect in bilinear interpolation. Default 0. */
  OH_NN_RESIZE_BILINEAR_EXCLUDE_OUTSIDE = 65,
  /** INT32 or INT64: first dimension that is normalized. Default 1. */
  OH_NN_LAYER_NORM_BEGIN_NORM_AXIS = 66,
  /** FLOAT32: keeps the divisor away from zero. Default 1e-07. */
  OH_NN_LAYER_NORM_EPSILON = 67,
  /** INT32 or INT64: first dimension of gamma and beta. Default 1. */
  OH_NN_LAYER_NORM_BEGIN_PARAM_AXIS = 68,
  /** Was a parameter of OH_NN_OPS_LAYER_NORM. No operation accepts it any more. */
  OH_NN_LAYER_NORM_ELEMENTWISE_AFFINE = 69,
  /** BOOL: reduced dimensions stay, with length 1. Default false. */
  OH_NN_REDUCE_PROD_KEEP_DIMS = 70,
  /** BOOL: reduced dimensions stay, with length 1. Default false. */
  OH_NN_REDUCE_ALL_KEEP_DIMS = 71,
  /** INT64: data type of the input, an OH_NN_DataType. Required. */
  OH_NN_QUANT_DTYPE_CAST_SRC_T = 72,
  /** INT64: data type of the output, an OH_NN_DataType. Required. */
  OH_NN_QUANT_DTYPE_CAST_DST_T = 73,
  /** BOOL: descending order; otherwise ascending. Default true. */
  OH_NN_TOP_K_SORTED = 74,
  /** INT64: the axis; negative counts from the end. Default -1. */
  OH_NN_ARG_MAX_AXIS = 75,
  /** BOOL: the axis stays, with length 1. Default false. */
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
  /** INT64: the end, itself excluded. Default 0. Since API 12. */
  OH_NN_RANGE_LIMIT = 83,
  /** INT64: the step. Default 1. Since API 12. */
  OH_NN_RANGE_DELTA = 84,
  /** INT64: data type of the output. Absent: as the output is declared. Since API 12. */
  OH_NN_CONSTANT_OF_SHAPE_DATA_TYPE = 85,
  /** FLOAT32: the value. Default 0. Since API 12. */
  OH_NN_CONSTANT_OF_SHAPE_VALUE = 86,
  /** INT64[1 to 8]: the wanted shape. Required. Since API 12. */
  OH_NN_BROADCAST_TO_SHAPE = 87,
  /** FLOAT32: keeps the divisor away from zero. Default 0. Since API 12. */
  OH_NN_INSTANCE_NORM_EPSILON = 88,
  /** FLOAT32: the base; -1 means e. Default -1. Since API 12. */
  OH_NN_EXP_BASE = 89,
  /** FLOAT32: factor of the exponent. Default 1. Since API 12. */
  OH_NN_EXP_SCALE = 90,
  /** FLOAT32: added to the exponent. Default 0. Since API 12. */
  OH_NN_EXP_SHIFT = 91,
  /** FLOAT32: factor where x < 0. Default 0. Since API 12. */
  OH_NN_LEAKY_RELU_NEGATIVE_SLOPE = 92,
  /** BOOL: whether the sequence is read in both directions. Default false. Since API 12. */
  OH_NN_LSTM_BIDIRECTIONAL = 93,
  /** BOOL: whether the bias counts. Default false. Since API 12. */
  OH_NN_LSTM_HAS_BIAS = 94,
  /** INT64: elements of an input vector; 0: as the shape of the input says. Default 0. Since API 12. */
  OH_NN_LSTM_INPUT_SIZE = 95,
  /** INT64: elements of a hidden vector; 0: as the shapes of the weights say. Default 0. Since API 12. */
  OH_NN_LSTM_HIDDEN_SIZE = 96,
  /** INT64: number of layers; 0: 1. Default 0. Since API 12. */
  OH_NN_LSTM_NUM_LAYERS = 97,
  /** INT64: 1, or 2 where bidirectional; 0: whichever it is. Default 0. Since API 12. */
  OH_NN_LSTM_NUM_DIRECTIONS = 98,
  /** FLOAT32: without effect: inference drops nothing. Default 0. Since API 12. */
  OH_NN_LSTM_DROPOUT = 99,
  /** FLOAT32: share of the former cell state that is kept. Default 0. Since API 12. */
  OH_NN_LSTM_ZONEOUT_CELL = 100,
  /** FLOAT32: share of the former hidden state that is kept. Default 0. Since API 12. */
  OH_NN_LSTM_ZONEOUT_HIDDEN = 101,
  /** INT64: only 0: no projection. Default 0. Since API 12. */
  OH_NN_LSTM_PROJ_SIZE = 102,
  /** FLOAT32: the largest value. Default 0. Since API 12. */
  OH_NN_CLIP_MAX = 103,
  /** FLOAT32: the smallest value. Default 0. Since API 12. */
  OH_NN_CLIP_MIN = 104,
  /** INT64: reduced dimensions stay, with length 1. Default 0. Since API 12. */
  OH_NN_ALL_KEEP_DIMS = 105,
  /** INT64: how many elements of data to log on failure; negative: all. Default 0. Since API 12. */
  OH_NN_ASSERT_SUMMARIZE = 106,
  /** FLOAT32: factor of the input. Default 1. Since API 12. */
  OH_NN_POW_SCALE = 107,
  /** FLOAT32: added to the scaled input. Default 0. Since API 12. */
  OH_NN_POW_SHIFT = 108,
  /** INT32: size of the output: 0 rounds down, 1 rounds up. Default 0. Since API 12. */
  OH_NN_AVG_POOL_ROUND_MODE = 109,
  /** BOOL: the window is the whole plane. Default false. Since API 12. */
  OH_NN_AVG_POOL_GLOBAL = 110,
  /** BOOL: whether a bias input counts. Absent: whether there is one. Since API 12. */
  OH_NN_FULL_CONNECTION_HAS_BIAS = 111,
  /** BOOL: whether the axis counts. Absent: whether there is one. Since API 12. */
  OH_NN_FULL_CONNECTION_USE_AXIS = 112,
  /** BOOL: computes by tanh instead of erf. Default false. Since API 12. */
  OH_NN_GELU_APPROXIMATE = 113,
  /** INT32: size of the output: 0 rounds down, 1 rounds up. Default 0. Since API 12. */
  OH_NN_MAX_POOL_ROUND_MODE = 114,
  /** BOOL: the window is the whole plane. Default false. Since API 12. */
  OH_NN_MAX_POOL_GLOBAL = 115,
  /** INT32: 0 is constant, 1 is reflect, 2 is symmetric. Default 0. Since API 12. */
  OH_NN_PAD_PADDING_MODE = 116,
  /** BOOL: reduces axis[0] and all dimensions behind it. Default false. */
  OH_NN_REDUCE_MEAN_REDUCE_TO_END = 117,
  /** FLOAT32: factor of the result, together with reduceToEnd. Default 1. */
  OH_NN_REDUCE_MEAN_COEFF = 118,
  /** BOOL: reduces axis[0] and all dimensions behind it. Default false. */
  OH_NN_REDUCE_PROD_REDUCE_TO_END = 119,
  /** FLOAT32: factor of the result, together with reduceToEnd. Default 1. */
  OH_NN_REDUCE_PROD_COEFF = 120,
  /** BOOL: reduces axis[0] and all dimensions behind it. Default false. */
  OH_NN_REDUCE_ALL_REDUCE_TO_END = 121,
  /** FLOAT32: factor of the result, together with reduceToEnd. Default 1. */
  OH_NN_REDUCE_ALL_COEFF = 122,
  /** INT32 or INT64: the axis; negative counts from the end. Default -1. Since API 12. */
  OH_NN_TOP_K_AXIS = 123,
  /** INT64: how many of the largest elements. Default 1. Since API 12. */
  OH_NN_ARG_MAX_TOP_K = 124,
  /** BOOL: the output holds values instead of positions. Default false. Since API 12. */
  OH_NN_ARG_MAX_OUT_MAX_VALUE = 125,
  /** INT64: the channel dimension, where there are several scales. Default 0. Since API 12. */
  OH_NN_QUANT_DTYPE_CAST_AXIS = 126,
  /** INT64[n]: the dimensions that begin and size speak of. Absent: all, in order. Since API 12. */
  OH_NN_SLICE_AXES = 127,
  /** INT64[n]: the dimensions that multiples speaks of. Absent: all. Since API 12. */
  OH_NN_TILE_DIMS = 128,
  /** INT64: first dimension that is cropped. Default 0. Since API 12. */
  OH_NN_CROP_AXIS = 129,
  /** INT64[n]: start in each cropped dimension, or one for all. Absent: 0. Since API 12. */
  OH_NN_CROP_OFFSET = 130,
  /** INT64: without effect. Default 0. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_INPUT_SIZE = 131,
  /** FLOAT32[4]: scales of the box encoding: height, width, x, y. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_SCALE = 132,
  /** FLOAT32: boxes that overlap more than this are one detection. Default 0. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_NMS_IOU_THRESHOLD = 133,
  /** FLOAT32: detections below this score are dropped. Default 0. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_NMS_SCORE_THRESHOLD = 134,
  /** INT64: number of detections returned. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_MAX_DETECTIONS = 135,
  /**
   * INT64: detections of each class that are considered, with the regular suppression. Default 0. Since API
   * 12.
   */
  OH_NN_DETECTION_POST_PROCESS_DETECTIONS_PER_CLASS = 136,
  /** INT64: classes reported for each box. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_MAX_CLASSES_PER_DETECTION = 137,
  /** INT64: number of classes, background not counted. Required. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_NUM_CLASSES = 138,
  /**
   * BOOL: suppresses overlaps class by class, instead of once for all classes. Default false. Since API 12.
   */
  OH_NN_DETECTION_POST_PROCESS_USE_REGULAR_NMS = 139,
  /** BOOL: without effect: outputs are OH_NN_FLOAT32. Default false. Since API 12. */
  OH_NN_DETECTION_POST_PROCESS_OUT_QUANTIZED = 140,
  /** INT64[n]: the dimensions summed over. Absent: all. Since API 12. */
  OH_NN_L2_NORMALIZE_AXIS = 141,
  /** FLOAT32: keeps the divisor away from zero. Default 1e-06. Since API 12. */
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
  /** INT32: 0 is across channels, the only value. Default 0. Since API 12. */
  OH_NN_LRN_NORM_REGION = 149,
  /** INT64: side of a block. Required. Since API 12. */
  OH_NN_SPACE_TO_DEPTH_BLOCK_SIZE = 150,
  /** BOOL: reduced dimensions stay, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_MAX_KEEP_DIMS = 151,
  /** BOOL: reduces axis[0] and all dimensions behind it. Default false. Since API 12. */
  OH_NN_REDUCE_MAX_REDUCE_TO_END = 152,
  /** FLOAT32: factor of the result, together with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_MAX_COEFF = 153,
  /** BOOL: reduced dimensions stay, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_MIN_KEEP_DIMS = 154,
  /** BOOL: reduces axis[0] and all dimensions behind it. Default false. Since API 12. */
  OH_NN_REDUCE_MIN_REDUCE_TO_END = 155,
  /** FLOAT32: factor of the result, together with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_MIN_COEFF = 156,
  /** BOOL: reduced dimensions stay, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_SUM_KEEP_DIMS = 157,
  /** BOOL: reduces axis[0] and all dimensions behind it. Default false. Since API 12. */
  OH_NN_REDUCE_SUM_REDUCE_TO_END = 158,
  /** FLOAT32: factor of the result, together with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_SUM_COEFF = 159,
  /** BOOL: reduced dimensions stay, with length 1. Default false. Since API 12. */
  OH_NN_REDUCE_L2_KEEP_DIMS = 160,
  /** BOOL: reduces axis[0] and all dimensions behind it. Default false. Since API 12. */
  OH_NN_REDUCE_L2_REDUCE_TO_END = 161,
  /** FLOAT32: factor of the result, together with reduceToEnd. Default 1. Since API 12. */
  OH_NN_REDUCE_L2_COEFF = 162,
  /** No type: it makes room for the numbers of nnrt_operators.h. */
  OH_NN_TENSOR_TYPE_RESERVED = 0x7FFFFFFF
} OH_NN_TensorType;

/** A list of tensor numbers. An empty list has data NULL and size 0. The list stays the caller's. */
typedef struct OH_NN_UInt32Array {
  /** The numbers. */
  uint32_t* data;
  /** The number of values. */
  uint32_t size;
} OH_NN_UInt32Array;

/**
 * Quantization parameters of an OH_NN_Tensor: float = scale * (value - zeroPoint). The arrays have
 * quantCount elements, one for the whole tensor or one for each channel, and stay the caller's.
 * Deprecated since API 11: use NN_QuantParam.
 */
typedef struct OH_NN_QuantParam {
  /** Number of elements of each array. */
  uint32_t quantCount;
  /** Bits of a quantized value: 8. */
  const uint32_t* numBits;
  /** Difference between the floats of two neighbouring values. */
  const double* scale;
  /** The quantized value of 0. */
  const int32_t* zeroPoint;
} OH_NN_QuantParam;

/**
 * A tensor of a model, in the form of API 9. Deprecated since API 11: use NN_TensorDesc, and NN_Tensor for
 * data.
 */
typedef struct OH_NN_Tensor {
  /** Type of the elements. */
  OH_NN_DataType dataType;
  /** Number of dimensions, at most 200; 0 is a scalar. */
  uint32_t dimensionCount;
  /** The dimensions, -1 for one that each run decides; NULL if there are none. */
  const int32_t* dimensions;
  /** Quantization, or NULL. */
  const OH_NN_QuantParam* quantParam;
  /** The purpose of the tensor. */
  OH_NN_TensorType type;
} OH_NN_Tensor;

/**
 * Memory of a device, mapped for the host. Made by OH_NNExecutor_AllocateInputMemory and
 * OH_NNExecutor_AllocateOutputMemory. Deprecated since API 11: use NN_Tensor.
 */
typedef struct OH_NN_Memory {
  /** First byte; readable and writable. */
  void* const data;
  /** Size in bytes. */
  const size_t length;
} OH_NN_Memory;

/**
 * Called when an asynchronous run ends, exactly once for each, from a thread of the library.
 *
 * @param userData what OH_NNExecutor_RunAsync was given.
 * @param errCode how the run ended.
 * @param outputTensor the NN_Tensor pointers that OH_NNExecutor_RunAsync was given; the array itself is valid
 *        during the call only.
 * @param outputCount their number.
 * Since API 11.
 */
typedef void (*NN_OnRunDone)(void* userData, OH_NN_ReturnCode errCode, void* outputTensor[],
                             int32_t outputCount);

/**
 * Called once for each pending asynchronous run when its device is lost, before the run's NN_OnRunDone.
 *
 * @param userData what OH_NNExecutor_RunAsync was given.
 * Since API 11.
 */
typedef void (*NN_OnServiceDied)(void* userData);

#ifdef __cplusplus
}
#endif

#endif  // NEURAL_NETWORK_RUNTIME_TYPE_H
