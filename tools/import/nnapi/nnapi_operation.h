// A network operation being written as NNAPI operations, and the table of supported ones.
#pragma once

#include "core/base/text.h"
#include "tools/import/nnapi/nnapi_writer.h"

#include <set>

namespace nnrt::import {

struct NnapiRow;

class NnapiOperation {
 public:
  NnapiOperation(NnapiWriter& writes_to, const Operation& operation, const NnapiRow& written_as)
      : writer(writes_to), row(written_as), operation_(operation) {}

  NnapiWriter& writer;
  const NnapiRow& row;

  size_t input_count() const { return operation_.inputs.size(); }
  size_t output_count() const { return operation_.outputs.size(); }
  bool has(size_t i) const { return i < operation_.inputs.size(); }
  // For a missing operand, returns a tensor without a type whose operand fails: files may be damaged.
  const Tensor& input_tensor(size_t i) const { return tensor_at(operation_.inputs, i); }
  const Tensor& output_tensor(size_t i = 0) const { return tensor_at(operation_.outputs, i); }
  OperandId input(size_t i) { return operand_at(operation_.inputs, i); }
  OperandId output(size_t i = 0) { return operand_at(operation_.outputs, i); }
  bool is_read(size_t output) const {
    return output < operation_.outputs.size() && writer.is_read(operation_.outputs[output]);
  }
  OperandId temporary_like_output() { return writer.temporary(output_tensor()); }

  // Operation parameters, or the given default.
  int64_t number(OH_NN_TensorType role, int64_t missing) const;
  float real(OH_NN_TensorType role, float missing) const;
  std::vector<int64_t> numbers(OH_NN_TensorType role) const;
  std::vector<float> floats(OH_NN_TensorType role) const;
  // Values of a constant integer input.
  Result<std::vector<int32_t>> constant(size_t i) const;
  // Normalizes an axis to [0, rank).
  Result<int32_t> axis(int64_t axis, size_t rank) const;
  // The FuseCode for the activation in a parameter.
  OperandId fuse(OH_NN_TensorType role);

  // Emits one operation with these inputs and the operation's output.
  Status emit(std::initializer_list<OperandId> inputs);
  Status emit(std::span<const OperandId> inputs);

  // Marks parameters as handled because they have no effect here.
  void leave_out(std::initializer_list<OH_NN_TensorType> roles) const { read_.insert(roles); }
  // Fails if a parameter was not read and differs from its default, since it would be ignored silently.
  Status check_all_parameters_read() const;

  // "NNAPI cannot express CONV2D, which <why>."
  Error refuse(std::string_view why) const;

 private:
  const Parameter* find(OH_NN_TensorType role) const;
  const Tensor& tensor_at(const std::vector<TensorId>& ids, size_t i) const;
  OperandId operand_at(const std::vector<TensorId>& ids, size_t i);

  const Operation& operation_;
  mutable std::set<OH_NN_TensorType> read_;  // parameters that were read
};

// How an OH_NN operator is written: `write` adds the NNAPI operations.
struct NnapiRow {
  OH_NN_OperationType type{};
  Status (*write)(NnapiOperation&) = nullptr;
  int32_t code = -1;        // OperationCode, if there is one
  OH_NN_TensorType role{};  // a parameter for `write`
};

std::span<const NnapiRow> nnapi_elementwise_rows();
std::span<const NnapiRow> nnapi_gemm_conv_rows();
std::span<const NnapiRow> nnapi_data_movement_rows();
std::span<const NnapiRow> nnapi_slice_rows();
std::span<const NnapiRow> nnapi_reduce_rows();
std::span<const NnapiRow> nnapi_special_rows();

// Null: NNAPI cannot express the operator.
const NnapiRow* find_nnapi_row(OH_NN_OperationType type);

}  // namespace nnrt::import
