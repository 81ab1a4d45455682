// BatchNormalization behind a convolution of constant weights: its factors go into the weights, so that the
// values between the two need no range of their own.
#pragma once

#include "tools/import/onnx/quantizer/float_graph.h"

#include <functional>

namespace nnrt::import::onnx {

class BatchNormFolding {
 public:
  using ReadFloats = std::function<std::optional<FloatConstant>(const std::string&)>;

  // `read` gives the constants that `graph` has before the folding.
  BatchNormFolding(onnx_file::GraphProto& graph, ReadFloats read) : graph_(graph), read_(std::move(read)) {}

  Status run();

 private:
  // A factor and a summand for each channel.
  struct Factors {
    std::vector<float> scale, shift;
  };

  std::optional<Factors> factors_of(const onnx_file::NodeProto& norm) const;
  // Returns whether the convolution has the factors within its weights now.
  bool fold(onnx_file::NodeProto& conv, const Factors& factors);

  onnx_file::GraphProto& graph_;
  ReadFloats read_;
};

}  // namespace nnrt::import::onnx
