// Assembles a network step by step, for file readers.
#pragma once

#include "tools/import/network/budget.h"
#include "tools/import/network/network.h"
#include "tools/import/network/network_check.h"
#include "tools/import/network/parameters.h"

#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>

namespace nnrt::import {

// Errors are ConversionErrors.
class NetworkBuilder {
 public:
  // `file_size` bounds the size of created constants. (Added ones come from the file.)
  explicit NetworkBuilder(size_t file_size = 0) : budget_(file_size) {}
  explicit NetworkBuilder(Network network) : network_(std::move(network)), budget_(0) {}

  // Sets the file operator that later additions come from: "CONV_2D (operator 12)". Temporaries are named
  // after it.
  void set_origin(std::string origin) { origin_ = std::move(origin); }
  const std::string& origin() const { return origin_; }
  // Sets the layer of later additions, or none.
  void set_layer(std::optional<Layer> layer);
  std::optional<uint32_t> layer() const { return layer_; }
  void return_to_layer(std::optional<uint32_t> layer) { layer_ = layer; }

  TensorId add(Tensor tensor);
  const Tensor& tensor(TensorId id) const { return network_.tensors[id]; }
  Tensor& tensor(TensorId id) { return network_.tensors[id]; }
  bool is_constant(TensorId id) const { return tensor(id).data != nullptr; }
  // Check after every operator.
  const ConstantBudget& budget() const { return budget_; }

  TensorId constant(OH_NN_DataType type, Shape shape, Bytes data, Quantization quantization = {});
  template <typename T>
  TensorId constant(Shape shape, std::span<const T> values) {
    Bytes data(values.size_bytes());
    if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
    return constant(kDataType<T>, std::move(shape), std::move(data));
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
  // All elements are `value`. Fails if the shape is not known.
  TensorId filled(Shape shape, float value);

  // A tensor for the next operation, which sets its layout and name.
  TensorId temporary(OH_NN_DataType type, Shape shape, Quantization quantization = {});
  TensorId temporary_like(TensorId id) {
    return temporary(tensor(id).type, tensor(id).shape, tensor(id).quantization);
  }

  void operation(OH_NN_OperationType type, List<TensorId> inputs, List<TensorId> outputs,
                 std::vector<Parameter> parameters = {});
  void operation(Operation operation) { network_.operations.push_back(std::move(operation)); }
  size_t operation_count() const { return network_.operations.size(); }
  // Removes and returns the operations from `first` on.
  List<Operation> take_operations(size_t first);
  // Emits an operation with one new output and returns that.
  TensorId derive(OH_NN_OperationType type, List<TensorId> inputs, OH_NN_DataType output, Shape shape,
                  std::vector<Parameter> parameters = {});

  // Makes a tensor constant.
  void set_data(TensorId id, SharedBytes data);
  // A separate tensor with the same contents, written by an operation even if they are constant.
  TensorId copy(TensorId id);

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

  // Drops unused tensors.
  Network finish(List<TensorId> inputs, List<TensorId> outputs) &&;

 private:
  Network network_;
  std::string origin_;
  std::optional<uint32_t> layer_;
  uint32_t temporaries_ = 0;
  ConstantBudget budget_;
  // Transposed constants shared by several operators.
  std::map<std::pair<TensorId, List<uint32_t>>, TensorId> transposed_;
  std::map<std::pair<TensorId, uint32_t>, TensorId> dequantized_;
};

}  // namespace nnrt::import
