// Quantizes a float network to INT8, whatever file it came from.
#pragma once

#include "core/base/result.h"
#include "tools/import/network/import_options.h"
#include "tools/import/quantizer/quantization_plan.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

struct ValueRange {
  double low = 0, high = 0;
};

using Ranges = std::map<TensorId, ValueRange>;  // by value of the network before quantization

// A quantized node, and its result in both models.
struct QuantizedLayer {
  std::string label;  // "Conv /features/0/conv + Relu"
  TensorId value = 0, quantized = 0;
};

// A model with these values as its outputs; with its own if there are none.
using NetworkOf = std::function<Result<Network>(std::span<const TensorId> values, const Options& options)>;

struct QuantizedModel {
  std::string file;
  NetworkOf network;
  std::vector<QuantizedLayer> layers;
  std::vector<std::string> float_layers;  // labels of nodes left unchanged
};

class ModelQuantizer {
 public:
  // Results are written in the format of `output`, with what `file` says beside the network: the file that
  // the network comes from, empty if it has another format. Fails if that format cannot express the network,
  // if there is nothing to quantize, or if no node has one of the names in `float_nodes`.
  static Result<std::unique_ptr<ModelQuantizer>> create(const Network& network,
                                                        const std::filesystem::path& output, std::string file,
                                                        const std::vector<std::string>& float_nodes);

  // Values whose ranges are needed.
  std::vector<TensorId> values() const;
  // The network before quantization.
  Result<Network> network(std::span<const TensorId> values, const Options& options) const;
  // Nodes that read or write a value without a range stay unchanged.
  Result<QuantizedModel> quantize(const Ranges& ranges) const;

 private:
  ModelQuantizer(QuantizableModel model, std::vector<QuantizableNode> candidates,
                 std::filesystem::path output, std::string file);
  std::string with_notes(const Bytes& made) const;

  const QuantizableModel model_;
  const std::vector<QuantizableNode> candidates_;
  const std::filesystem::path output_;
  const std::string file_;
  std::map<TensorId, Int8Coding> fixed_codings_;  // by value
};

// Of a model file of any supported format. `float_nodes` lists nodes that stay float, by node name (by first
// output if nodes are unnamed) or operator type. Fails if the model is not a float model, is already
// quantized, or has nothing to quantize. The result is written in the format of `output`.
Result<std::unique_ptr<ModelQuantizer>> read_quantizer(const std::filesystem::path& path,
                                                       const std::filesystem::path& output,
                                                       const std::vector<std::string>& float_nodes,
                                                       const Options& options = {});

}  // namespace nnrt::import
