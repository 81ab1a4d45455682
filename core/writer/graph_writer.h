// Writes a core graph node by node, inferring shapes immediately. Errors are ConversionErrors.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/writer/list.h"
#include "core/writer/settings.h"

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace nnrt {

// A tensor of the graph. An empty tensor is not in the graph; only its shape is known.
struct Value {
  TensorId id = 0;
  DType dtype = DType::unknown;
  Dims shape;
  Quant quant;

  size_t rank() const { return shape.size(); }
  // 1 for missing dimensions.
  int64_t dim(size_t i) const { return i < shape.size() ? shape[i] : 1; }
  bool is_quantized() const { return dtype == DType::i8 && !quant.empty(); }
  bool is_empty() const;
};

// Tensors with more than kMaxTensorRank dimensions are flattened in the graph.
Shape tensor_shape(const Shape& shape);

// The type of a node's result; the shape is only set if it cannot be inferred.
struct ResultType {
  DType dtype = DType::unknown;
  Quant quant = {};
  Shape shape = {};
};

// Scalars have shape [1] in the graph.
inline Shape or_one(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

ResultType type_of(const Value& value);

// Computes the results of a graph without inputs.
using EvaluateGraph = std::function<Result<std::vector<Bytes>>(const GraphPtr&)>;

class GraphWriter {
 public:
  // Small results of constants, such as shape arithmetic, become constants.
  void fold_with(EvaluateGraph evaluate) { evaluate_ = std::move(evaluate); }

  Value input(DType dtype, Shape shape, Quant quant);
  void set_name(TensorId id, std::string name) { graph_.tensors[id].name = std::move(name); }
  // Gives a scalar the shape [1].
  void make_vector(TensorId id) { graph_.tensors[id].shape = graph_.shapes[id] = {1}; }
  // Valid until the next addition.
  const Tensor& tensor(TensorId id) const { return graph_.tensors[id]; }
  const Graph& graph() const { return graph_; }
  Value constant(DType dtype, Shape shape, SharedBytes data, Quant quant = {});
  Value integers(std::span<const int64_t> values, Shape shape);  // INT64
  Value integers(std::span<const int64_t> values) { return integers(values, {int64_t(values.size())}); }
  Value integers(std::initializer_list<int64_t> values) { return integers(std::span(values)); }
  // One element, shape [1].
  Value number(DType dtype, double value);

  // Attributes that are not given get their defaults.
  Value emit(Op op, const std::vector<Value>& inputs, const Settings& settings, ResultType result);
  // The result has the first input's dtype and quantization.
  Value emit(Op op, const std::vector<Value>& inputs, const Settings& settings = {});
  std::vector<Value> emit_all(Op op, const std::vector<Value>& inputs, const Settings& settings,
                              std::vector<ResultType> results);

  // Following nodes belong to this operation of the client.
  void begin_operation(uint32_t operation) { operation_ = operation; }
  // By node: its operation.
  const std::vector<uint32_t>& origins() const { return origins_; }

  // Discards everything written after a mark.
  struct Mark {
    size_t tensors = 0, nodes = 0, inputs = 0;
  };
  Mark mark() const { return {graph_.tensors.size(), graph_.nodes.size(), graph_.inputs.size()}; }
  void rewind(const Mark& mark);

  bool is_written(TensorId id) const;  // by a node
  // The writer is empty afterwards.
  Result<GraphPtr> finish(std::span<const TensorId> outputs);

 private:
  TensorId add_tensor(Tensor tensor);
  Status write(Node& node, const Settings& settings, const std::vector<ResultType>& results);
  // Makes the node's results constants, if they are small and can be computed now.
  bool fold(const Node& node);

  Graph graph_;
  std::vector<const std::byte*> values_;  // by TensorId: of constants
  std::vector<uint32_t> origins_;
  uint32_t operation_ = 0;
  EvaluateGraph evaluate_;
};

}  // namespace nnrt
