// Turns a float model, whose tensors have numbers, into an INT8 one: planned nodes compute on INT8, with
// conversions at the boundaries. Model inputs and outputs keep their types.
#pragma once

#include "core/base/bytes.h"
#include "tools/import/quantizer/quantization_plan.h"

#include <map>
#include <utility>

namespace nnrt::import {

// Values have the names of their tensors' numbers, since the tensors' own names may be missing or duplicate.
std::string value_name(size_t tensor);
// A missing tensor, whose number is negative, has an empty name.
template <typename Number>
std::vector<std::string> value_names(const std::vector<Number>& tensors) {
  std::vector<std::string> names;
  for (const Number tensor : tensors)
    names.push_back(std::cmp_less(tensor, 0) ? std::string() : value_name(static_cast<size_t>(tensor)));
  return names;
}
// Empty if the name is not that of one of `count` tensors.
std::optional<size_t> tensor_of(const std::string& value, size_t count);

// Contents of a weight (INT8) or bias (INT32).
struct CodedTensor {
  ByteView data;
  bool is_bias = false;
  std::vector<float> scales;  // one, or one per channel
  int8_t zero_point = 0;
  size_t axis = 0;  // of the channels
};

// The written file, which begins as a copy of the float model without its nodes.
class Int8File {
 public:
  virtual ~Int8File() = default;

  // Returns the copy's number.
  virtual size_t copy(size_t tensor, const std::string& suffix) = 0;
  virtual void set_coding(size_t tensor, const Int8Coding& coding) = 0;
  virtual void set_constant(size_t tensor, const CodedTensor& coded) = 0;
  virtual void add_conversion(size_t from, size_t to) = 0;
  // The node at this position of the float model; a missing operand has no number.
  using Tensors = std::vector<std::optional<size_t>>;
  virtual void add_node(size_t position, const Tensors& inputs, const Tensors& outputs,
                        bool is_quantized) = 0;
};

// Writes all nodes. Returns the quantized tensors by value of the float model.
std::unordered_map<std::string, std::string> write_int8(const QuantizableModel& model,
                                                        const QuantizationPlan& plan,
                                                        const CodingOf& coding_of, Int8File& file);

}  // namespace nnrt::import
