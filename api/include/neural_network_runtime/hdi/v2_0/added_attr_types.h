/**
 * @file added_attr_types.h
 *
 * Attributes of the node types that V2_1 adds to node_attr_types.h.
 */
#ifndef NNRT_HDI_V2_0_ADDED_ATTR_TYPES_H
#define NNRT_HDI_V2_0_ADDED_ATTR_TYPES_H

#include "nnrt_types.h"

namespace nnrt::hdi::V2_0 {
inline namespace structures {

struct All {
  int64_t keepDims = 0;
};

struct Assert {
  int64_t summarize = 0;
};

struct BroadcastTo {
  std::vector<int64_t> shape;
};

struct Clip {
  float max = 0;
  float min = 0;
};

struct ConstantOfShape {
  int64_t dataType = 0;
  std::vector<float> value;
};

struct Crop {
  int64_t axis = 0;
  std::vector<int64_t> offset;
};

struct DetectionPostProcess {
  Format format = FORMAT_NCHW;
  int64_t inputSize = 0;
  std::vector<float> scale;
  float nmsIoUThreshold = 0;
  float nmsScoreThreshold = 0;
  int64_t maxDetections = 0;
  int64_t detectionsPerClass = 0;
  int64_t maxClassesPerDetection = 0;
  int64_t numClasses = 0;
  bool useRegularNms = false;
  bool outQuantized = false;
};

/** mode: "DCR" or "CRD". */
struct DepthToSpace {
  int64_t blockSize = 0;
  Format format = FORMAT_NCHW;
  std::string mode;
};

struct SpaceToDepth {
  int64_t blockSize = 0;
  Format format = FORMAT_NCHW;
};

/** base -1 means e. */
struct ExpFusion {
  float base = 0;
  float scale = 0;
  float shift = 0;
};

struct Flatten {
  int64_t axis = 0;
};

struct Unstack {
  int64_t axis = 0;
};

struct LogSoftmax {
  int64_t axis = 0;
};

struct InstanceNorm {
  float epsilon = 0;
};

/** Never sent: LEAKY_RELU is sent as an Activation. */
struct LeakyRelu {
  float negativeSlope = 0;
};

struct L2NormalizeFusion {
  std::vector<int64_t> axis;
  float epsilon = 0;
  ActivationType activationType = ACTIVATION_TYPE_NO_ACTIVATION;
};

/** normRegion: "ACROSS_CHANNELS". */
struct LRN {
  int64_t depthRadius = 0;
  float bias = 0;
  float alpha = 0;
  float beta = 0;
  std::string normRegion;
};

struct LSTM {
  bool bidirectional = false;
  bool hasBias = false;
  int64_t inputSize = 0;
  int64_t hiddenSize = 0;
  int64_t numLayers = 0;
  int64_t numDirections = 0;
  float dropout = 0;
  float zoneoutCell = 0;
  float zoneoutHidden = 0;
  int64_t projSize = 0;
};

struct QuantDTypeCastV2 {
  int64_t srcT = 0;
  int64_t dstT = 0;
  int64_t axis = 0;
};

struct Range {
  int64_t dataType = 0;
  int64_t start = 0;
  int64_t limit = 0;
  int64_t delta = 0;
};

struct Abs {};
struct Ceil {};
struct Cos {};
struct Equal {};
struct Erf {};
struct Floor {};
struct GatherNd {};
struct Greater {};
struct GreaterEqual {};
struct Less {};
struct Log {};
struct LogicalAnd {};
struct LogicalNot {};
struct LogicalOr {};
struct Minimum {};
struct Mod {};
struct Neg {};
struct NotEqual {};
struct Rank {};
struct RealDiv {};
struct Reciprocal {};
struct Round {};
struct ScatterNd {};
struct Select {};
struct Sin {};
struct SparseToDense {};
struct Square {};
struct Where {};

}  // namespace structures
}  // namespace nnrt::hdi::V2_0

#endif
