// A network as an importer reads it from a file: what the calls of the C API are to say, as values.
#pragma once

#include "core/base/result.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstddef>
#include <cstdint>
#include <memory>
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
  std::shared_ptr<const Bytes> data;  // of a constant
};

// The value of an operator's parameter.
struct Parameter {
  OH_NN_TensorType role = OH_NN_TENSOR;
  OH_NN_DataType type = OH_NN_UNKNOWN;
  Shape shape;
  Bytes value;
};

struct Operation {
  OH_NN_OperationType type{};
  std::vector<TensorId> inputs, outputs;
  std::vector<Parameter> parameters;
  std::string origin;  // in the file, for people: "CONV_2D (operator 12)"
};

// Operations are in an order in which they can run.
struct Network {
  std::vector<Tensor> tensors;
  std::vector<Operation> operations;
  std::vector<TensorId> inputs, outputs;  // names are those of the file
};

}  // namespace nnrt::import
