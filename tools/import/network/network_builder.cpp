#include "tools/import/network/network_builder.h"

#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/base/transpose.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/shape_inference.h"

#include <algorithm>
#include <cmath>
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

Bytes bytes_of_number(DType dtype, double value) {
  Bytes bytes(size_of(dtype));
  dispatch_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
    T converted;
    if constexpr (std::is_integral_v<T>) {
      const double whole = std::trunc(value);
      constexpr double kLeast(std::numeric_limits<T>::min()),
          kEnd = double(std::numeric_limits<T>::max()) + 1;
      if (!(whole >= kLeast && whole < kEnd))
        fail(unsupported("A constant (", value, ") is outside the range of ", name(dtype), "."));
      converted = static_cast<T>(whole);
    } else {
      converted = narrow<T>(value);
    }
    std::memcpy(bytes.data(), &converted, sizeof converted);
  });
  return bytes;
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

TensorId NetworkBuilder::number(DType dtype, double value) {
  if (dtype == DType::unknown) fail({Code::unsupported, origin_ + " computes on a type that OH_NN lacks."});
  return constant(dtype, {}, bytes_of_number(dtype, value));
}

TensorId NetworkBuilder::filled(DType dtype, const Dims& shape, double value) {
  const std::optional<size_t> size = nnrt::byte_size(dtype, shape);
  if (!size) fail(unsupported("A constant of shape ", to_string(shape), " is too large."));
  required(budget_.take(*size));
  const Bytes element = bytes_of_number(dtype, value);
  Bytes bytes(*size);
  for (auto at = bytes.begin(); at != bytes.end(); at += element.size()) std::ranges::copy(element, at);
  const TensorId id = temporary(static_cast<OH_NN_DataType>(dtype), {shape.begin(), shape.end()});
  tensor(id).data = std::make_shared<const Bytes>(std::move(bytes));
  return id;
}

TensorId NetworkBuilder::add_temporary(Tensor tensor) {
  tensor.name = cat(origin_, " #", temporaries_++);
  return add(std::move(tensor));
}

TensorId NetworkBuilder::temporary(OH_NN_DataType type, Shape shape, Quantization quantization) {
  Tensor made;
  made.type = type;
  made.shape = std::move(shape);
  made.quantization = std::move(quantization);
  return add_temporary(std::move(made));
}

