// Assembles a network step by step, for file readers.
#pragma once

#include "core/base/bytes_of.h"
#include "core/base/element_types.h"
#include "core/graph/graph.h"
#include "core/writer/settings.h"
#include "tools/import/network/budget.h"
#include "tools/import/network/network.h"
#include "tools/import/network/network_check.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <span>

namespace nnrt::import {

// Properties of results that the operator table does not determine.
struct Outputs {
  size_t count = 1;
  List<DType> dtypes{};                 // set if the operation leaves a choice
  Dims shape{};                         // all -1 if the shape is dynamic
  std::optional<Quantization> quant{};  // of the first one; by default that of the first input
};

// Errors are ConversionErrors.
class NetworkBuilder {
 public:
  // `file_size` bounds the size of created constants. (Added ones come from the file.)
  explicit NetworkBuilder(size_t file_size = 0) : budget_(file_size) {}
  explicit NetworkBuilder(Network network) : network_(std::move(network)), budget_(0) {}
  virtual ~NetworkBuilder() = default;

  // Sets the file operator that later additions come from: "CONV_2D (operator 12)". Temporaries are named
  // after it.
  void set_origin(std::string origin) { origin_ = std::move(origin); }
  const std::string& origin() const { return origin_; }
  // Sets the layer of later additions, or none.
  void set_layer(std::optional<Layer> layer);
  std::optional<uint32_t> layer() const { return layer_; }
  void return_to_layer(std::optional<uint32_t> layer) { layer_ = layer; }
  Layer& layer_at(uint32_t index) { return network_.layers[index]; }

  TensorId add(Tensor tensor);
  const Tensor& tensor(TensorId id) const { return network_.tensors[id]; }
  Tensor& tensor(TensorId id) { return network_.tensors[id]; }
  size_t tensor_count() const { return network_.tensors.size(); }
  bool is_constant(TensorId id) const { return tensor(id).data != nullptr; }
  DType dtype(TensorId id) const { return static_cast<DType>(tensor(id).type); }
  Dims shape(TensorId id) const { return {tensor(id).shape.begin(), tensor(id).shape.end()}; }
  size_t rank(TensorId id) const { return tensor(id).shape.size(); }
  // Check after every operator.
  ConstantBudget& budget() { return budget_; }

  TensorId constant(OH_NN_DataType type, Shape shape, Bytes data, Quantization quantization = {});
  TensorId constant(DType dtype, const Dims& shape, Bytes data) {
    return constant(static_cast<OH_NN_DataType>(dtype), {shape.begin(), shape.end()}, std::move(data));
  }
  template <typename T>
  TensorId constant(Shape shape, std::span<const T> values) {
    return constant(static_cast<OH_NN_DataType>(kDTypeOf<T>), std::move(shape), bytes_of(values));
  }
  template <typename T>
  TensorId vector(std::initializer_list<T> values) {
    return constant(Shape{static_cast<int32_t>(values.size())}, std::span<const T>(values));
  }
  template <typename T>
  TensorId vector(const std::vector<T>& values) {
    return constant(Shape{static_cast<int32_t>(values.size())}, std::span<const T>(values));
  }
  template <typename T>
  TensorId scalar(T value) {
    return constant(Shape{}, std::span<const T>(&value, 1));
  }
  // A rank-0 constant converted to the dtype.
  TensorId number(DType dtype, double value);
  TensorId type_code(DType dtype) { return scalar(static_cast<int32_t>(dtype)); }  // operand of CAST
  // All elements are `value`. Fails if the shape is not known.
  TensorId filled(DType dtype, const Dims& shape, double value);

  // A tensor for the next operation, which sets its layout and name.
  TensorId temporary(OH_NN_DataType type, Shape shape, Quantization quantization = {});
  TensorId temporary_like(TensorId id) {
    return temporary(tensor(id).type, tensor(id).shape, tensor(id).quantization);
  }

  void operation(Op type, List<TensorId> inputs, List<TensorId> outputs, const Settings& settings = {});
  void operation(Operation operation) { network_.operations.push_back(std::move(operation)); }
  size_t operation_count() const { return network_.operations.size(); }
  // Removes and returns the operations from `first` on.
  List<Operation> take_operations(size_t first);
  // Adds an operation whose results have the dtypes and shapes that the operator table tells.
  virtual List<TensorId> emit_many(Op type, const List<TensorId>& inputs, const Settings& settings,
                                   const Outputs& outputs);
  TensorId emit(Op type, const List<TensorId>& inputs, const Settings& settings = {},
                const Outputs& outputs = {}) {
    return emit_many(type, inputs, settings, outputs)[0];
  }
  // Makes a tensor constant.
  void set_data(TensorId id, SharedBytes data);
  // A separate tensor with the same contents, written by an operation even if they are constant.
  virtual TensorId copy(TensorId id);

  // The tensor that `make` returned for this key first. The key must determine what `make` emits.
  template <typename Make>
  TensorId once(std::string_view what, const List<int64_t>& key, const Make& make) {
    const std::pair whole(std::string(what), key);
    const auto found = made_once_.find(whole);
    if (found != made_once_.end()) return found->second;
    return made_once_[whole] = make();
  }

  // Values of an INT32 or INT64 constant; empty for any other tensor.
  std::optional<List<int64_t>> integers(TensorId id) const;
  // Values of a float or quantized constant (`axis` is the channel dimension); otherwise empty.
  std::optional<List<float>> floats(TensorId id, uint32_t axis = 0) const;

  // A transposed constant: dimension j of the result is dimension order[j].
  TensorId transposed(TensorId constant, const List<uint32_t>& order);
  // Adds a QUANT_DTYPE_CAST between the tensors. `axis` is the channel dimension.
  void cast_quantized(TensorId from, TensorId to, uint32_t axis = 0);
  // Conversions from and to 16-bit quantized tensors, which OH_NN stores as plain integers.
  void dequantize_wide(TensorId from, TensorId to);
  void quantize_wide(TensorId from, TensorId to);
  // The tensor as FLOAT32: itself, a dequantized constant (`axis` is the channel dimension), or a cast.
  TensorId dequantize(TensorId id, uint32_t axis = 0);
  // The FLOAT32 tensor an operation writes on behalf of `target`, quantized or not; call `store` after the
  // operation.
  TensorId float_target(TensorId target);
  void store(TensorId from, TensorId target);

  // Drops the operations that no output needs.
  void drop_unused(const List<TensorId>& outputs);
  // Drops unused tensors.
  Network finish(List<TensorId> inputs, List<TensorId> outputs) &&;

 protected:
  virtual TensorId add_temporary(Tensor tensor);

 private:
  Network network_;
  std::string origin_;
  std::optional<uint32_t> layer_;
  uint32_t temporaries_ = 0;
  ConstantBudget budget_;
  std::map<std::pair<std::string, List<int64_t>>, TensorId> made_once_;
};

}  // namespace nnrt::import
