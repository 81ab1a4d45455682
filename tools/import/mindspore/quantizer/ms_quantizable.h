// Finds the nodes of a MindSpore Lite model that can be quantized.
#pragma once

#include "tools/import/mindspore/quantizer/ms_float_model.h"
#include "tools/import/quantizer/quantization_plan.h"

#include <optional>

namespace nnrt::import::mindspore {

// How MindSpore Lite computes a primitive on INT8.
struct Int8Primitive {
  nnrt::mindspore::PrimitiveType type{};
  NodeKind kind{};
  size_t operands = 1;                 // from the first input on; 0: all inputs
  bool has_one_scale = false;          // operands must have the result's coding
  std::optional<Int8Coding> coding{};  // fixed coding of the result
};

// Empty if it has no INT8 form, or not with these fields.
std::optional<Int8Primitive> int8_form(const SourceNode& node);

inline constexpr size_t kWeights = 1, kBias = 2;  // inputs of a node with weights
// The channel dimension of the weights; empty: one scale for the tensor.
std::optional<size_t> channel_axis(const SourceNode& node);

// Values are named by tensor number, since names may be missing or duplicate.
std::string value_name(uint32_t tensor);
// Empty if the name is not that of one of `count` tensors.
std::optional<uint32_t> tensor_of(const std::string& value, size_t count);

// In graph order.
std::vector<QuantizableNode> quantizable_nodes(const FloatModel& model);

}  // namespace nnrt::import::mindspore
