/**
 * @file node_attr_types.h
 *
 * Attributes of each node type: the structures of V2_0; those added by V2_1 are in added_attr_types.h. Lists
 * of two or four numbers are [height, width] and [top, bottom, left, right].
 */
#ifndef NNRT_HDI_V2_0_NODE_ATTR_TYPES_H
#define NNRT_HDI_V2_0_NODE_ATTR_TYPES_H

#include "added_attr_types.h"
#include "nnrt_types.h"

#include <variant>

namespace nnrt::hdi::V2_0 {
inline namespace structures {

struct Activation {
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
  float alpha = 0;
  float minVal = 0;
  float maxVal = 0;
  bool approximate = false;
};

struct AddFusion {
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct SubFusion {
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct MulFusion {
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct DivFusion {
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct ArgMaxFusion {
  int64_t axis = 0;
  int64_t topK = 0;
  bool keepDims = false;
  bool outMaxValue = false;
};

struct AvgPoolFusion {
  std::vector<int64_t> kernelSize;
  std::vector<int64_t> strides;
  std::vector<int64_t> pad;
  PadMode padMode = PAD_MODE_PAD;
  RoundMode roundMode = ROUND_MODE_FLOOR;
  Format format = FORMAT_NCHW;
  bool global = false;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct MaxPoolFusion {
  std::vector<int64_t> kernelSize;
  std::vector<int64_t> strides;
  std::vector<int64_t> pad;
  PadMode padMode = PAD_MODE_PAD;
  Format format = FORMAT_NCHW;
  RoundMode roundMode = ROUND_MODE_FLOOR;
  bool global = false;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct BatchToSpaceND {
  std::vector<int64_t> blockShape;
  std::vector<std::vector<int64_t>> crops;
};

struct SpaceToBatchND {
  std::vector<int64_t> blockShape;
  std::vector<std::vector<int64_t>> paddings;
};

struct Concat {
  int64_t axis = 0;
};

struct Stack {
  int64_t axis = 0;
};

struct OneHot {
  int64_t axis = 0;
};

struct Conv2DFusion {
  std::vector<int64_t> kernelSize;
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  PadMode padMode = PAD_MODE_PAD;
  std::vector<int64_t> padList;
  int64_t group = 0;
  int64_t inChannel = 0;
  int64_t outChannel = 0;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct Conv2dTransposeFusion {
  std::vector<int64_t> kernelSize;
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  PadMode padMode = PAD_MODE_PAD;
  std::vector<int64_t> padList;
  int64_t group = 0;
  int64_t inChannel = 0;
  int64_t outChannel = 0;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
  std::vector<int64_t> outputPaddings;
};

struct Eltwise {
  EltwiseMode mode = ELTWISE_MODE_PROD;
};

struct FullConnection {
  bool hasBias = false;
  bool useAxis = false;
  int64_t axis = 0;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct FusedBatchNorm {
  float epsilon = 0;
};

struct LayerNormFusion {
  int64_t beginNormAxis = 0;
  float epsilon = 0;
  bool elementwiseAffine = false;
  int64_t beginParamsAxis = 0;
};

struct MatMulFusion {
  bool transposeA = false;
  bool transposeB = false;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct PadFusion {
  std::vector<std::vector<int64_t>> paddings;
  PaddingMode paddingMode = PADDING_MODE_CONSTANT;
  float constantValue = 0;
};

struct PowFusion {
  float scale = 0;
  float shift = 0;
};

struct PReLUFusion {
  bool channelShared = false;
};

/** Sent to V2_0 devices; V2_1 devices get QuantDTypeCastV2 with the same node type. */
struct QuantDTypeCast {
  int64_t srcT = 0;
  int64_t dstT = 0;
};

struct ReduceFusion {
  bool keepDims = false;
  ReduceMode mode = REDUCE_MODE_MEAN;
  bool reduceToEnd = false;
  float coeff = 0;
};

struct Resize {
  ResizeMethod method = RESIZE_METHOD_UNKNOWN;
  int64_t newHeight = 0;
  int64_t newWidth = 0;
  bool preserveAspectRatio = false;
  CoordinateTransformMode coordinateTransformMode = COORDINATE_TRANSFORM_MODE_ASYMMETRIC;
  float cubicCoeff = 0;
  int64_t excludeOutside = 0;
  float extrapolationValue = 0;
  NearestMode nearestMode = NEAREST_MODE_NORMAL;
};

struct ScaleFusion {
  int64_t axis = 0;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

struct SliceFusion {
  std::vector<int64_t> axes;
};

struct Softmax {
  std::vector<int64_t> axis;
};

struct Squeeze {
  std::vector<int64_t> axis;
};

struct Unsqueeze {
  std::vector<int64_t> axis;
};

struct Split {
  int64_t outputNum = 0;
  std::vector<int64_t> sizeSplits;
  int64_t axis = 0;
};

struct StridedSlice {
  int64_t beginMask = 0;
  int64_t endMask = 0;
  int64_t ellipsisMask = 0;
  int64_t newAxisMask = 0;
  int64_t shrinkAxisMask = 0;
};

struct TileFusion {
  std::vector<int64_t> dims;
};

struct TopKFusion {
  bool sorted = false;
  int64_t axis = 0;
};

struct BiasAdd {};
struct Cast {};
struct ExpandDims {};
struct Fill {};
struct Gather {};
struct LessEqual {};
struct Maximum {};
struct Reshape {};
struct Rsqrt {};
struct Shape {};
struct Sqrt {};
struct SquaredDifference {};
struct Transpose {};

/** std::monostate is for NODE_TYPE_NONE, which is never sent. */
using NodeAttr =
    std::variant<std::monostate, Activation, AddFusion, SubFusion, MulFusion, DivFusion, ArgMaxFusion,
                 AvgPoolFusion, MaxPoolFusion, BatchToSpaceND, SpaceToBatchND, Concat, Stack, OneHot,
                 Conv2DFusion, Conv2dTransposeFusion, Eltwise, FullConnection, FusedBatchNorm,
                 LayerNormFusion, MatMulFusion, PadFusion, PowFusion, PReLUFusion, QuantDTypeCast,
                 ReduceFusion, Resize, ScaleFusion, SliceFusion, Softmax, Squeeze, Unsqueeze, Split,
                 StridedSlice, TileFusion, TopKFusion, BiasAdd, Cast, ExpandDims, Fill, Gather, LessEqual,
                 Maximum, Reshape, Rsqrt, Shape, Sqrt, SquaredDifference, Transpose, All, Assert, BroadcastTo,
                 Clip, ConstantOfShape, Crop, DetectionPostProcess, DepthToSpace, SpaceToDepth, ExpFusion,
                 Flatten, Unstack, LogSoftmax, InstanceNorm, LeakyRelu, L2NormalizeFusion, LRN, LSTM,
                 QuantDTypeCastV2, Range, Abs, Ceil, Cos, Equal, Erf, Floor, GatherNd, Greater, GreaterEqual,
                 Less, Log, LogicalAnd, LogicalNot, LogicalOr, Minimum, Mod, Neg, NotEqual, Rank, RealDiv,
                 Reciprocal, Round, ScatterNd, Select, Sin, SparseToDense, Square, Where>;

}  // namespace structures
}  // namespace nnrt::hdi::V2_0

#endif
