/**
 * @file nnrt_operators.h
 *
 * Operators of this runtime that OpenHarmony's API does not have, and their parameters: the counterpart of
 * neural_network_runtime_type.h. Included by nnrt_extensions.h.
 */
#ifndef NNRT_OPERATORS_H
#define NNRT_OPERATORS_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Additional operators for OH_NNModel_AddOperation; the numbers of OH_NN_OperationType end below 1000. C
 * accepts them directly; C++ needs static_cast<OH_NN_OperationType>(OH_NN_OPS_CUM_SUM). The CPU device runs
 * all of them. OpenHarmony's runtime returns OH_NN_INVALID_PARAMETER for them, as does this one in its
 * compatibility mode. docs/spec/operators gives the dtypes and the result of each.
 */
typedef enum {
  /** -1, 0 or 1 for a negative, zero or positive input; NaN stays NaN. Inputs: input. */
  OH_NN_OPS_SIGN = 1000,
  /** Bitwise NOT. Inputs: input. */
  OH_NN_OPS_BITWISE_NOT = 1001,
  /** Bitwise AND. Inputs: input1, input2. */
  OH_NN_OPS_BITWISE_AND = 1002,
  /** Bitwise OR. Inputs: input1, input2. */
  OH_NN_OPS_BITWISE_OR = 1003,
  /** Bitwise XOR. Inputs: input1, input2. */
  OH_NN_OPS_BITWISE_XOR = 1004,
  /** The first input shifted by the number of bits in the second. Inputs: input1, input2. */
  OH_NN_OPS_BIT_SHIFT = 1005,
  /** Rounds to the nearest integer, ties to even. Inputs: input. */
  OH_NN_OPS_ROUND_HALF_EVEN = 1006,

  /** Gathers one element along an axis for each index. Inputs: input, indices. */
  OH_NN_OPS_GATHER_ELEMENTS = 1010,
  /**
   * The input with elements along an axis replaced or combined with updates. Inputs: input, indices, updates.
   */
  OH_NN_OPS_SCATTER_ELEMENTS = 1011,
  /** The input with slices at index tuples replaced or combined. Inputs: input, indices, updates. */
  OH_NN_OPS_SCATTER_ND_UPDATE = 1012,
  /** Cumulative sum along an axis. Inputs: input. */
  OH_NN_OPS_CUM_SUM = 1013,
  /** Upper or lower triangle of the last two dimensions, zeros elsewhere. Inputs: input. */
  OH_NN_OPS_TRILU = 1014,
  /** Indices of all non-zero elements, one column each. Inputs: input. */
  OH_NN_OPS_NON_ZERO = 1015,
  /** Non-maximum suppression of boxes, per class. Inputs: boxes, scores. */
  OH_NN_OPS_NON_MAX_SUPPRESSION = 1016,
  /** The different slices along an axis. Inputs: input. Outputs: output, indices, inverse, counts. */
  OH_NN_OPS_UNIQUE = 1017,

  /** Resizes any dimensions by interpolation. Inputs: input, size. */
  OH_NN_OPS_RESIZE = 1020,
  /** Interpolates the input at the points of a grid. Inputs: input, grid. */
  OH_NN_OPS_GRID_SAMPLE = 1021,
  /** 3-D convolution over depth, height and width. Inputs: input, weight, bias. */
  OH_NN_OPS_CONV3D = 1022,
  /** Average pooling over one to three dimensions. Inputs: input. */
  OH_NN_OPS_AVG_POOL_ND = 1023,
  /** Max pooling over one to three dimensions. Inputs: input. */
  OH_NN_OPS_MAX_POOL_ND = 1024,
  /** Regions of interest, interpolated into a fixed grid. Inputs: input, regions, batchIndices. */
  OH_NN_OPS_ROI_ALIGN = 1025,
  /** Sums the columns of overlapping blocks into an image. Inputs: input, size. */
  OH_NN_OPS_COL2IM = 1026,
  /** Padding that repeats the edge elements. Inputs: input, paddings. */
  OH_NN_OPS_PAD_EDGE = 1027,
  /** Padding that wraps around to the opposite edge. Inputs: input, paddings. */
  OH_NN_OPS_PAD_WRAP = 1028,

  /** The input divided by its root mean square. Inputs: input, gamma. */
  OH_NN_OPS_RMS_NORM = 1030,
  /** Normalization over groups of channels. Inputs: input, scale, bias. */
  OH_NN_OPS_GROUP_NORM = 1031,
  /** Scaled dot-product attention. Inputs: query, key, value, mask (optional). */
  OH_NN_OPS_ATTENTION = 1032,
  /** Rotary position embedding. Inputs: input, cos, sin. */
  OH_NN_OPS_ROTARY_EMBEDDING = 1033,
  /**
   * Matrix product with int8 or int4 weights that are dequantized on the fly. Inputs: input, weight, scales,
   * zeroPoints, bias (optional).
   */
  OH_NN_OPS_MATMUL_NBITS = 1034,
  /** INT8 codes of a tensor, with a scale for its range. Inputs: input. Outputs: output, scale, zeroPoint. */
  OH_NN_OPS_DYNAMIC_QUANTIZE = 1035,

  /** GRU over a sequence. Inputs: input, wIh, wHh, bias, hx. Outputs: output, hy. */
  OH_NN_OPS_GRU = 1040,
  /** Simple RNN over a sequence. Inputs: input, wIh, wHh, bias, hx. Outputs: output, hy. */
  OH_NN_OPS_RNN = 1041,

  /** Box deltas applied to regions. Inputs: regions, deltas, batchIndices, sizes. */
  OH_NN_OPS_AXIS_ALIGNED_BBOX_TRANSFORM = 1050,
  /**
   * Non-maximum suppression per image and class. Inputs: scores, boxes, batchIndices. Outputs: scores, boxes,
   * classes, batchIndices.
   */
  OH_NN_OPS_BOX_WITH_NMS_LIMIT = 1051,
  /**
   * Regions proposed by the anchors with the best scores. Inputs: scores, deltas, anchors, sizes. Outputs:
   * scores, regions, batchIndices.
   */
  OH_NN_OPS_GENERATE_PROPOSALS = 1052,
  /** Maxima of heatmaps with sub-element precision. Inputs: heatmaps, boxes. Outputs: scores, keypoints. */
  OH_NN_OPS_HEATMAP_MAX_KEYPOINT = 1053,
  /** Max pooling of regions of interest into a fixed grid. Inputs: input, regions, batchIndices. */
  OH_NN_OPS_ROI_POOLING = 1054,
  /** Looks up slices by key. Inputs: lookups, keys, values. Outputs: output, hits. */
  OH_NN_OPS_HASHTABLE_LOOKUP = 1055,
  /** Locality-sensitive hash of items. Inputs: seeds, items, weights (optional). */
  OH_NN_OPS_LSH_PROJECTION = 1056,
  /** Samples classes from a multinomial distribution. Inputs: input, seeds. */
  OH_NN_OPS_RANDOM_MULTINOMIAL = 1057,
  /**
   * One integer LSTM step with a 16-bit state. Inputs: input, the input weights, the recurrent weights and
   * the biases, each for the input, forget, cell and output gate, cx, hx. Outputs: cy, hy.
   */
  OH_NN_OPS_QUANTIZED_16BIT_LSTM = 1058,
  /**
   * One integer LSTM step with a 16-bit state, peepholes, projection and layer norm. Inputs: input; wIi, wIf,
   * wIc, wIo; wHi, wHf, wHc, wHo; peepholes wCi, wCf, wCo; biases bI, bF, bC, bO; projection, its bias; hx,
   * cx; norm weights nI, nF, nC, nO. Outputs: hy, cy, output.
   */
  OH_NN_OPS_QUANTIZED_LSTM = 1059,
} OH_NNRt_OperationType;