void NetworkBuilder::operation(Op type, List<TensorId> inputs, List<TensorId> outputs,
                               const Settings& settings) {
  network_.operations.push_back(
      {type, std::move(inputs), std::move(outputs), required(attrs_of(type, settings)), origin_, layer_});
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

List<TensorId> NetworkBuilder::emit_many(Op type, const List<TensorId>& inputs, const Settings& settings,
                                         const Outputs& outputs) {
  Attrs attributes = required(attrs_of(type, settings));
  Result<Draft> draft = converting([&] { return described(*this, type, inputs, attributes, outputs); });
  if (!draft.ok()) fail(std::move(draft).error().during("reading " + origin_));
  List<TensorId> made;
  for (size_t i = 0; i < outputs.count; ++i)
    made.push_back(add_temporary(from_core(std::move(draft.value().output(i)))));
  operation({type, inputs, made, std::move(attributes), origin_, layer_});
  return made;
}

// RESHAPE can copy a dimension with 0. A scalar has no dimensions, so go through [1].
TensorId NetworkBuilder::copy(TensorId id) {
  const bool is_scalar = rank(id) == 0;
  const TensorId target = vector(is_scalar ? List<int64_t>{1} : List<int64_t>(rank(id), 0));
  const TensorId made = emit(Op::reshape, {id, target});
  return is_scalar ? emit(Op::squeeze, {made}) : made;
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
  List<int64_t> key{id};
  key.insert(key.end(), order.begin(), order.end());
  return once("transposed", key, [&] {
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
    return made;
  });
}

void NetworkBuilder::cast_quantized(TensorId from, TensorId to, uint32_t axis) {
  Settings settings{{Attr::source_type, tensor(from).type}, {Attr::target_type, tensor(to).type}};
  if (axis != 0) settings.push_back({Attr::axis, axis});
  operation(Op::quant_dtype_cast, {from}, {to}, settings);
}

void NetworkBuilder::dequantize_wide(TensorId from, TensorId to) {
  const Quantization quantization = tensor(from).quantization;
  TensorId steps = emit(Op::cast, {from, type_code(DType::f32)}, {}, {.dtypes = {DType::f32}});
  if (quantization.zero_points[0] != 0)
    steps = emit(Op::sub, {steps, scalar(static_cast<float>(quantization.zero_points[0]))});
  operation(Op::mul, {steps, scalar(static_cast<float>(quantization.scales[0]))}, {to});
}

// Rounds half away from zero, like ROUND.
void NetworkBuilder::quantize_wide(TensorId from, TensorId to) {
  const Quantization quantization = tensor(to).quantization;
  TensorId steps = emit(Op::div, {from, scalar(static_cast<float>(quantization.scales[0]))});
  steps = emit(Op::round, {steps});
  if (quantization.zero_points[0] != 0)
    steps = emit(Op::add, {steps, scalar(static_cast<float>(quantization.zero_points[0]))});
  steps = emit(Op::clip, {steps}, {{Attr::min, -32768}, {Attr::max, 32767}});
  operation(Op::cast, {steps, type_code(DType::i16)}, {to});
}

TensorId NetworkBuilder::dequantize(TensorId id, uint32_t axis) {
  const Tensor source = tensor(id);
  if (source.type == OH_NN_FLOAT32) return id;
  const auto refuse = [&] {
    fail({Code::unsupported,
          origin_ + " needs tensor (" + source.name + ") to be float or quantized to 8 bits."});
  };
  if (source.data)
    return once("dequantized", {id, axis}, [&] {
      const auto values = floats(id, axis);
      if (!values) refuse();
      const TensorId made = constant(source.shape, std::span<const float>(*values));
      tensor(made).name = source.name;
      return made;
    });
  const bool quantized =
      (source.type == OH_NN_INT8 || source.type == OH_NN_UINT8) && !source.quantization.empty();
  const bool wide = is_quantized_wide(source) && source.quantization.scales.size() == 1;
  if (!quantized && !wide && source.type != OH_NN_FLOAT16) refuse();
  const TensorId result = temporary(OH_NN_FLOAT32, source.shape);
  if (wide) {
    dequantize_wide(id, result);
  } else if (quantized) {
    cast_quantized(id, result);
  } else {
    operation(Op::cast, {id, scalar<int32_t>(OH_NN_FLOAT32)}, {result});
  }
  return result;
}

TensorId NetworkBuilder::float_target(TensorId target) {
  return tensor(target).type == OH_NN_FLOAT32 ? target : temporary(OH_NN_FLOAT32, tensor(target).shape);
}

void NetworkBuilder::store(TensorId from, TensorId target) {
  if (from == target) return;
  if (tensor(target).type == OH_NN_FLOAT16) {
    operation(Op::cast, {from, scalar<int32_t>(OH_NN_FLOAT16)}, {target});
  } else if (is_quantized_wide(tensor(target))) {
    quantize_wide(from, target);
  } else {
    cast_quantized(from, target);
  }
}

void NetworkBuilder::drop_unused(const List<TensorId>& outputs) {
  std::vector<bool> used(network_.tensors.size(), false);
  for (const TensorId id : outputs) used[id] = true;
  List<Operation> kept;
  for (auto operation = network_.operations.rbegin(); operation != network_.operations.rend(); ++operation) {
    if (std::ranges::none_of(operation->outputs, [&](TensorId id) { return used[id]; })) continue;
    for (const TensorId id : operation->inputs) used[id] = true;
    kept.push_back(std::move(*operation));
  }
  std::ranges::reverse(kept);
  network_.operations = std::move(kept);
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
