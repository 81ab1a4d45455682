/**
 * @file nnrt_operators.h
 *
 * The operators that this runtime has beyond OpenHarmony's, and their parameters: what
 * neural_network_runtime_type.h has for those of the API. nnrt_extensions.h includes this header.
 */
#ifndef NNRT_OPERATORS_H
#define NNRT_OPERATORS_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Operators of this runtime, for OH_NNModel_AddOperation beside those of OH_NN_OperationType, whose numbers
 * end below 1000. C takes them as they are; C++ wants static_cast<OH_NN_OperationType>(OH_NN_OPS_CUM_SUM).
 * The CPU device runs all of them. OpenHarmony's runtime answers OH_NN_INVALID_PARAMETER, and so does this
 * one in the mode that imitates it. docs/spec/operators says for each which dtypes it takes and what it
 * computes.
 */
typedef enum {
  /** -1, 0 or 1, as the input is below, at or above 0; NaN stays NaN. Inputs: input. */
  OH_NN_OPS_SIGN = 1000,
  /** Each bit inverted. Inputs: input. */
  OH_NN_OPS_BITWISE_NOT = 1001,
  /** Bits that both have. Inputs: input1, input2. */
  OH_NN_OPS_BITWISE_AND = 1002,
  /** Bits that one has at least. Inputs: input1, input2. */
  OH_NN_OPS_BITWISE_OR = 1003,
  /** Bits that one has alone. Inputs: input1, input2. */
  OH_NN_OPS_BITWISE_XOR = 1004,
  /** Bits of the first input moved by as many places as the second says. Inputs: input1, input2. */
  OH_NN_OPS_BIT_SHIFT = 1005,

  /** An element along an axis for each element of the indices. Inputs: input, indices. */
  OH_NN_OPS_GATHER_ELEMENTS = 1010,
  /** The input with elements along an axis replaced or combined. Inputs: input, indices, updates. */
  OH_NN_OPS_SCATTER_ELEMENTS = 1011,
  /** The input with slices replaced or combined that index tuples choose. Inputs: input, indices, updates. */
  OH_NN_OPS_SCATTER_ND_UPDATE = 1012,
  /** Sums of all elements up to each along an axis. Inputs: input. */
  OH_NN_OPS_CUM_SUM = 1013,
  /** The triangle above or below a diagonal of the last two dimensions, zeros elsewhere. Inputs: input. */
  OH_NN_OPS_TRILU = 1014,
  /** The positions of all elements that are not zero, a column each. Inputs: input. */
  OH_NN_OPS_NON_ZERO = 1015,
  /** Boxes that no better box of their class overlaps much. Inputs: boxes, scores. */
  OH_NN_OPS_NON_MAX_SUPPRESSION = 1016,

  /** Any dimensions made larger or smaller by interpolation. Inputs: input, size. */
  OH_NN_OPS_RESIZE = 1020,
  /** The input interpolated at points that a grid names. Inputs: input, grid. */
  OH_NN_OPS_GRID_SAMPLE = 1021,
  /** Convolution over depth, height and width. Inputs: input, weight, bias. */
  OH_NN_OPS_CONV3D = 1022,
  /** Averages over windows of one to three dimensions. Inputs: input. */
  OH_NN_OPS_AVG_POOL_ND = 1023,
  /** Maxima over windows of one to three dimensions. Inputs: input. */
  OH_NN_OPS_MAX_POOL_ND = 1024,
  /** Regions of pictures, interpolated to one size. Inputs: input, regions, pictures. */
  OH_NN_OPS_ROI_ALIGN = 1025,
  /** Columns of overlapping blocks added up to a picture. Inputs: input, size. */
  OH_NN_OPS_COL2IM = 1026,
  /** Padding that repeats the elements at the edge. Inputs: input, paddings. */
  OH_NN_OPS_PAD_EDGE = 1027,
  /** Padding that goes on at the opposite edge. Inputs: input, paddings. */
  OH_NN_OPS_PAD_WRAP = 1028,

  /** The input divided by the root of its mean square. Inputs: input, gamma. */
  OH_NN_OPS_RMS_NORM = 1030,
  /** Normalization over groups of channels. Inputs: input, scale, bias. */
  OH_NN_OPS_GROUP_NORM = 1031,
  /** Scaled dot product attention. Inputs: query, key, value, mask (optional). */
  OH_NN_OPS_ATTENTION = 1032,
  /** Pairs of elements rotated by the angle of their position. Inputs: input, cos, sin. */
  OH_NN_OPS_ROTARY_EMBEDDING = 1033,
  /**
   * Matrix product with weights that stay quantized, int8 or int4, in memory. Inputs: input, weight, scales,
   * zeroPoints, bias (optional).
   */
  OH_NN_OPS_MATMUL_NBITS = 1034,

  /**
   * Gated recurrent unit over a sequence. Inputs: input, wIh, wHh, bias, hx. Outputs: output, hy.
   */
  OH_NN_OPS_GRU = 1040,
  /** Recurrent layer of one activation over a sequence. Inputs: input, wIh, wHh, bias, hx. Outputs: output,
     hy. */
  OH_NN_OPS_RNN = 1041,

  /** Boxes moved and scaled by deltas. Inputs: regions, deltas, pictures, sizes. */
  OH_NN_OPS_AXIS_ALIGNED_BBOX_TRANSFORM = 1050,
  /**
   * The best boxes of each class and picture. Inputs: scores, boxes, pictures. Outputs: scores, boxes,
   * classes, pictures.
   */
  OH_NN_OPS_BOX_WITH_NMS_LIMIT = 1051,
  /**
   * Regions where anchors score best. Inputs: scores, deltas, anchors, sizes. Outputs: scores, regions,
   * pictures.
   */
  OH_NN_OPS_GENERATE_PROPOSALS = 1052,
  /** The maxima of heatmaps between their elements. Inputs: heatmaps, boxes. Outputs: scores, keypoints. */
  OH_NN_OPS_HEATMAP_MAX_KEYPOINT = 1053,
  /** Maxima over the bins of regions of pictures. Inputs: input, regions, pictures. */
  OH_NN_OPS_ROI_POOLING = 1054,
  /** The slices whose keys are looked up. Inputs: lookups, keys, values. Outputs: output, hits. */
  OH_NN_OPS_HASHTABLE_LOOKUP = 1055,
  /** Bits that similar items share. Inputs: seeds, items, weights (optional). */
  OH_NN_OPS_LSH_PROJECTION = 1056,
  /** Classes drawn by their probabilities. Inputs: input, seeds. */
  OH_NN_OPS_RANDOM_MULTINOMIAL = 1057,
  /**
   * One step of an LSTM with a 16-bit state, in integers. Inputs: input, the input weights, the recurrent
   * weights and the biases of the input, forget, cell and output gate each, cx, hx. Outputs: cy, hy.
   */
  OH_NN_OPS_QUANTIZED_16BIT_LSTM = 1058,
  /**
   * One step of an LSTM with a 16-bit state, peepholes, projection and layer norm, in integers. Inputs:
   * input; wIi, wIf, wIc, wIo; wHi, wHf, wHc, wHo; peepholes wCi, wCf, wCo; biases bI, bF, bC, bO;
   * projection, its bias; hx, cx; norm weights nI, nF, nC, nO. Outputs: hy, cy, output.
   */
  OH_NN_OPS_QUANTIZED_LSTM = 1059,
} OH_NNRt_OperationType;