/** Parameter types of these operators, for OH_NNModel_SetTensorType. */
typedef enum {
  /** OH_NN_INT8: 0 (default) shifts left, 1 shifts right, with sign extension of signed types. */
  OH_NN_BIT_SHIFT_DIRECTION = 1000,
  /** OH_NN_INT64, in [-rank, rank), default 0. */
  OH_NN_GATHER_ELEMENTS_AXIS = 1001,
  /** OH_NN_INT64, in [-rank, rank), default 0. */
  OH_NN_SCATTER_ELEMENTS_AXIS = 1002,
  /**
   * OH_NN_INT8, how an element and its update are combined: 0 (default) update, 1 sum, 2 product, 3 minimum,
   * 4 maximum.
   */
  OH_NN_SCATTER_ELEMENTS_REDUCTION = 1003,
  /** OH_NN_INT8, as OH_NN_SCATTER_ELEMENTS_REDUCTION. */
  OH_NN_SCATTER_ND_UPDATE_REDUCTION = 1004,
  /** OH_NN_INT64, in [-rank, rank), default 0. */
  OH_NN_CUM_SUM_AXIS = 1005,
  /** OH_NN_BOOL, default false: exclude the element itself from its sum. */
  OH_NN_CUM_SUM_EXCLUSIVE = 1006,
  /** OH_NN_BOOL, default false: sum from the end. */
  OH_NN_CUM_SUM_REVERSE = 1007,
  /** OH_NN_BOOL, default true: keep the upper triangle. */
  OH_NN_TRILU_UPPER = 1008,
  /** OH_NN_INT64, default 0: offset of the boundary diagonal above the main one. */
  OH_NN_TRILU_DIAGONAL = 1009,
  /** OH_NN_INT64, required, 1 or more: maximum number of boxes per image and class. */
  OH_NN_NON_MAX_SUPPRESSION_MAX_OUTPUT = 1010,
  /** OH_NN_FLOAT32, default 0: a box with a larger intersection over union is suppressed. */
  OH_NN_NON_MAX_SUPPRESSION_IOU_THRESHOLD = 1011,
  /** OH_NN_FLOAT32, default minus infinity: only boxes with a higher score are considered. */
  OH_NN_NON_MAX_SUPPRESSION_SCORE_THRESHOLD = 1012,
  /**
   * OH_NN_BOOL, default false: boxes are center x, center y, width, height; otherwise two opposite corners, y
   * first.
   */
  OH_NN_NON_MAX_SUPPRESSION_CENTER_POINT_BOX = 1013,

  /** OH_NN_INT8: 0 (default) nearest, 1 linear, 2 cubic. */
  OH_NN_RESIZE_MODE = 1020,
  /**
   * OH_NN_INT8: 0 (default) half pixel, 1 PyTorch half pixel, 2 half pixel symmetric, 3 align corners, 4
   * asymmetric, 5 crop and resize, 6 TensorFlow half pixel for nearest.
   */
  OH_NN_RESIZE_COORDINATE_MODE = 1021,
  /** OH_NN_INT8, for nearest: 0 (default) round half down, 1 round half up, 2 floor, 3 ceil. */
  OH_NN_RESIZE_NEAREST_MODE = 1022,
  /** OH_NN_FLOAT32, for cubic: the coefficient a, default -0.75. */
  OH_NN_RESIZE_CUBIC_COEFFICIENT = 1023,
  /** OH_NN_BOOL, default false: weights outside the input are 0 and the others are normalized. */
  OH_NN_RESIZE_EXCLUDE_OUTSIDE = 1024,
  /** OH_NN_BOOL, default false: widen the filter when downscaling. */
  OH_NN_RESIZE_ANTIALIAS = 1025,
  /** OH_NN_FLOAT32, per dimension: scale used to compute coordinates; default the ratio of the sizes. */
  OH_NN_RESIZE_SCALES = 1026,
  /** OH_NN_FLOAT32, for crop and resize: all starts, then all ends, as fractions of the input. */
  OH_NN_RESIZE_REGION = 1027,
  /** OH_NN_FLOAT32, for crop and resize: the value outside the input, default 0. */
  OH_NN_RESIZE_EXTRAPOLATION_VALUE = 1028,
  /** OH_NN_INT8: 0 (default) linear, 1 nearest, 2 cubic. */
  OH_NN_GRID_SAMPLE_MODE = 1029,
  /** OH_NN_INT8, values outside the input: 0 (default) zeros, 1 the edge, 2 reflection. */
  OH_NN_GRID_SAMPLE_PADDING_MODE = 1030,
  /** OH_NN_BOOL, default false: -1 and 1 are the centers of the outermost elements, not their outer edges. */
  OH_NN_GRID_SAMPLE_ALIGN_CORNERS = 1031,
  /** OH_NN_INT64[3], default 1: depth, height, width. */
  OH_NN_CONV3D_STRIDES = 1032,
  /** OH_NN_INT64[6], default 0: before and after depth, height, width. */
  OH_NN_CONV3D_PAD = 1033,
  /** OH_NN_INT64[3], default 1. */
  OH_NN_CONV3D_DILATION = 1034,
  /** OH_NN_INT64, default 1. */
  OH_NN_CONV3D_GROUP = 1035,
  /** OH_NN_INT8, an OH_NN_FuseType. */
  OH_NN_CONV3D_ACTIVATION_TYPE = 1036,
  /** OH_NN_INT64, one per spatial dimension. */
  OH_NN_AVG_POOL_ND_KERNEL_SIZE = 1037,
  /** OH_NN_INT64, one per spatial dimension; default 1. */
  OH_NN_AVG_POOL_ND_STRIDE = 1038,
  /** OH_NN_INT64, two per spatial dimension, before and after; default 0. */
  OH_NN_AVG_POOL_ND_PAD = 1039,
  /** OH_NN_INT64, one per spatial dimension; default 1. */
  OH_NN_AVG_POOL_ND_DILATION = 1040,
  /** OH_NN_INT8: rounding of the output size: 0 (default) down, 1 up. */
  OH_NN_AVG_POOL_ND_ROUND_MODE = 1041,
  /** OH_NN_BOOL, default false: padding counts as zeros. */
  OH_NN_AVG_POOL_ND_COUNT_PADDING = 1042,
  /** OH_NN_INT64, one per spatial dimension. */
  OH_NN_MAX_POOL_ND_KERNEL_SIZE = 1043,
  /** OH_NN_INT64, one per spatial dimension; default 1. */
  OH_NN_MAX_POOL_ND_STRIDE = 1044,
  /** OH_NN_INT64, two per spatial dimension, before and after; default 0. */
  OH_NN_MAX_POOL_ND_PAD = 1045,
  /** OH_NN_INT64, one per spatial dimension; default 1. */
  OH_NN_MAX_POOL_ND_DILATION = 1046,
  /** OH_NN_INT8: rounding of the output size: 0 (default) down, 1 up. */
  OH_NN_MAX_POOL_ND_ROUND_MODE = 1047,
  /** OH_NN_INT64. */
  OH_NN_ROI_ALIGN_NEW_HEIGHT = 1048,
  /** OH_NN_INT64. */
  OH_NN_ROI_ALIGN_NEW_WIDTH = 1049,
  /**
   * OH_NN_INT64, one, or height and width: sampling points along each side of a bin; 0 (default): as many as
   * the region has elements there.
   */
  OH_NN_ROI_ALIGN_SAMPLING_RATIO = 1050,
  /**
   * OH_NN_FLOAT32, one, or height and width: scale from region coordinates to input coordinates; default 1.
   */
  OH_NN_ROI_ALIGN_SPATIAL_SCALE = 1051,
  /** OH_NN_INT8: a bin is 0 (default) the average, 1 the maximum of its points. */
  OH_NN_ROI_ALIGN_MODE = 1052,
  /** OH_NN_BOOL, default true: shift coordinates by half an element. */
  OH_NN_ROI_ALIGN_HALF_PIXEL = 1053,
  /** OH_NN_INT64, one per image dimension. */
  OH_NN_COL2IM_BLOCK_SIZE = 1054,
  /** OH_NN_INT64, one per image dimension; default 1. */
  OH_NN_COL2IM_STRIDES = 1055,
  /** OH_NN_INT64, two per image dimension, before and after; default 0. */
  OH_NN_COL2IM_PAD = 1056,
  /** OH_NN_INT64, one per image dimension; default 1. */
  OH_NN_COL2IM_DILATION = 1057,

  /** OH_NN_INT64, in [-rank, rank), default -1: first normalized dimension. */
  OH_NN_RMS_NORM_BEGIN_NORM_AXIS = 1058,
  /** OH_NN_FLOAT32, default 1e-5: added to the mean square. */
  OH_NN_RMS_NORM_EPSILON = 1059,
  /** OH_NN_INT64, required: number of channel groups. */
  OH_NN_GROUP_NORM_GROUP = 1060,
  /** OH_NN_FLOAT32, default 1e-5: added to the variance. */
  OH_NN_GROUP_NORM_EPSILON = 1061,
  /** OH_NN_FLOAT32: scale of the products of query and key; default 1 / sqrt(head size). */
  OH_NN_ATTENTION_SCALE = 1062,
  /**
   * OH_NN_INT8, causal mask: 0 (default) none, 1 a query sees the keys up to its own position, 2 as 1, with
   * the last query aligned to the last key.
   */
  OH_NN_ATTENTION_CAUSAL = 1063,
  /**
   * OH_NN_BOOL, default false: rotate pairs of neighboring elements; otherwise an element's partner is half
   * the rotated length away.
   */
  OH_NN_ROTARY_EMBEDDING_INTERLEAVED = 1064,
  /** OH_NN_INT64: 4 (default) or 8. */
  OH_NN_MATMUL_NBITS_BITS = 1065,
  /** OH_NN_INT64: number of elements of a row that share a scale; 0 (default): all. */
  OH_NN_MATMUL_NBITS_BLOCK_SIZE = 1066,
  /** OH_NN_INT8, an OH_NN_FuseType. */
  OH_NN_MATMUL_NBITS_ACTIVATION_TYPE = 1067,
  /** OH_NN_BOOL, default true: zeros, not NaN, if all keys are masked; OH_NN_INT8 2: for all NaN rows. */
  OH_NN_ATTENTION_ZERO_NAN = 1068,
  /** OH_NN_BOOL, default false: the input may be quantized to INT8, with a scale per row and block. */
  OH_NN_MATMUL_NBITS_APPROXIMATE = 1069,

  /** OH_NN_INT8: 0 (default) forward, 1 backward, 2 both. */
  OH_NN_GRU_DIRECTION = 1070,
  /** OH_NN_BOOL, default false: the reset gate multiplies the recurrent product instead of the state. */
  OH_NN_GRU_LINEAR_BEFORE_RESET = 1071,
  /** OH_NN_INT8: 0 (default) forward, 1 backward, 2 both. */
  OH_NN_RNN_DIRECTION = 1072,
  /** OH_NN_INT8: 0 (default) TANH, 1 RELU. */
  OH_NN_RNN_ACTIVATION_TYPE = 1073,

  /**
   * OH_NN_BOOL, default false: rows whose softmax is NaN, such as those fully masked with minus infinity,
   * become zeros; OH_NN_INT8 2: only those fully masked. A parameter of OH_NN_OPS_SOFTMAX.
   */
  OH_NN_SOFTMAX_ZERO_NAN = 1080,
  /**
   * OH_NN_BOOL, default false: values outside the range of the output's integer type saturate, and NaN
   * becomes 0. A parameter of OH_NN_OPS_CAST, like the next two.
   */
  OH_NN_CAST_SATURATE = 1081,
  /** OH_NN_BOOL, default false: INT8 input elements represent values 128 higher (UINT8). */
  OH_NN_CAST_SOURCE_SHIFTED = 1082,
  /** OH_NN_BOOL, default false: INT8 output elements represent values 128 higher (UINT8). */
  OH_NN_CAST_TARGET_SHIFTED = 1083,
  /**
   * OH_NN_INT8, for integers: round quotients 0 (default) toward zero, 1 down. A parameter of OH_NN_OPS_DIV.
   */
  OH_NN_DIV_ROUND_MODE = 1084,
  /**
   * OH_NN_BOOL, default false: among equal elements, larger indices come first. A parameter of
   * OH_NN_OPS_TOP_K.
   */
  OH_NN_TOP_K_LAST_FIRST = 1085,
  /** OH_NN_FLOAT32, one, or height and width, default 1: divisor of region coordinates. */
  OH_NN_ROI_ALIGN_STRIDES = 1086,
  /**
   * OH_NN_BOOL, default false: inverted regions, regions outside the input and missing images fail the run.
   */
  OH_NN_ROI_ALIGN_STRICT = 1087,

  /** OH_NN_INT64. */
  OH_NN_ROI_POOLING_NEW_HEIGHT = 1090,
  /** OH_NN_INT64. */
  OH_NN_ROI_POOLING_NEW_WIDTH = 1091,
  /** OH_NN_FLOAT32, one, or height and width, default 1: divisor of region coordinates. */
  OH_NN_ROI_POOLING_STRIDES = 1092,
  /** OH_NN_FLOAT32, default 0: only boxes with a higher score are considered. */
  OH_NN_BOX_WITH_NMS_LIMIT_SCORE_THRESHOLD = 1093,
  /** OH_NN_INT64, maximum number of boxes per class and per image; negative (default -1): no limit. */
  OH_NN_BOX_WITH_NMS_LIMIT_MAX_DETECTIONS = 1094,
  /** OH_NN_INT64, how overlap reduces a score: 0 (default) to zero from the threshold on, 1 linearly from the
   * threshold on, 2 by a Gaussian. Any other value fails the run. */
  OH_NN_BOX_WITH_NMS_LIMIT_MODE = 1095,
  /** OH_NN_FLOAT32, default 0: threshold of the intersection over union. */
  OH_NN_BOX_WITH_NMS_LIMIT_IOU_THRESHOLD = 1096,
  /** OH_NN_FLOAT32, default 1: sigma of the Gaussian. */
  OH_NN_BOX_WITH_NMS_LIMIT_SIGMA = 1097,
  /** OH_NN_FLOAT32, default 0: boxes with a lower reduced score are dropped. */
  OH_NN_BOX_WITH_NMS_LIMIT_NMS_SCORE_THRESHOLD = 1098,
  /**
   * OH_NN_BOOL, default false: if no box is left, output one row of zeros with image -1; otherwise the run
   * fails.
   */
  OH_NN_BOX_WITH_NMS_LIMIT_EMPTY_ROW = 1099,
  /** OH_NN_FLOAT32, one, or height and width, default 1: distance between anchors. */
  OH_NN_GENERATE_PROPOSALS_STRIDES = 1100,
  /** OH_NN_INT64, number of best-scored regions to consider; 0 (default) or negative: all. */
  OH_NN_GENERATE_PROPOSALS_MAX_CANDIDATES = 1101,
  /** OH_NN_INT64, maximum number of regions per image; 0 (default) or negative: no limit. */
  OH_NN_GENERATE_PROPOSALS_MAX_OUTPUT = 1102,
  /** OH_NN_FLOAT32, default 0: regions with this intersection over union or more are suppressed. */
  OH_NN_GENERATE_PROPOSALS_IOU_THRESHOLD = 1103,
  /** OH_NN_FLOAT32, default 0: only regions with both sides longer than this are considered. */
  OH_NN_GENERATE_PROPOSALS_MIN_SIZE = 1104,
  /** OH_NN_BOOL, as OH_NN_BOX_WITH_NMS_LIMIT_EMPTY_ROW. */
  OH_NN_GENERATE_PROPOSALS_EMPTY_ROW = 1105,
  /** OH_NN_INT64, default 0: fill byte of slices whose key is missing. */
  OH_NN_HASHTABLE_LOOKUP_FILL_BYTE = 1106,
  /** OH_NN_INT64, required: 1 one number per seed row, 2 one number per bit, 3 as 1, in separate ranges. */
  OH_NN_LSH_PROJECTION_MODE = 1107,
  /** OH_NN_INT64, required: number of classes sampled per row. */
  OH_NN_RANDOM_MULTINOMIAL_SAMPLES = 1108,
  /** OH_NN_FLOAT32, 0 (default): no clipping. */
  OH_NN_QUANTIZED_LSTM_CELL_CLIP = 1109,
  /** OH_NN_FLOAT32, 0 (default): no clipping. */
  OH_NN_QUANTIZED_LSTM_PROJ_CLIP = 1110,
  /** OH_NN_FLOAT32[4], required: scales of the accumulators of the input, forget, cell and output gate. */
  OH_NN_QUANTIZED_LSTM_GATE_SCALES = 1111,
  /** OH_NN_FLOAT32, required: scale of the projection's input. */
  OH_NN_QUANTIZED_LSTM_HIDDEN_SCALE = 1112,
  /** OH_NN_INT64, default 0: zero point of the projection's input. */
  OH_NN_QUANTIZED_LSTM_HIDDEN_ZERO_POINT = 1113,
  /**
   * OH_NN_INT64, a list, empty by default: numbers of the omitted inputs. One-element tensors are their
   * placeholders.
   */
  OH_NN_QUANTIZED_LSTM_OMITTED = 1114,
  /**
   * OH_NN_BOOL, default true: check regions and images as OH_NN_ROI_ALIGN_STRICT does; otherwise missing
   * images give zeros and regions are clipped.
   */
  OH_NN_ROI_POOLING_STRICT = 1115,
  /**
   * OH_NN_BOOL, default true: inverted regions and missing images fail the run; otherwise missing images give
   * zeros.
   */
  OH_NN_AXIS_ALIGNED_BBOX_TRANSFORM_STRICT = 1116,
  /** OH_NN_FLOAT32, a parameter of OH_NN_OPS_LSTM: limits the magnitude of cells; 0 (default): no limit. */
  OH_NN_LSTM_CELL_CLIP = 1117,
  /** OH_NN_INT64, in [-rank, rank), default 0. */
  OH_NN_UNIQUE_AXIS = 1118,
  /** OH_NN_BOOL, default true: slices in ascending order; otherwise in that of their first occurrence. */
  OH_NN_UNIQUE_SORTED = 1119,

  /**
   * OH_NN_BOOL, default false: quantized results round ties to even, as in ONNX, instead of away from zero. A
   * parameter of every operator with quantized results.
   */
  OH_NN_QUANTIZED_TIES_TO_EVEN = 1130,
} OH_NNRt_TensorType;

#ifdef __cplusplus
}
#endif

#endif
