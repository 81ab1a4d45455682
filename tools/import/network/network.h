// A network as an importer reads it from a file: what the calls of the C API are to say, as values.
#pragma once

#include "core/base/result.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::import {

using Bytes = std::vector<std::byte>;
using TensorId = uint32_t;  // index in Network::tensors
using Shape = std::vector<int32_t>;

// float = scale * (value - zero_point); one entry, or one for each channel.
struct Quantization {
  std::vector<double> scales;
  std::vector<int32_t> zero_points;

  bool empty() const { return scales.empty(); }
  bool operator==(const Quantization&) const = default;
};

struct Tensor {
  std::string name;
  OH_NN_DataType type = OH_NN_UNKNOWN;
  OH_NN_Format format = OH_NN_FORMAT_NONE;
  Shape shape;  // empty: a scalar; -1: known only in a run
  Quantization quantization;
  std::shared_ptr<const Bytes> data;  // set for a constant
};

// Quantized to 16 bits. OH_NN has no such tensors: readers compute with floats, and the network has integers.
inline bool is_quantized_wide(const Tensor& tensor) {
  return tensor.type == OH_NN_INT16 && !tensor.quantization.empty();
}

// The value of an operator's parameter.
struct Parameter {
  OH_NN_TensorType role = OH_NN_TENSOR;
  OH_NN_DataType type = OH_NN_UNKNOWN;
  Shape shape;
  Bytes value;
};

// An operator of the file, as people who made it know it.
struct Layer {
  std::string op;                  // "Conv"
  std::string name;                // the node's; its first output's where nodes have no names
  std::vector<std::string> fused;  // operators behind it that the reader made a part of it: "Relu"
};

struct Operation {
  OH_NN_OperationType type{};
  std::vector<TensorId> inputs, outputs;
  std::vector<Parameter> parameters;
  std::string origin;                  // in the file, for people: "CONV_2D (operator 12)"
  std::optional<uint32_t> layer = {};  // index in Network::layers; empty: no operator of the file
};

// Operations are in an order in which they can run.
struct Network {
  std::vector<Tensor> tensors;
  std::vector<Operation> operations;
  std::vector<TensorId> inputs, outputs;  // names are those of the file
  std::vector<Layer> layers;              // empty: the file does not name its operators
};

}  // namespace nnrt::import
