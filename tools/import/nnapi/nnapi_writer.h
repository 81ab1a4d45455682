// Adds operands and operations to an NNAPI model.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nnapi/nnapi_library.h"

#include <deque>
#include <initializer_list>
#include <map>
#include <span>

namespace nnrt::import {

using OperandId = uint32_t;  // index in the NNAPI model

// The first error sticks in status() and later calls do nothing, so operations can be written without
// checking every operand.
class NnapiWriter {
 public:
  NnapiWriter(const Nnapi& nnapi, ANeuralNetworksModel* model, const Network& network)
      : nnapi_(nnapi), model_(model), network_(network) {}

  const Status& status() const { return status_; }
  void fail(Error error) {
    if (status_.ok()) status_ = std::move(error);
  }
  const Tensor& tensor(TensorId id) const { return network_.tensors[id]; }
  // Returns whether an operation or the client reads it.
  bool is_read(TensorId id) const;

  // The operand of a tensor, created on first use. INT64 constants become INT32.
  OperandId operand(TensorId id);
  // A constant with these bytes but its own shape or quantization.
  OperandId constant(const Tensor& tensor, uint32_t channel_dimension = 0);
  // An intermediate tensor that exists only in the NNAPI model.
  OperandId temporary(const Tensor& tensor);
  // The bias of a quantized convolution, in units of `scale`; 0 for per-channel scales.
  OperandId bias(ByteView values, int32_t channels, float scale);

  OperandId scalar(int32_t value);
  OperandId flag(bool value);
  // FLOAT16 if `beside` is, otherwise FLOAT32.
  OperandId real(float value, OH_NN_DataType beside);
  OperandId vector(std::span<const int32_t> values, Shape shape = {});  // rank 1 unless a shape is given
  OperandId omitted(const Tensor& tensor);                              // a missing optional operand

  void add(int32_t code, std::span<const OperandId> inputs, std::span<const OperandId> outputs);
  void add(int32_t code, std::initializer_list<OperandId> inputs, std::initializer_list<OperandId> outputs) {
    add(code, std::span(inputs.begin(), inputs.size()), std::span(outputs.begin(), outputs.size()));
  }
  void finish();

 private:
  OperandId add_operand(const ANeuralNetworksOperandType& type);
  OperandId add_tensor(const Tensor& tensor, bool is_per_channel, const Shape& shape);
  void set_value(OperandId id, const void* data, size_t size);
  template <typename T>
  OperandId add_scalar(int32_t type, T value);

  const Nnapi& nnapi_;
  ANeuralNetworksModel* model_;
  const Network& network_;
  Status status_;
  uint32_t count_ = 0;
  std::map<TensorId, OperandId> operands_;
  std::deque<SharedBytes> values_;  // NNAPI reads them until the model is finished
};

}  // namespace nnrt::import
