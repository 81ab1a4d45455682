// Attributes as JSON, so that tests can compare them by field name.
#pragma once

#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <nlohmann/json.hpp>

#include <type_traits>

namespace nnrt::hdi::V2_0 {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Activation, activationType, alpha, minVal, maxVal, approximate)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AddFusion, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SubFusion, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MulFusion, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DivFusion, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ArgMaxFusion, axis, topK, keepDims, outMaxValue)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AvgPoolFusion, kernelSize, strides, pad, padMode, roundMode, format,
                                   global, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MaxPoolFusion, kernelSize, strides, pad, padMode, format, roundMode,
                                   global, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BatchToSpaceND, blockShape, crops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpaceToBatchND, blockShape, paddings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Concat, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Stack, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OneHot, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Conv2DFusion, kernelSize, stride, dilation, padMode, padList, group,
                                   inChannel, outChannel, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Conv2dTransposeFusion, kernelSize, stride, dilation, padMode, padList,
                                   group, inChannel, outChannel, activationType, outputPaddings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Eltwise, mode)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FullConnection, hasBias, useAxis, axis, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FusedBatchNorm, epsilon)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LayerNormFusion, beginNormAxis, epsilon, elementwiseAffine,
                                   beginParamsAxis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MatMulFusion, transposeA, transposeB, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PadFusion, paddings, paddingMode, constantValue)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PowFusion, scale, shift)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PReLUFusion, channelShared)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(QuantDTypeCast, srcT, dstT)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReduceFusion, keepDims, mode, reduceToEnd, coeff)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resize, method, newHeight, newWidth, preserveAspectRatio,
                                   coordinateTransformMode, cubicCoeff, excludeOutside, extrapolationValue,
                                   nearestMode)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScaleFusion, axis, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SliceFusion, axes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Softmax, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Squeeze, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Unsqueeze, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Split, outputNum, sizeSplits, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StridedSlice, beginMask, endMask, ellipsisMask, newAxisMask,
                                   shrinkAxisMask)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileFusion, dims)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TopKFusion, sorted, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(All, keepDims)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Assert, summarize)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BroadcastTo, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Clip, max, min)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConstantOfShape, dataType, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Crop, axis, offset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DetectionPostProcess, format, inputSize, scale, nmsIoUThreshold,
                                   nmsScoreThreshold, maxDetections, detectionsPerClass,
                                   maxClassesPerDetection, numClasses, useRegularNms, outQuantized)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DepthToSpace, blockSize, format, mode)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpaceToDepth, blockSize, format)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExpFusion, base, scale, shift)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Flatten, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Unstack, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LogSoftmax, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InstanceNorm, epsilon)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LeakyRelu, negativeSlope)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(L2NormalizeFusion, axis, epsilon, activationType)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LRN, depthRadius, bias, alpha, beta, normRegion)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LSTM, bidirectional, hasBias, inputSize, hiddenSize, numLayers,
                                   numDirections, dropout, zoneoutCell, zoneoutHidden, projSize)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(QuantDTypeCastV2, srcT, dstT, axis)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Range, dataType, start, limit, delta)

// Of a structure without fields.
template <typename T>
requires std::is_empty_v<T>
void to_json(nlohmann::json& json, const T&) { json = nlohmann::json::object(); }

inline nlohmann::json json_of(const NodeAttr& attr) {
  return std::visit(
      [](const auto& value) -> nlohmann::json {
        if constexpr (std::is_same_v<decltype(value), const std::monostate&>) {
          return nullptr;
        } else {
          return value;
        }
      },
      attr);
}

}  // namespace nnrt::hdi::V2_0
