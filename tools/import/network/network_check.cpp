#include "tools/import/network/network_check.h"

#include "core/base/counted.h"
#include "core/base/dtype.h"
#include "core/writer/settings.h"

#include <algorithm>

namespace nnrt::import {
namespace {

DType core_dtype(OH_NN_DataType type) {
  return type > 0 && type < kDTypeCount ? static_cast<DType>(type) : DType::unknown;
}

Status check_tensor(const Tensor& tensor) {
  if (element_size(tensor.type) == 0)
    return Error{Code::invalid_file, "Tensor (" + tensor.name + ") has no dtype."};
  if (std::ranges::any_of(tensor.shape, [](int32_t dimension) { return dimension == 0 || dimension < -1; }))
    return Error{Code::invalid_file,
                 "A dimension of tensor (" + tensor.name + ") is neither positive nor unknown."};
  if (!tensor.data) return {};
  NNRT_ASSIGN(const size_t bytes, byte_count(tensor.type, tensor.shape));
  if (tensor.data->size() == bytes) return {};
  return Error{Code::invalid_file, "Constant (" + tensor.name + ") has " +
                                       counted(tensor.data->size(), "byte") + ", but its shape needs " +
                                       std::to_string(bytes) + "."};
}

Status check_operation(const Operation& operation, std::vector<bool>& known) {
  const auto exists = [&](TensorId id) { return id < known.size(); };
  if (!std::ranges::all_of(operation.inputs, exists) || !std::ranges::all_of(operation.outputs, exists))
    return Error{Code::invalid_file, operation.origin + " refers to a tensor that does not exist."};
  if (!std::ranges::all_of(operation.inputs, [&](TensorId id) { return known[id]; }))
    return Error{Code::invalid_file, operation.origin + " reads a tensor before it is written."};
  for (const TensorId id : operation.outputs) {
    if (known[id])
      return Error{Code::invalid_file, operation.origin + " writes a tensor that is already written."};
    known[id] = true;
  }
  return {};
}

bool is_empty(const Tensor& tensor) { return std::ranges::find(tensor.shape, 0) != tensor.shape.end(); }

// BROADCAST_TO of a single element.
Operation operation_for(Network& network, TensorId id) {
  const std::vector<int64_t> shape(network.tensors[id].shape.begin(), network.tensors[id].shape.end());
  Tensor element = network.tensors[id];
  element.name += " element";
  element.shape = {1};
  element.data = std::make_shared<const Bytes>(element_size(element.type));
  network.tensors.push_back(std::move(element));
  network.tensors[id].data = nullptr;
  return {Op::broadcast_to,
          {static_cast<TensorId>(network.tensors.size() - 1)},
          {id},
          required(attrs_of(Op::broadcast_to, {{Attr::shape, shape}})),
          "constant " + network.tensors[id].name};
}

}  // namespace

size_t element_size(OH_NN_DataType type) { return size_of(core_dtype(type)); }

std::string_view type_name(OH_NN_DataType type) { return name(core_dtype(type)); }

Result<size_t> element_count(const Shape& shape) {
  size_t count = 1;
  for (const int32_t dimension : shape) {
    if (dimension < 0) return Error{Code::dynamic_shape, "A dimension is unknown."};
    if (__builtin_mul_overflow(count, static_cast<size_t>(dimension), &count))
      return Error{Code::invalid_file, "The product of the dimensions does not fit in 64 bits."};
  }
  return count;
}

Result<size_t> byte_count(OH_NN_DataType type, const Shape& shape) {
  NNRT_ASSIGN(size_t count, element_count(shape));
  if (__builtin_mul_overflow(count, element_size(type), &count))
    return Error{Code::invalid_file, "The size in bytes does not fit in 64 bits."};
  return count;
}

void open_empty_dimensions(Network& network) {
  std::vector<Operation> operations;
  const auto count = static_cast<TensorId>(network.tensors.size());
  for (TensorId id = 0; id < count; ++id) {
    if (!is_empty(network.tensors[id])) continue;
    if (network.tensors[id].data != nullptr) operations.push_back(operation_for(network, id));
    std::ranges::replace(network.tensors[id].shape, 0, -1);
  }
  network.operations.insert(network.operations.begin(), std::make_move_iterator(operations.begin()),
                            std::make_move_iterator(operations.end()));
}

Status check(const Network& network) {
  std::vector<bool> known(network.tensors.size());
  for (size_t id = 0; id < known.size(); ++id) {
    NNRT_TRY(check_tensor(network.tensors[id]));
    known[id] = network.tensors[id].data != nullptr;
  }
  for (const TensorId id : network.inputs) {
    if (id >= known.size() || known[id])
      return Error{Code::invalid_file, "An input of the model does not exist, or is constant."};
    known[id] = true;
  }
  for (const Operation& operation : network.operations) NNRT_TRY(check_operation(operation, known));
  for (const TensorId id : network.outputs)
    if (id >= known.size() || !known[id])
      return Error{Code::invalid_file, "No operation writes an output of the model."};
  return {};
}

Status refuse(std::span<const std::string> operators) {
  if (operators.empty()) return {};
  std::string list;
  for (const std::string& name : operators) list += (list.empty() ? "" : ", ") + name;
  return Error{Code::unsupported, "The model has operators that OH_NN cannot express: " + list + "."};
}

}  // namespace nnrt::import
