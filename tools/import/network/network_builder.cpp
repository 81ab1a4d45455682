#include "tools/import/network/network_builder.h"

#include "core/base/element_types.h"
#include "core/base/transpose.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace nnrt::import {
namespace {

// The number of consecutive elements with the same index along `axis`.
size_t inner_count(const Shape& shape, uint32_t axis) {
  size_t count = 1;
  for (size_t d = axis + size_t{1}; d < shape.size(); ++d) count *= static_cast<size_t>(shape[d]);
  return count;
}

}  // namespace

TensorId NetworkBuilder::add(Tensor tensor) {
  network_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(network_.tensors.size() - 1);
}

TensorId NetworkBuilder::constant(OH_NN_DataType type, Shape shape, Bytes data, Quantization quantization) {
  const TensorId id = temporary(type, std::move(shape), std::move(quantization));
  set_data(id, std::make_shared<const Bytes>(std::move(data)));
  return id;
}

void NetworkBuilder::set_data(TensorId id, SharedBytes data) {
  budget_.count(data->size());
  tensor(id).data = std::move(data);
}

TensorId NetworkBuilder::filled(Shape shape, float value) {
  const size_t count = required(element_count(shape));
  constexpr size_t kMax = size_t{1} << 24;
  if (count > kMax)
    fail({Code::invalid_file,
          origin_ + " needs a constant with too many elements (" + std::to_string(count) + ")."});
  return constant(std::move(shape), std::span<const float>(List<float>(count, value)));
}

TensorId NetworkBuilder::temporary(OH_NN_DataType type, Shape shape, Quantization quantization) {
  Tensor made;
  made.name = origin_ + " #" + std::to_string(temporaries_++);
  made.type = type;
  made.shape = std::move(shape);
  made.quantization = std::move(quantization);
  return add(std::move(made));
}

void NetworkBuilder::operation(OH_NN_OperationType type, List<TensorId> inputs, List<TensorId> outputs,
                               std::vector<Parameter> parameters) {
  network_.operations.push_back(
      {type, std::move(inputs), std::move(outputs), std::move(parameters), origin_, layer_});
}

void NetworkBuilder::set_layer(std::optional<Layer> layer) {
  layer_.reset();
  if (!layer) return;
  layer_ = static_cast<uint32_t>(network_.layers.size());
  network_.layers.push_back(*std::move(layer));
}

List<Operation> NetworkBuilder::take_operations(size_t first) {
  const auto begin = network_.operations.begin() + static_cast<std::ptrdiff_t>(first);
  List<Operation> taken(std::make_move_iterator(begin), std::make_move_iterator(network_.operations.end()));
  network_.operations.erase(begin, network_.operations.end());
  return taken;
}

// RESHAPE can copy a dimension with 0. A scalar has no dimensions, so go through [1].
TensorId NetworkBuilder::copy(TensorId id) {
  const size_t rank = tensor(id).shape.size();
  const TensorId target = rank == 0 ? vector<int64_t>({1}) : vector(List<int64_t>(rank, 0));
  const TensorId made = temporary_like(id);
  if (rank > 0) {
    operation(OH_NN_OPS_RESHAPE, {id, target}, {made});
    return made;
  }
  const TensorId line = temporary(tensor(id).type, {1}, tensor(id).quantization);
  operation(OH_NN_OPS_RESHAPE, {id, target}, {line});
  operation(OH_NN_OPS_SQUEEZE, {line}, {made});
  return made;
}

TensorId NetworkBuilder::derive(OH_NN_OperationType type, List<TensorId> inputs, OH_NN_DataType output,
                                Shape shape, std::vector<Parameter> parameters) {
  const TensorId id = temporary(output, std::move(shape));
  operation(type, std::move(inputs), {id}, std::move(parameters));
  return id;
}

std::optional<List<int64_t>> NetworkBuilder::integers(TensorId id) const {
  const Tensor& it = tensor(id);
  if (!it.data || (it.type != OH_NN_INT32 && it.type != OH_NN_INT64)) return {};
  return numbers_of<int64_t>(static_cast<DType>(it.type), *it.data);
}

std::optional<List<float>> NetworkBuilder::floats(TensorId id, uint32_t axis) const {
  const Tensor& it = tensor(id);
  if (!it.data) return {};
  const auto dtype = static_cast<DType>(it.type);
  if (is_float(dtype)) return numbers_of<float>(dtype, *it.data);
  if (it.quantization.empty() || dtype == DType::unknown) return {};
  const Quantization& quant = it.quantization;
  const size_t inner = inner_count(it.shape, axis);
  return dispatch_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
    List<float> values(it.data->size() / sizeof(T));
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t channel = i / inner % quant.scales.size();
      const auto code = static_cast<double>(widen(element_at<T>(*it.data, i)));
      values[i] = static_cast<float>(quant.scales[channel] * (code - quant.zero_points[channel]));
    }
    return values;
  });
}

TensorId NetworkBuilder::transposed(TensorId id, const List<uint32_t>& order) {
  if (const auto made = transposed_.find({id, order}); made != transposed_.end()) return made->second;
  const Tensor source = tensor(id);
  const size_t rank = order.size();
  if (!source.data)
    fail({Code::unsupported, origin_ + " needs tensor (" + source.name + ") to be constant."});
  if (source.shape.size() != rank)
    fail({Code::invalid_file,
          origin_ + " needs tensor (" + source.name + ") to have rank " + std::to_string(rank) + "."});
  Shape shape;
  for (const uint32_t d : order) shape.push_back(source.shape[d]);
  Bytes data = nnrt::transposed(*source.data, {source.shape.begin(), source.shape.end()},
                                {order.begin(), order.end()}, element_size(source.type));
  const TensorId made = constant(source.type, std::move(shape), std::move(data), source.quantization);
  tensor(made).name = source.name;
  return transposed_[{id, order}] = made;
}

