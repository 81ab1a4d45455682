// Quantizes a float model file to INT8, in the same format.
#pragma once

#include "core/base/result.h"
#include "tools/import/quantizer/quantization_plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nnrt::import {

struct ValueRange {
  double low = 0, high = 0;
};

using Ranges = std::map<std::string, ValueRange>;  // by value

// A quantized node, and its result in both models.
struct QuantizedLayer {
  std::string label;  // "Conv /features/0/conv + Relu"
  std::string value, quantized;
};

struct QuantizedModel {
  std::string file;
  NetworkOf network;
  std::vector<QuantizedLayer> layers;
  std::vector<std::string> float_layers;  // labels of nodes left unchanged
};

class ModelQuantizer {
 public:
  // Fails if there is nothing to quantize, or no node has one of the names in `float_nodes`.
  static Result<std::unique_ptr<ModelQuantizer>> create(std::unique_ptr<QuantizableModel> model,
                                                        const std::vector<std::string>& float_nodes);

  // Values whose ranges are needed.
  std::vector<std::string> values() const;
  Result<Network> network(std::span<const std::string> values, const Options& options) const {
    return model_->network(values, options);
  }
  uint64_t size() const { return model_->size(); }
  // Nodes that read or write a value without a range stay unchanged.
  Result<QuantizedModel> quantize(const Ranges& ranges) const;

 private:
  ModelQuantizer(std::unique_ptr<QuantizableModel> model, std::vector<QuantizableNode> candidates);

  const std::unique_ptr<QuantizableModel> model_;
  const std::vector<QuantizableNode> candidates_;
  std::unordered_map<std::string, Int8Coding> fixed_codings_;  // by value
};

}  // namespace nnrt::import
