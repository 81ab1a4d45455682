// A float network as the quantizer sees it, whatever file it came from.
#pragma once

#include "core/base/result.h"
#include "tools/import/network/network.h"
#include "tools/import/quantizer/value_coding.h"

#include <algorithm>
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

// An operation of the network.
struct FloatNode {
  std::string label;                     // "Conv /features/0/conv"
  std::optional<uint32_t> layer;         // index into Network::layers
  std::vector<std::string> names;        // the node's own, its operator's and its outputs'
  std::optional<Int8Form> form{};        // empty: stays float
  std::optional<size_t> channel_axis{};  // of the weights; empty: one scale
  int64_t channels = 0;                  // elements of the bias
  bool takes_gates = false;
};

struct QuantizableModel {
  // With operators folded into those before them. Results have the format of `output`.
  static Result<QuantizableModel> create(const Network& network, const std::filesystem::path& output);

  const Operation& operation(size_t node) const { return network.operations[node]; }
  // Whether it is FLOAT32.
  bool is_float(TensorId value) const { return network.tensors[value].type == OH_NN_FLOAT32; }
  bool is_constant(TensorId value) const { return network.tensors[value].data != nullptr; }
  bool is_output(TensorId value) const { return std::ranges::count(network.outputs, value) > 0; }
  // The elements of a FLOAT32 constant; empty for other values.
  std::optional<FloatConstant> floats(TensorId value) const;
  // The number of reads of each value, by operations and as outputs.
  std::vector<size_t> reads() const;

  Network network;
  std::vector<FloatNode> nodes;  // those of the operations
  // Residual streams of transformers: a few of their channels are large (norms undo that), so a per-tensor
  // scale is a poor fit.
  std::unordered_set<TensorId> normalized{};
  // Results of operators without a quantized form that are as good as quantized for a product: bounded, and
  // small next to a feature map that would otherwise have to become float.
  std::unordered_set<TensorId> gates{};
};

}  // namespace nnrt::import
