// A float network as the quantizer sees it, whatever file it came from.
#pragma once

#include "core/base/result.h"
#include "tools/import/network/network.h"
#include "tools/import/quantizer/value_coding.h"

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace nnrt::import {

enum class NodeKind {
  weighted,  // constant weights with per-channel scales, and optionally a bias
  computed,  // operands and result have their own ranges
  moved,     // data movement: the result shares the operand's range
};

// How an operator computes on INT8.
struct Int8Form {
  NodeKind kind{};
  size_t operands = 1;                 // the first inputs; 0: all inputs
  bool has_one_scale = false;          // operands must have the result's coding
  std::optional<Int8Coding> coding{};  // fixed coding of the result
  bool gives_scores = false;           // stays float if the result is a model output, for accuracy
  bool joins_streams = false;          // stays float if a norm reads the result
};

// Inputs of a weighted node.
inline constexpr size_t kWeights = 1, kBias = 2;

struct FloatNode {
  std::string op, label;           // "Conv", "Conv /features/0/conv"
  std::string layer;               // the same of all nodes of one operator of the file; empty: its own
  std::vector<std::string> names;  // the node's own, its operator's and its outputs'
  std::vector<std::string> inputs, outputs;  // values
  std::optional<Int8Form> form{};            // empty: stays float
  std::optional<size_t> channel_axis{};      // of the weights; empty: one scale
  int64_t channels = 0;                      // elements of the bias
  bool takes_gates = false;
};

struct FloatGraph {
  std::vector<FloatNode> nodes;  // in execution order
  std::vector<std::string> inputs, outputs;
  // Residual streams of transformers: a few of their channels are large (norms undo that), so a per-tensor
  // scale is a poor fit.
  std::unordered_set<std::string> normalized;
  // Results of operators without a quantized form that are as good as quantized for a product: bounded, and
  // small next to a feature map that would otherwise have to become float.
  std::unordered_set<std::string> gates;
};

// Values have the names of their tensors' numbers, since the tensors' own names may be missing or duplicate.
std::string value_name(size_t tensor);
// Empty if the name is not that of one of `count` tensors.
std::optional<size_t> tensor_of(const std::string& value, size_t count);

class QuantizableModel {
 public:
  // With operators folded into those before them. Results have the format of `output`.
  static Result<QuantizableModel> create(const Network& network, const std::filesystem::path& output);

  const Network& network() const { return network_; }
  // The nodes are the network's operations.
  const FloatGraph& graph() const { return graph_; }
  // All values are in the graph. Returns whether it is FLOAT32.
  bool is_float(const std::string& value) const { return tensor(value).type == OH_NN_FLOAT32; }
  bool is_constant(const std::string& value) const { return tensor(value).data != nullptr; }
  // The elements of a FLOAT32 constant; empty for other values.
  std::optional<FloatConstant> floats(const std::string& value) const;

 private:
  QuantizableModel(Network network, FloatGraph graph)
      : network_(std::move(network)), graph_(std::move(graph)) {}

  const Tensor& tensor(const std::string& value) const {
    return network_.tensors[*tensor_of(value, network_.tensors.size())];
  }

  Network network_;
  FloatGraph graph_;
};

}  // namespace nnrt::import