void NetworkBuilder::cast_quantized(TensorId from, TensorId to, uint32_t axis) {
  std::vector<Parameter> parameters{int64_parameter(OH_NN_QUANT_DTYPE_CAST_SRC_T, tensor(from).type),
                                    int64_parameter(OH_NN_QUANT_DTYPE_CAST_DST_T, tensor(to).type)};
  if (axis != 0) parameters.push_back(int64_parameter(OH_NN_QUANT_DTYPE_CAST_AXIS, axis));
  operation(OH_NN_OPS_QUANT_DTYPE_CAST, {from}, {to}, std::move(parameters));
}

void NetworkBuilder::dequantize_wide(TensorId from, TensorId to) {
  const Shape shape = tensor(from).shape;
  const Quantization quantization = tensor(from).quantization;
  TensorId steps = derive(OH_NN_OPS_CAST, {from, scalar<int32_t>(OH_NN_FLOAT32)}, OH_NN_FLOAT32, shape);
  if (quantization.zero_points[0] != 0) {
    const auto zero_point = static_cast<float>(quantization.zero_points[0]);
    steps = derive(OH_NN_OPS_SUB, {steps, scalar(zero_point)}, OH_NN_FLOAT32, shape);
  }
  operation(OH_NN_OPS_MUL, {steps, scalar(static_cast<float>(quantization.scales[0]))}, {to});
}

// Rounds half away from zero, like ROUND.
void NetworkBuilder::quantize_wide(TensorId from, TensorId to) {
  const Shape shape = tensor(to).shape;
  const Quantization quantization = tensor(to).quantization;
  const auto next = [&](OH_NN_OperationType type, List<TensorId> inputs,
                        std::vector<Parameter> parameters = {}) {
    return derive(type, std::move(inputs), OH_NN_FLOAT32, shape, std::move(parameters));
  };
  TensorId steps = next(OH_NN_OPS_DIV, {from, scalar(static_cast<float>(quantization.scales[0]))});
  steps = next(OH_NN_OPS_ROUND, {steps});
  if (quantization.zero_points[0] != 0)
    steps = next(OH_NN_OPS_ADD, {steps, scalar(static_cast<float>(quantization.zero_points[0]))});
  steps = next(OH_NN_OPS_CLIP, {steps},
               {float_parameter(OH_NN_CLIP_MIN, -32768), float_parameter(OH_NN_CLIP_MAX, 32767)});
  operation(OH_NN_OPS_CAST, {steps, scalar<int32_t>(OH_NN_INT16)}, {to});
}

TensorId NetworkBuilder::dequantize(TensorId id, uint32_t axis) {
  const Tensor source = tensor(id);
  if (source.type == OH_NN_FLOAT32) return id;
  if (const auto made = dequantized_.find({id, axis}); made != dequantized_.end()) return made->second;
  if (const auto values = floats(id, axis)) {
    const TensorId made = constant(source.shape, std::span<const float>(*values));
    tensor(made).name = source.name;
    return dequantized_[{id, axis}] = made;
  }
  const bool quantized =
      (source.type == OH_NN_INT8 || source.type == OH_NN_UINT8) && !source.quantization.empty();
  const bool wide = is_quantized_wide(source) && source.quantization.scales.size() == 1;
  if (!quantized && !wide && source.type != OH_NN_FLOAT16)
    fail({Code::unsupported,
          origin_ + " needs tensor (" + source.name + ") to be float or quantized to 8 bits."});
  const TensorId result = temporary(OH_NN_FLOAT32, source.shape);
  if (wide) {
    dequantize_wide(id, result);
  } else if (quantized) {
    cast_quantized(id, result);
  } else {
    operation(OH_NN_OPS_CAST, {id, scalar<int32_t>(OH_NN_FLOAT32)}, {result});
  }
  return result;
}

TensorId NetworkBuilder::float_target(TensorId target) {
  return tensor(target).type == OH_NN_FLOAT32 ? target : temporary(OH_NN_FLOAT32, tensor(target).shape);
}

void NetworkBuilder::store(TensorId from, TensorId target) {
  if (from == target) return;
  if (tensor(target).type == OH_NN_FLOAT16) {
    operation(OH_NN_OPS_CAST, {from, scalar<int32_t>(OH_NN_FLOAT16)}, {target});
  } else if (is_quantized_wide(tensor(target))) {
    quantize_wide(from, target);
  } else {
    cast_quantized(from, target);
  }
}

Network NetworkBuilder::finish(List<TensorId> inputs, List<TensorId> outputs) && {
  constexpr TensorId kUnused = std::numeric_limits<TensorId>::max();
  List<TensorId> position(network_.tensors.size(), kUnused);
  Network compact;
  const auto keep = [&](List<TensorId>& ids) {
    for (TensorId& id : ids) {
      if (position[id] == kUnused) {
        position[id] = static_cast<TensorId>(compact.tensors.size());
        compact.tensors.push_back(std::move(network_.tensors[id]));
        if (is_quantized_wide(compact.tensors.back())) compact.tensors.back().quantization = {};
      }
      id = position[id];
    }
  };
  keep(inputs);
  for (Operation& operation : network_.operations) {
    keep(operation.inputs);
    keep(operation.outputs);
  }
  keep(outputs);
  compact.operations = std::move(network_.operations);
  compact.layers = std::move(network_.layers);
  compact.inputs = std::move(inputs);
  compact.outputs = std::move(outputs);
  return compact;
}

}  // namespace nnrt::import