/**
 * Types of the tensors that are parameters of these operators, for OH_NNModel_SetTensorType.
 */
typedef enum {
  /** OH_NN_INT8, 0 (default): to the left; 1: to the right, where the sign's bit moves in. */
  OH_NN_BIT_SHIFT_DIRECTION = 1000,
  /** OH_NN_INT64, in [-rank, rank), 0 by default. */
  OH_NN_GATHER_ELEMENTS_AXIS = 1001,
  /** OH_NN_INT64, in [-rank, rank), 0 by default. */
  OH_NN_SCATTER_ELEMENTS_AXIS = 1002,
  /** OH_NN_INT8, what becomes of an element and its update: 0 (default) update, 1 sum, 2 product, 3 minimum,
     4 maximum. */
  OH_NN_SCATTER_ELEMENTS_REDUCTION = 1003,
  /** OH_NN_INT8, as OH_NN_SCATTER_ELEMENTS_REDUCTION. */
  OH_NN_SCATTER_ND_UPDATE_REDUCTION = 1004,
  /** OH_NN_INT64, in [-rank, rank), 0 by default. */
  OH_NN_CUM_SUM_AXIS = 1005,
  /** OH_NN_BOOL, false by default: whether the element itself is left out. */
  OH_NN_CUM_SUM_EXCLUSIVE = 1006,
  /** OH_NN_BOOL, false by default: whether sums begin at the end. */
  OH_NN_CUM_SUM_REVERSE = 1007,
  /** OH_NN_BOOL, true by default: whether the triangle is the upper one. */
  OH_NN_TRILU_UPPER = 1008,
  /** OH_NN_INT64, 0 by default: how many diagonals above the main one the triangle ends. */
  OH_NN_TRILU_DIAGONAL = 1009,
  /** OH_NN_INT64, required, 1 or more: most boxes for each picture and class. */
  OH_NN_NON_MAX_SUPPRESSION_MAX_OUTPUT = 1010,
  /** OH_NN_FLOAT32, 0 by default: a box with more overlap (intersection over union) is suppressed. */
  OH_NN_NON_MAX_SUPPRESSION_IOU_THRESHOLD = 1011,
  /** OH_NN_FLOAT32, minus infinity by default: only boxes with a higher score take part. */
  OH_NN_NON_MAX_SUPPRESSION_SCORE_THRESHOLD = 1012,
  /** OH_NN_BOOL, false by default: boxes are x and y of the centre, width, height; else two opposite corners,
     y first. */
  OH_NN_NON_MAX_SUPPRESSION_CENTER_POINT_BOX = 1013,

  /** OH_NN_INT8: 0 (default) nearest, 1 linear, 2 cubic. */
  OH_NN_RESIZE_MODE = 1020,
  /** OH_NN_INT8: 0 (default) half pixel, 1 half pixel of PyTorch, 2 half pixel symmetric, 3 align corners, 4
     asymmetric, 5 crop and resize. */
  OH_NN_RESIZE_COORDINATE_MODE = 1021,
  /** OH_NN_INT8, for nearest: 0 (default) round half down, 1 round half up, 2 floor, 3 ceil. */
  OH_NN_RESIZE_NEAREST_MODE = 1022,
  /** OH_NN_FLOAT32, for cubic: the coefficient a, -0.75 by default. */
  OH_NN_RESIZE_CUBIC_COEFFICIENT = 1023,
  /** OH_NN_BOOL, false by default: weights outside of the input are 0, and the others sum to 1. */
  OH_NN_RESIZE_EXCLUDE_OUTSIDE = 1024,
  /** OH_NN_BOOL, false by default: where the output is smaller, the filter is as much wider. */
  OH_NN_RESIZE_ANTIALIAS = 1025,
  /** OH_NN_FLOAT32, for each dimension the factor that coordinates are computed with; the ratio of the sizes
     by default. */
  OH_NN_RESIZE_SCALES = 1026,
  /** OH_NN_FLOAT32, for crop and resize: all starts, then all ends, as fractions of the input. */
  OH_NN_RESIZE_REGION = 1027,
  /** OH_NN_FLOAT32, for crop and resize: the value outside of the input, 0 by default. */
  OH_NN_RESIZE_EXTRAPOLATION_VALUE = 1028,
  /** OH_NN_INT8: 0 (default) linear, 1 nearest, 2 cubic. */
  OH_NN_GRID_SAMPLE_MODE = 1029,
  /** OH_NN_INT8, what is outside of the input: 0 (default) zeros, 1 the edge, 2 reflection. */
  OH_NN_GRID_SAMPLE_PADDING_MODE = 1030,
  /** OH_NN_BOOL, false by default: -1 and 1 are the centres of the outermost elements, not their outer edges.
   */
  OH_NN_GRID_SAMPLE_ALIGN_CORNERS = 1031,
  /** OH_NN_INT64, three, 1 by default: depth, height, width. */
  OH_NN_CONV3D_STRIDES = 1032,
  /** OH_NN_INT64, six, 0 by default: before and behind the depth, the height, the width. */
  OH_NN_CONV3D_PAD = 1033,
  /** OH_NN_INT64, three, 1 by default. */
  OH_NN_CONV3D_DILATION = 1034,
  /** OH_NN_INT64, 1 by default. */
  OH_NN_CONV3D_GROUP = 1035,
  /** OH_NN_INT8, an OH_NN_FuseType. */
  OH_NN_CONV3D_ACTIVATION_TYPE = 1036,
  /** OH_NN_INT64, one for each dimension between batch and channels. */
  OH_NN_AVG_POOL_ND_KERNEL_SIZE = 1037,
  /** OH_NN_INT64, one for each of these dimensions; 1 by default. */
  OH_NN_AVG_POOL_ND_STRIDE = 1038,
  /** OH_NN_INT64, two for each of these dimensions, before and behind; 0 by default. */
  OH_NN_AVG_POOL_ND_PAD = 1039,
  /** OH_NN_INT64, one for each of these dimensions; 1 by default. */
  OH_NN_AVG_POOL_ND_DILATION = 1040,
  /** OH_NN_INT8: 0 (default) sizes are rounded down, 1 up. */
  OH_NN_AVG_POOL_ND_ROUND_MODE = 1041,
  /** OH_NN_BOOL, false by default: padding counts as zeros. */
  OH_NN_AVG_POOL_ND_COUNT_PADDING = 1042,
  /** OH_NN_INT64, one for each dimension between batch and channels. */
  OH_NN_MAX_POOL_ND_KERNEL_SIZE = 1043,
  /** OH_NN_INT64, one for each of these dimensions; 1 by default. */
  OH_NN_MAX_POOL_ND_STRIDE = 1044,
  /** OH_NN_INT64, two for each of these dimensions, before and behind; 0 by default. */
  OH_NN_MAX_POOL_ND_PAD = 1045,
  /** OH_NN_INT64, one for each of these dimensions; 1 by default. */
  OH_NN_MAX_POOL_ND_DILATION = 1046,
  /** OH_NN_INT8: 0 (default) sizes are rounded down, 1 up. */
  OH_NN_MAX_POOL_ND_ROUND_MODE = 1047,
  /** OH_NN_INT64. */
  OH_NN_ROI_ALIGN_NEW_HEIGHT = 1048,
  /** OH_NN_INT64. */
  OH_NN_ROI_ALIGN_NEW_WIDTH = 1049,
  /** OH_NN_INT64, one, or height and width: points along each side of a bin; 0 (default): as many as the
     region has elements there. */
  OH_NN_ROI_ALIGN_SAMPLING_RATIO = 1050,
  /** OH_NN_FLOAT32, one, or height and width: from the coordinates of regions to those of the input; 1 by
     default. */
  OH_NN_ROI_ALIGN_SPATIAL_SCALE = 1051,
  /** OH_NN_INT8, of the points of a bin: 0 (default) average, 1 maximum. */
  OH_NN_ROI_ALIGN_MODE = 1052,
  /** OH_NN_BOOL, true by default: coordinates are moved by half an element. */
  OH_NN_ROI_ALIGN_HALF_PIXEL = 1053,
  /** OH_NN_INT64, one for each dimension of the picture. */
  OH_NN_COL2IM_BLOCK_SIZE = 1054,
  /** OH_NN_INT64, one for each dimension of the picture; 1 by default. */
  OH_NN_COL2IM_STRIDES = 1055,
  /** OH_NN_INT64, two for each dimension of the picture, before and behind; 0 by default. */
  OH_NN_COL2IM_PAD = 1056,
  /** OH_NN_INT64, one for each dimension of the picture; 1 by default. */
  OH_NN_COL2IM_DILATION = 1057,

  /** OH_NN_INT64, in [-rank, rank), -1 by default: the first of the dimensions that are normalized. */
  OH_NN_RMS_NORM_BEGIN_NORM_AXIS = 1058,
  /** OH_NN_FLOAT32, 1e-5 by default: added to the mean square. */
  OH_NN_RMS_NORM_EPSILON = 1059,
  /** OH_NN_INT64, required: into how many groups the channels are divided. */
  OH_NN_GROUP_NORM_GROUP = 1060,
  /** OH_NN_FLOAT32, 1e-5 by default: added to the variance. */
  OH_NN_GROUP_NORM_EPSILON = 1061,
  /** OH_NN_FLOAT32: what products of query and key are multiplied by; one by the root of their length by
     default. */
  OH_NN_ATTENTION_SCALE = 1062,
  /** OH_NN_INT8, the keys that a query sees: 0 (default) all, 1 those up to its own position, 2 the same
     where the last query has the position of the last key. */
  OH_NN_ATTENTION_CAUSAL = 1063,
  /** OH_NN_BOOL, false by default: an element's partner is its neighbour; else it is half the rotated length
     away. */
  OH_NN_ROTARY_EMBEDDING_INTERLEAVED = 1064,
  /** OH_NN_INT64: 4 (default) or 8. */
  OH_NN_MATMUL_NBITS_BITS = 1065,
  /** OH_NN_INT64: how many elements of a row share a scale; 0 (default): all. */
  OH_NN_MATMUL_NBITS_BLOCK_SIZE = 1066,
  /** OH_NN_INT8, an OH_NN_FuseType. */
  OH_NN_MATMUL_NBITS_ACTIVATION_TYPE = 1067,
  /** OH_NN_BOOL, true by default: rows that see no key are zeros; else they are NaN. */
  OH_NN_ATTENTION_ZERO_NAN = 1068,

  /** OH_NN_INT8: 0 (default) forward, 1 backward, 2 both. */
  OH_NN_GRU_DIRECTION = 1070,
  /** OH_NN_BOOL, false by default: the reset gate multiplies the product with the weights, not the state. */
  OH_NN_GRU_LINEAR_BEFORE_RESET = 1071,
  /** OH_NN_INT8: 0 (default) forward, 1 backward, 2 both. */
  OH_NN_RNN_DIRECTION = 1072,
  /** OH_NN_INT8: 0 (default) TANH, 1 RELU. */
  OH_NN_RNN_ACTIVATION_TYPE = 1073,

  /**
   * OH_NN_BOOL, false by default: rows of which the softmax is NaN, such as those that a mask of minus
   * infinities leaves nothing of, become zeros. A parameter of OH_NN_OPS_SOFTMAX.
   */
  OH_NN_SOFTMAX_ZERO_NAN = 1080,
  /**
   * OH_NN_BOOL, false by default: numbers that the output's integers cannot hold become the nearest that they
   * can, and NaN 0. A parameter of OH_NN_OPS_CAST, as the next two.
   */
  OH_NN_CAST_SATURATE = 1081,
  /** OH_NN_BOOL, false by default: INT8 elements of the input stand for the numbers 128 above them. */
  OH_NN_CAST_SOURCE_SHIFTED = 1082,
  /** OH_NN_BOOL, false by default: INT8 elements of the output stand for the numbers 128 above them. */
  OH_NN_CAST_TARGET_SHIFTED = 1083,
  /** OH_NN_INT8, for integers: quotients are rounded 0 (default) toward zero, 1 down. A parameter of
     OH_NN_OPS_DIV. */
  OH_NN_DIV_ROUND_MODE = 1084,
  /** OH_NN_BOOL, false by default: of equal elements, those with larger indices come first. A parameter of
     OH_NN_OPS_TOP_K. */
  OH_NN_TOP_K_LAST_FIRST = 1085,
  /** OH_NN_FLOAT32, one, or height and width, 1 by default: what coordinates of regions are divided by. */
  OH_NN_ROI_ALIGN_STRIDES = 1086,
  /** OH_NN_BOOL, false by default: regions that are not within the input, or turned over, and pictures that
     are not there are errors of the run. */
  OH_NN_ROI_ALIGN_STRICT = 1087,

  /** OH_NN_INT64. */
  OH_NN_ROI_POOLING_NEW_HEIGHT = 1090,
  /** OH_NN_INT64. */
  OH_NN_ROI_POOLING_NEW_WIDTH = 1091,
  /** OH_NN_FLOAT32, one, or height and width, 1 by default: what coordinates of regions are divided by. */
  OH_NN_ROI_POOLING_STRIDES = 1092,
  /** OH_NN_FLOAT32, 0 by default: only boxes with a higher score take part. */
  OH_NN_BOX_WITH_NMS_LIMIT_SCORE_THRESHOLD = 1093,
  /** OH_NN_INT64, most boxes of a class and of a picture; below 0 (-1 is the default): any number. */
  OH_NN_BOX_WITH_NMS_LIMIT_MAX_DETECTIONS = 1094,
  /** OH_NN_INT64, how overlap lowers a score: 0 (default) to zero from the threshold on, 1 linear from there
     on, 2 as a Gaussian. Another one is an error of the run. */
  OH_NN_BOX_WITH_NMS_LIMIT_MODE = 1095,
  /** OH_NN_FLOAT32, 0 by default: the threshold of intersection over union. */
  OH_NN_BOX_WITH_NMS_LIMIT_IOU_THRESHOLD = 1096,
  /** OH_NN_FLOAT32, 1 by default, of the Gaussian. */
  OH_NN_BOX_WITH_NMS_LIMIT_SIGMA = 1097,
  /** OH_NN_FLOAT32, 0 by default: a box whose lowered score is below is dropped. */
  OH_NN_BOX_WITH_NMS_LIMIT_NMS_SCORE_THRESHOLD = 1098,
  /** OH_NN_BOOL, false by default: where no box is left, the outputs have one row of zeros with picture -1;
     else that is an error of the run. */
  OH_NN_BOX_WITH_NMS_LIMIT_EMPTY_ROW = 1099,
  /** OH_NN_FLOAT32, one, or height and width, 1 by default: from one anchor to the next. */
  OH_NN_GENERATE_PROPOSALS_STRIDES = 1100,
  /** OH_NN_INT64, how many regions of the best scores take part; 0 (default) or less: all. */
  OH_NN_GENERATE_PROPOSALS_MAX_CANDIDATES = 1101,
  /** OH_NN_INT64, most regions of a picture; 0 (default) or less: any number. */
  OH_NN_GENERATE_PROPOSALS_MAX_OUTPUT = 1102,
  /** OH_NN_FLOAT32, 0 by default: regions with that overlap (intersection over union) or more are
     suppressed. */
  OH_NN_GENERATE_PROPOSALS_IOU_THRESHOLD = 1103,
  /** OH_NN_FLOAT32, 0 by default: only regions of which both sides are longer take part. */
  OH_NN_GENERATE_PROPOSALS_MIN_SIZE = 1104,
  /** OH_NN_BOOL, as OH_NN_BOX_WITH_NMS_LIMIT_EMPTY_ROW. */
  OH_NN_GENERATE_PROPOSALS_EMPTY_ROW = 1105,
  /** OH_NN_INT64, 0 by default: every byte of a slice whose key is not there. */
  OH_NN_HASHTABLE_LOOKUP_FILL_BYTE = 1106,
  /** OH_NN_INT64, required: 1 a number for each seed row, 2 a number for each bit, 3 as 1 in ranges of
     their own. */
  OH_NN_LSH_PROJECTION_MODE = 1107,
  /** OH_NN_INT64, required: how many classes are drawn for each row. */
  OH_NN_RANDOM_MULTINOMIAL_SAMPLES = 1108,
  /** OH_NN_FLOAT32, 0 (default): none. */
  OH_NN_QUANTIZED_LSTM_CELL_CLIP = 1109,
  /** OH_NN_FLOAT32, 0 (default): none. */
  OH_NN_QUANTIZED_LSTM_PROJ_CLIP = 1110,
  /** OH_NN_FLOAT32, four, required: scales of the sums of the input, forget, cell and output gate. */
  OH_NN_QUANTIZED_LSTM_GATE_SCALES = 1111,
  /** OH_NN_FLOAT32, required: the scale of what is projected. */
  OH_NN_QUANTIZED_LSTM_HIDDEN_SCALE = 1112,
  /** OH_NN_INT64, 0 by default: the zero point of what is projected. */
  OH_NN_QUANTIZED_LSTM_HIDDEN_ZERO_POINT = 1113,
  /** OH_NN_INT64, a list, none by default: the numbers of the inputs that are not there. Tensors of one
     element stand in their places. */
  OH_NN_QUANTIZED_LSTM_OMITTED = 1114,
  /** OH_NN_BOOL, true by default: regions and pictures are checked as OH_NN_ROI_ALIGN_STRICT says; else a
     picture that is not there gives zeros, and regions are cut. */
  OH_NN_ROI_POOLING_STRICT = 1115,
  /** OH_NN_BOOL, true by default: regions that are turned over and pictures that are not there are errors of
     the run; else such a picture gives zeros. */
  OH_NN_AXIS_ALIGNED_BBOX_TRANSFORM_STRICT = 1116,

  /** OH_NN_BOOL, false by default: results that lie halfway between two quantized values become the even one,
     as ONNX has it, and not the one farther from zero. A parameter of every operator with quantized results.
   */
  OH_NN_QUANTIZED_TIES_TO_EVEN = 1130,
} OH_NNRt_TensorType;

#ifdef __cplusplus
}
#endif

#endif
