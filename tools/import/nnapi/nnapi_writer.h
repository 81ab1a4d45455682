// Adds operands and operations to a model of NNAPI.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nnapi/nnapi_library.h"

#include <deque>
#include <initializer_list>
#include <map>
#include <span>

namespace nnrt::import {

using OperandId = uint32_t;  // index in the model of NNAPI

// The first failure of any function stays in status(), and what follows it does nothing: an operation is
// written without a look at each of its operands.
class NnapiWriter {
 public:
  NnapiWriter(const Nnapi& nnapi, ANeuralNetworksModel* model, const Network& network)
      : nnapi_(nnapi), model_(model), network_(network) {}

  const Status& status() const { return status_; }
  void fail(Error error) {
    if (status_.ok()) status_ = std::move(error);
  }
  const Tensor& tensor(TensorId id) const { return network_.tensors[id]; }
  // Returns whether an operation, or the client, reads it.
  bool is_read(TensorId id) const;

  // The operand of a tensor, which is made when it is first asked for. Constants of INT64 become INT32.
  OperandId operand(TensorId id);
  // A constant with these bytes, which has another shape or quantization than a tensor of the network.
  OperandId constant(const Tensor& tensor, uint32_t channel_dimension = 0);
  // A tensor between two operations that only NNAPI needs.
  OperandId temporary(const Tensor& tensor);
  // The bias of a quantized convolution counts in units of `scale`; 0 where each channel has its own.
  OperandId bias(const Bytes& values, int32_t channels, float scale);

  OperandId scalar(int32_t value);
  OperandId flag(bool value);
  // A FLOAT16 beside tensors of that type, otherwise a FLOAT32.
  OperandId real(float value, OH_NN_DataType beside);
  OperandId vector(std::span<const int32_t> values, Shape shape = {});  // without a shape of rank 1
  OperandId omitted(const Tensor& tensor);  // an optional operand that is not given

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
  std::deque<std::shared_ptr<const Bytes>> values_;  // NNAPI reads them until the model is finished
};

}  // namespace nnrt::import
