// A float model as the quantizer sees it, whatever file it came from.
#pragma once

#include "core/base/result.h"
#include "tools/import/network/import_options.h"
#include "tools/import/quantizer/value_coding.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
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
  size_t operands = 1;                 // from FloatNode::first on; 0: all inputs
  bool has_one_scale = false;          // operands must have the result's coding
  std::optional<Int8Coding> coding{};  // fixed coding of the result
  bool gives_scores = false;           // stays float if the result is a model output, for accuracy
  bool joins_streams = false;          // stays float if a norm reads the result
};

struct FloatNode {
  std::string op, label;           // "Conv", "Conv /features/0/conv"
  std::string layer;               // the same of all nodes of one operator of the file; empty: its own
  std::vector<std::string> names;  // the node's own, its operator's and its outputs'
  std::vector<std::string> inputs, outputs;  // values; empty: a missing operand
  std::optional<Int8Form> form{};            // empty: stays float
  size_t first = 0;                          // operand
  size_t weights = 1, bias = 2;              // inputs of a weighted node
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

struct QuantizableNode;
struct QuantizationPlan;
// The coding of a value whose range other values may share.
using CodingOf = std::function<Int8Coding(const std::string& source)>;

// A model with these values as its outputs; with its own if there are none.
using NetworkOf = std::function<Result<Network>(std::span<const std::string> values, const Options& options)>;

struct WrittenModel {
  std::string file;
  std::unordered_map<std::string, std::string> quantized;  // by value of the float model
  NetworkOf network;
};

class QuantizableModel {
 public:
  virtual ~QuantizableModel() = default;

  const FloatGraph& graph() const { return graph_; }
  // Returns whether the value is FLOAT32.
  virtual bool is_float(const std::string& value) const = 0;
  virtual bool is_constant(const std::string& value) const = 0;
  // The elements of a FLOAT32 constant; empty for other values.
  virtual std::optional<FloatConstant> floats(const std::string& value) const = 0;

  // The model before quantization.
  virtual Result<Network> network(std::span<const std::string> values, const Options& options) const = 0;
  // Size of the original model in bytes.
  virtual uint64_t size() const = 0;
  virtual Result<WrittenModel> write(const QuantizationPlan& plan, const CodingOf& coding_of) const = 0;

 protected:
  FloatGraph graph_;
};

}  // namespace nnrt::import
