// Makes the operations of OH_NN that an ONNX model becomes. Types and shapes of what they compute come from
// the runtime's own table of operators; what can be computed now is.
#pragma once

#include "core/graph/graph.h"
#include "core/schema/schema.h"
#include "tools/import/network/budget.h"
#include "tools/import/network/network.h"

#include <unordered_map>

namespace nnrt::import::onnx {

using Ids = std::vector<TensorId>;

// Properties of an operation's outputs that the table cannot say.
struct Outputs {
  size_t count = 1;
  std::vector<DType> dtypes{};   // set if the operation leaves a choice
  nnrt::Shape shape{};           // -1 for each dimension, where only a run knows the shape
  std::optional<Quant> quant{};  // for computed values; those that are only moved keep theirs
};

// Fails where OH_NN has no tensor of that shape; unknown dimensions may be anything.
Status check_size(const nnrt::Tensor& tensor);

class Emitter {
 public:
  // `file_size` bounds the constants that are made. (Those that are added come from the file.)
  explicit Emitter(size_t file_size) : budget_(file_size) {}
  // To be asked after every node.
  ConstantBudget& budget() { return budget_; }

  // Origin of the operations to come: "Conv /layer1/conv (node 12)".
  void set_origin(std::string origin) { origin_ = std::move(origin); }
  const std::string& origin() const { return origin_; }
  // The operator of the file from which they come: an index in `layers`, or none.
  void set_layer(std::optional<uint32_t> layer) { layer_ = layer; }
  std::optional<uint32_t> layer() const { return layer_; }
  uint32_t add_layer(Layer layer);
  Layer& layer_at(uint32_t index) { return layers_[index]; }
  // Quantization of values computed from now on, unless an operation says otherwise.
  void set_target(std::optional<Quant> target) { target_ = std::move(target); }
  const std::optional<Quant>& target() const { return target_; }
  // Products of quantized values are left as their exact sums.
  void set_sums(bool sums) { sums_ = sums; }

  // A graph input or a constant. Gives it the format of ONNX.
  TensorId add(nnrt::Tensor tensor);
  const nnrt::Tensor& tensor(TensorId id) const { return tensors_[id]; }
  const nnrt::Shape& shape(TensorId id) const { return tensors_[id].shape; }
  size_t rank(TensorId id) const { return tensors_[id].shape.size(); }
  DType dtype(TensorId id) const { return tensors_[id].dtype; }
  bool is_constant(TensorId id) const { return tensors_[id].is_constant(); }
  void rename(TensorId id, const std::string& name) { tensors_[id].name = name; }
  // The same where the name was made up.
  void give_name(TensorId id, const std::string& name);

  TensorId constant(DType dtype, nnrt::Shape shape, Bytes data, Quant quant = {});
  TensorId integers(const std::vector<int64_t>& values);  // INT64, one dimension
  TensorId type_code(DType dtype);                        // the operand of CAST
  // A constant of one element and rank 0, converted to the type.
  TensorId number(DType dtype, double value);
  // A constant with every element `value`. The shape is known.
  Result<TensorId> filled(DType dtype, const nnrt::Shape& shape, double value);

  // Contents of an integer constant, unless it is large; unknown elements are kHidden.
  std::optional<std::vector<int64_t>> known_integers(TensorId id) const;
  std::optional<std::vector<int64_t>> partly_known_integers(TensorId id) const;
  // Contents of a constant of numbers, unless it is large.
  std::optional<std::vector<double>> known_numbers(TensorId id) const;
  static constexpr int64_t kHidden = -2147480123;

  Result<TensorId> emit(OH_NN_OperationType type, const Ids& inputs, std::vector<Parameter> parameters = {},
                        const Outputs& outputs = {});
  Result<Ids> emit_many(OH_NN_OperationType type, const Ids& inputs, std::vector<Parameter> parameters,
                        const Outputs& outputs);

  // A tensor of its own with the same contents, which an operation writes even if they are constant.
  Result<TensorId> copy(TensorId id);

  // Returns what the outputs need, with consecutive tensor numbers.
  Network finish(const Ids& inputs, const Ids& outputs) &&;

 private:
  struct Draft;
  Status describe(Draft& draft, const Outputs& outputs) const;
  static void round_ties_to_even(Draft& draft, std::vector<Parameter>& parameters);
  Result<bool> compute(Draft& draft);
  void reveal(Draft& draft);
  // A constant whose elements may be asked for one by one.
  bool is_list(TensorId id) const;

  std::vector<nnrt::Tensor> tensors_;
  std::vector<Operation> operations_;
  // Contents of which only a part is known: shapes with unknown dimensions. kHidden stands for what is not.
  std::unordered_map<TensorId, std::shared_ptr<const Bytes>> partly_known_;
  std::string origin_;
  std::optional<uint32_t> layer_;
  std::vector<Layer> layers_;
  std::optional<Quant> target_;
  bool sums_ = false;
  ConstantBudget budget_;
  bool computes_ = true;  // computes constant nodes
};

}  // namespace nnrt::import::onnx
