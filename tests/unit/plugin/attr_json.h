// Attributes as JSON, so that tests can compare them by field name.
#pragma once

#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <nlohmann/json.hpp>

namespace nnrt::hdi::V2_0 {

inline nlohmann::json json_of(const Activation& a) {
  return {{"activationType", a.activationType},
          {"alpha", a.alpha},
          {"minVal", a.minVal},
          {"maxVal", a.maxVal},
          {"approximate", a.approximate}};
}
inline nlohmann::json json_of(const AddFusion& a) { return {{"activationType", a.activationType}}; }
inline nlohmann::json json_of(const SubFusion& a) { return {{"activationType", a.activationType}}; }
inline nlohmann::json json_of(const MulFusion& a) { return {{"activationType", a.activationType}}; }
inline nlohmann::json json_of(const DivFusion& a) { return {{"activationType", a.activationType}}; }
inline nlohmann::json json_of(const ArgMaxFusion& a) {
  return {{"axis", a.axis}, {"topK", a.topK}, {"keepDims", a.keepDims}, {"outMaxValue", a.outMaxValue}};
}
inline nlohmann::json json_of(const AvgPoolFusion& a) {
  return {{"kernelSize", a.kernelSize},
          {"strides", a.strides},
          {"pad", a.pad},
          {"padMode", a.padMode},
          {"roundMode", a.roundMode},
          {"format", a.format},
          {"global", a.global},
          {"activationType", a.activationType}};
}
inline nlohmann::json json_of(const MaxPoolFusion& a) {
  return {{"kernelSize", a.kernelSize},
          {"strides", a.strides},
          {"pad", a.pad},
          {"padMode", a.padMode},
          {"format", a.format},
          {"roundMode", a.roundMode},
          {"global", a.global},
          {"activationType", a.activationType}};
}
inline nlohmann::json json_of(const BatchToSpaceND& a) {
  return {{"blockShape", a.blockShape}, {"crops", a.crops}};
}
inline nlohmann::json json_of(const SpaceToBatchND& a) {
  return {{"blockShape", a.blockShape}, {"paddings", a.paddings}};
}
inline nlohmann::json json_of(const Concat& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const Stack& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const OneHot& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const Conv2DFusion& a) {
  return {{"kernelSize", a.kernelSize}, {"stride", a.stride},         {"dilation", a.dilation},
          {"padMode", a.padMode},       {"padList", a.padList},       {"group", a.group},
          {"inChannel", a.inChannel},   {"outChannel", a.outChannel}, {"activationType", a.activationType}};
}
inline nlohmann::json json_of(const Conv2dTransposeFusion& a) {
  return {{"kernelSize", a.kernelSize},
          {"stride", a.stride},
          {"dilation", a.dilation},
          {"padMode", a.padMode},
          {"padList", a.padList},
          {"group", a.group},
          {"inChannel", a.inChannel},
          {"outChannel", a.outChannel},
          {"activationType", a.activationType},
          {"outputPaddings", a.outputPaddings}};
}
inline nlohmann::json json_of(const Eltwise& a) { return {{"mode", a.mode}}; }
inline nlohmann::json json_of(const FullConnection& a) {
  return {
      {"hasBias", a.hasBias}, {"useAxis", a.useAxis}, {"axis", a.axis}, {"activationType", a.activationType}};
}
inline nlohmann::json json_of(const FusedBatchNorm& a) { return {{"epsilon", a.epsilon}}; }
inline nlohmann::json json_of(const LayerNormFusion& a) {
  return {{"beginNormAxis", a.beginNormAxis},
          {"epsilon", a.epsilon},
          {"elementwiseAffine", a.elementwiseAffine},
          {"beginParamsAxis", a.beginParamsAxis}};
}
inline nlohmann::json json_of(const MatMulFusion& a) {
  return {{"transposeA", a.transposeA}, {"transposeB", a.transposeB}, {"activationType", a.activationType}};
}
inline nlohmann::json json_of(const PadFusion& a) {
  return {{"paddings", a.paddings}, {"paddingMode", a.paddingMode}, {"constantValue", a.constantValue}};
}
inline nlohmann::json json_of(const PowFusion& a) { return {{"scale", a.scale}, {"shift", a.shift}}; }
inline nlohmann::json json_of(const PReLUFusion& a) { return {{"channelShared", a.channelShared}}; }
inline nlohmann::json json_of(const QuantDTypeCast& a) { return {{"srcT", a.srcT}, {"dstT", a.dstT}}; }
inline nlohmann::json json_of(const ReduceFusion& a) {
  return {{"keepDims", a.keepDims}, {"mode", a.mode}, {"reduceToEnd", a.reduceToEnd}, {"coeff", a.coeff}};
}
inline nlohmann::json json_of(const Resize& a) {
  return {{"method", a.method},
          {"newHeight", a.newHeight},
          {"newWidth", a.newWidth},
          {"preserveAspectRatio", a.preserveAspectRatio},
          {"coordinateTransformMode", a.coordinateTransformMode},
          {"cubicCoeff", a.cubicCoeff},
          {"excludeOutside", a.excludeOutside},
          {"extrapolationValue", a.extrapolationValue},
          {"nearestMode", a.nearestMode}};
}
inline nlohmann::json json_of(const ScaleFusion& a) {
  return {{"axis", a.axis}, {"activationType", a.activationType}};
}
inline nlohmann::json json_of(const SliceFusion& a) { return {{"axes", a.axes}}; }
inline nlohmann::json json_of(const Softmax& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const Squeeze& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const Unsqueeze& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const Split& a) {
  return {{"outputNum", a.outputNum}, {"sizeSplits", a.sizeSplits}, {"axis", a.axis}};
}
inline nlohmann::json json_of(const StridedSlice& a) {
  return {{"beginMask", a.beginMask},
          {"endMask", a.endMask},
          {"ellipsisMask", a.ellipsisMask},
          {"newAxisMask", a.newAxisMask},
          {"shrinkAxisMask", a.shrinkAxisMask}};
}
inline nlohmann::json json_of(const TileFusion& a) { return {{"dims", a.dims}}; }
inline nlohmann::json json_of(const TopKFusion& a) { return {{"sorted", a.sorted}, {"axis", a.axis}}; }
inline nlohmann::json json_of(const BiasAdd&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Cast&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const ExpandDims&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Fill&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Gather&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const LessEqual&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Maximum&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Reshape&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Rsqrt&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Shape&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Sqrt&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const SquaredDifference&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Transpose&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const All& a) { return {{"keepDims", a.keepDims}}; }
inline nlohmann::json json_of(const Assert& a) { return {{"summarize", a.summarize}}; }
inline nlohmann::json json_of(const BroadcastTo& a) { return {{"shape", a.shape}}; }
inline nlohmann::json json_of(const Clip& a) { return {{"max", a.max}, {"min", a.min}}; }
inline nlohmann::json json_of(const ConstantOfShape& a) {
  return {{"dataType", a.dataType}, {"value", a.value}};
}
inline nlohmann::json json_of(const Crop& a) { return {{"axis", a.axis}, {"offset", a.offset}}; }
inline nlohmann::json json_of(const DetectionPostProcess& a) {
  return {{"format", a.format},
          {"inputSize", a.inputSize},
          {"scale", a.scale},
          {"nmsIoUThreshold", a.nmsIoUThreshold},
          {"nmsScoreThreshold", a.nmsScoreThreshold},
          {"maxDetections", a.maxDetections},
          {"detectionsPerClass", a.detectionsPerClass},
          {"maxClassesPerDetection", a.maxClassesPerDetection},
          {"numClasses", a.numClasses},
          {"useRegularNms", a.useRegularNms},
          {"outQuantized", a.outQuantized}};
}
inline nlohmann::json json_of(const DepthToSpace& a) {
  return {{"blockSize", a.blockSize}, {"format", a.format}, {"mode", a.mode}};
}
inline nlohmann::json json_of(const SpaceToDepth& a) {
  return {{"blockSize", a.blockSize}, {"format", a.format}};
}
inline nlohmann::json json_of(const ExpFusion& a) {
  return {{"base", a.base}, {"scale", a.scale}, {"shift", a.shift}};
}
inline nlohmann::json json_of(const Flatten& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const Unstack& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const LogSoftmax& a) { return {{"axis", a.axis}}; }
inline nlohmann::json json_of(const InstanceNorm& a) { return {{"epsilon", a.epsilon}}; }
inline nlohmann::json json_of(const LeakyRelu& a) { return {{"negativeSlope", a.negativeSlope}}; }
inline nlohmann::json json_of(const L2NormalizeFusion& a) {
  return {{"axis", a.axis}, {"epsilon", a.epsilon}, {"activationType", a.activationType}};
}
inline nlohmann::json json_of(const LRN& a) {
  return {{"depthRadius", a.depthRadius},
          {"bias", a.bias},
          {"alpha", a.alpha},
          {"beta", a.beta},
          {"normRegion", a.normRegion}};
}
inline nlohmann::json json_of(const LSTM& a) {
  return {{"bidirectional", a.bidirectional},
          {"hasBias", a.hasBias},
          {"inputSize", a.inputSize},
          {"hiddenSize", a.hiddenSize},
          {"numLayers", a.numLayers},
          {"numDirections", a.numDirections},
          {"dropout", a.dropout},
          {"zoneoutCell", a.zoneoutCell},
          {"zoneoutHidden", a.zoneoutHidden},
          {"projSize", a.projSize}};
}
inline nlohmann::json json_of(const QuantDTypeCastV2& a) {
  return {{"srcT", a.srcT}, {"dstT", a.dstT}, {"axis", a.axis}};
}
inline nlohmann::json json_of(const Range& a) {
  return {{"dataType", a.dataType}, {"start", a.start}, {"limit", a.limit}, {"delta", a.delta}};
}
inline nlohmann::json json_of(const Abs&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Ceil&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Cos&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Equal&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Erf&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Floor&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const GatherNd&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Greater&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const GreaterEqual&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Less&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Log&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const LogicalAnd&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const LogicalNot&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const LogicalOr&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Minimum&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Mod&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Neg&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const NotEqual&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Rank&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const RealDiv&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Reciprocal&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Round&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const ScatterNd&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Select&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Sin&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const SparseToDense&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Square&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const Where&) { return nlohmann::json::object(); }
inline nlohmann::json json_of(const std::monostate&) { return nullptr; }

inline nlohmann::json json_of(const NodeAttr& attr) {
  return std::visit([](const auto& value) { return json_of(value); }, attr);
}

}  // namespace nnrt::hdi::V2_0
