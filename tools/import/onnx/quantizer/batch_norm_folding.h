// Folds BatchNormalization into a preceding convolution with constant weights, so that the value between them
// needs no range.
#pragma once

#include "tools/import/onnx/quantizer/prepared_graph.h"

#include <functional>

namespace nnrt::import::onnx {

class BatchNormFolding {
 public:
  using ReadFloats = std::function<std::optional<FloatConstant>(const std::string&)>;

  // `read` returns the constants of `graph` before folding.
  BatchNormFolding(onnx_file::GraphProto& graph, ReadFloats read) : graph_(graph), read_(std::move(read)) {}

  Status run();

 private:
  // A factor and an offset per channel.
  struct Factors {
    std::vector<float> scale, shift;
  };

  std::optional<Factors> factors_of(const onnx_file::NodeProto& norm) const;
  // Returns whether the factors were folded into the convolution.
  bool fold(onnx_file::NodeProto& conv, const Factors& factors);

  onnx_file::GraphProto& graph_;
  ReadFloats read_;
};

}  // namespace nnrt::import::onnx
