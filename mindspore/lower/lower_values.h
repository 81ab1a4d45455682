// The tensors of a source graph as values of the core graph being written.
#pragma once

#include "core/writer/graph_writer.h"
#include "mindspore/model/source_graph.h"

#include <map>
#include <optional>

namespace nnrt::mindspore {

class LowerValues {
 public:
  LowerValues(GraphWriter& graph, const SourceGraph& source)
      : graph_(graph), source_(source), values_(source.tensors.size()) {}

  GraphWriter& graph() { return graph_; }

  bool is_set(uint32_t tensor) const { return values_[tensor].has_value(); }
  void set(uint32_t tensor, Value value) { values_[tensor] = std::move(value); }
  const Value& at(uint32_t tensor) const { return *values_[tensor]; }
  // Declares a graph input.
  Status add_input(uint32_t tensor);

  // Constants, converted for the node that reads them.
  Result<Value> constant(uint32_t tensor);
  Result<Value> dequantized(uint32_t tensor, size_t axis);
  Result<Value> widened(uint32_t tensor);  // FLOAT16 as FLOAT32

  // Forgets constants that were written after a mark.
  void rewind(const GraphWriter::Mark& mark);

 private:
  // How a constant is stored in the graph; the axis of dequantized ones.
  static constexpr int kStored = -1, kWidened = -2;
  template <typename Make>
  Result<Value> cached(uint32_t tensor, int form, const Make& make);

  GraphWriter& graph_;
  const SourceGraph& source_;
  List<std::optional<Value>> values_;
  std::map<std::pair<uint32_t, int>, Value> constants_;
};

// The quantization of a tensor; empty unless it is an integer of 8 bits with valid entries.
Quant quant_of(const SourceTensor& tensor);

// The elements of a plain FLOAT16 constant.
List<float> widened_elements(const SourceTensor& tensor);

// invalid_parameter unless the bytes of the constant fit its dtype and dimensions.
Status check_constant(const SourceTensor& tensor);

}  // namespace nnrt::mindspore
