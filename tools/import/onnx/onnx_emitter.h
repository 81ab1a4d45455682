// Emits OH_NN operations for an ONNX model. Result dtypes and shapes come from the runtime's operator table;
// constant expressions are evaluated.
#pragma once

#include "core/graph/graph.h"
#include "core/schema/schema.h"
#include "tools/import/network/budget.h"
#include "tools/import/network/network.h"

#include <map>
#include <unordered_map>

namespace nnrt::import::onnx {

using Ids = List<TensorId>;

// Output properties that the table cannot determine.
struct Outputs {
  size_t count = 1;
  List<DType> dtypes{};          // set if the operation leaves a choice
  Dims shape{};                  // all -1 if the shape is dynamic
  std::optional<Quant> quant{};  // of the first one, for computed values; moved ones keep theirs
};

// Fails if OH_NN cannot represent the shape; unknown dimensions are not checked.
void check_size(const nnrt::Tensor& tensor);

// Errors are ConversionErrors.
class Emitter {
 public:
  // `file_size` bounds the size of created constants. (Added ones come from the file.)
  explicit Emitter(size_t file_size) : budget_(file_size) {}
  // Check after every node.
  ConstantBudget& budget() { return budget_; }

  // Origin of later operations: "Conv /layer1/conv (node 12)".
  void set_origin(std::string origin) { origin_ = std::move(origin); }
  const std::string& origin() const { return origin_; }
  // The layer of later operations: an index into `layers`, or none.
  void set_layer(std::optional<uint32_t> layer) { layer_ = layer; }
  std::optional<uint32_t> layer() const { return layer_; }
  uint32_t add_layer(Layer layer);
  Layer& layer_at(uint32_t index) { return layers_[index]; }
  // Quantization of values computed from now on, unless an operation overrides it.
  void set_target(std::optional<Quant> target) { target_ = std::move(target); }
  const std::optional<Quant>& target() const { return target_; }
  // Leaves products of quantized values as exact sums.
  void set_sums(bool sums) { sums_ = sums; }

  // Adds a graph input or a constant, and sets its ONNX format.
  TensorId add(nnrt::Tensor tensor);
  const nnrt::Tensor& tensor(TensorId id) const { return tensors_[id]; }
  Dims shape(TensorId id) const { return tensors_[id].shape; }
  size_t rank(TensorId id) const { return tensors_[id].shape.size(); }
  DType dtype(TensorId id) const { return tensors_[id].dtype; }
  bool is_constant(TensorId id) const { return tensors_[id].is_constant(); }
  void rename(TensorId id, const std::string& name) { tensors_[id].name = name; }
  // Replaces a generated name.
  void give_name(TensorId id, const std::string& name);

  TensorId constant(DType dtype, Dims shape, Bytes data, Quant quant = {});
  TensorId integers(const List<int64_t>& values);  // INT64, rank 1
  TensorId type_code(DType dtype);                 // operand of CAST
  // A rank-0 constant converted to the dtype.
  TensorId number(DType dtype, double value);
  // A constant with all elements `value`. The shape must be known.
  TensorId filled(DType dtype, const Dims& shape, double value);

  // Contents of an integer constant unless it is large; unknown elements are kHidden.
  std::optional<List<int64_t>> known_integers(TensorId id) const;
  std::optional<List<int64_t>> partly_known_integers(TensorId id) const;
  // Contents of a numeric constant unless it is large.
  std::optional<List<double>> known_numbers(TensorId id) const;
  static constexpr int64_t kHidden = -2147480123;

  TensorId emit(OH_NN_OperationType type, const Ids& inputs, std::vector<Parameter> parameters = {},
                const Outputs& outputs = {}) {
    return emit_many(type, inputs, std::move(parameters), outputs)[0];
  }
  Ids emit_many(OH_NN_OperationType type, const Ids& inputs, std::vector<Parameter> parameters,
                const Outputs& outputs);

  // The tensor that `make` returned for this key first. The key must determine what `make` emits.
  template <typename Make>
  TensorId once(std::string_view what, const List<int64_t>& key, const Make& make) {
    const std::pair whole(std::string(what), key);
    const auto found = made_once_.find(whole);
    if (found != made_once_.end()) return found->second;
    return made_once_[whole] = make();
  }

  // Transposes FLOAT32 weights of a convolution, when they are first needed if keep_order() was called.
  TensorId transposed_weights(TensorId id, const List<int64_t>& order);
  void keep_order() { keeps_order_ = true; }

  // A separate tensor with the same contents, written by an operation even if they are constant.
  TensorId copy(TensorId id);

  // Keeps only what the outputs need, with consecutive tensor numbers.
  Network finish(const Ids& inputs, const Ids& outputs) &&;

 private:
  struct Draft;
  void describe(Draft& draft, const Outputs& outputs) const;
  static void round_ties_to_even(Draft& draft, std::vector<Parameter>& parameters);
  bool compute(Draft& draft);
  void reveal(Draft& draft);
  // A constant small enough to read element by element.
  bool is_list(TensorId id) const;

  List<nnrt::Tensor> tensors_;
  List<Operation> operations_;
  // Partly known contents, e.g. shapes with unknown dimensions; unknown elements are kHidden.
  std::unordered_map<TensorId, SharedBytes> partly_known_;
  std::map<std::pair<std::string, List<int64_t>>, TensorId> made_once_;
  std::string origin_;
  std::optional<uint32_t> layer_;
  List<Layer> layers_;
  std::optional<Quant> target_;
  bool sums_ = false;
  ConstantBudget budget_;
  bool computes_ = true;      // folds constants
  bool keeps_order_ = false;  // defers transposes of weights
};

}  // namespace nnrt::import::onnx
