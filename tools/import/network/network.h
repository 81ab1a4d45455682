// A network as read from a file.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/graph/attrs.h"
#include "core/graph/op.h"
#include "core/writer/list.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace nnrt::import {

using nnrt::Bytes;
using TensorId = uint32_t;  // index into Network::tensors
using Shape = List<int32_t, Listed::dimensions>;

// float = scale * (value - zero_point); one entry, or one per channel.
struct Quantization {
  List<double> scales;
  List<int32_t> zero_points;

  bool empty() const { return scales.empty(); }
  bool operator==(const Quantization&) const = default;
};

struct Tensor {
  std::string name;
  OH_NN_DataType type = OH_NN_UNKNOWN;
  OH_NN_Format format = OH_NN_FORMAT_NONE;
  Shape shape;  // empty: scalar; -1: dynamic
  Quantization quantization;
  SharedBytes data;  // set for constants
};

// Quantized to 16 bits. OH_NN has no such tensors: readers compute in float, and the network stores plain
// integers.
inline bool is_quantized_wide(const Tensor& tensor) {
  return tensor.type == OH_NN_INT16 && !tensor.quantization.empty();
}

// An operator of the file, as its author named it.
struct Layer {
  std::string op;           // "Conv"
  std::string name;         // the node's name, or its first output if nodes are unnamed
  List<std::string> fused;  // following operators that the reader fused into it: "Relu"
  int node = -1;            // position in the outermost graph of an ONNX model
};

struct Operation {
  Op type{};
  List<TensorId> inputs, outputs;
  Attrs attributes = {};               // without defaults
  std::string origin;                  // human-readable location in the file: "CONV_2D (operator 12)"
  std::optional<uint32_t> layer = {};  // index into Network::layers; empty if it comes from no operator
};

// Operations are in execution order.
struct Network {
  List<Tensor> tensors;
  List<Operation> operations;
  List<TensorId> inputs, outputs;  // names from the file
  List<Layer> layers;              // empty if the file does not name its operators
};

}  // namespace nnrt::import
