#include "tools/plugins/tflite/host/host_reader.h"

#include "tools/plugins/tflite/host/builtin_options.h"

#include <algorithm>
#include <span>

namespace nnrt::tflite_plugin {
namespace {

std::vector<int32_t> values_of(const TfLiteIntArray* array) {
  if (array == nullptr) return {};
  return {array->data, array->data + std::max(array->size, 0)};
}

format::TensorType type_of(TfLiteType type) {
  switch (type) {
    case kTfLiteFloat32: return format::TensorType::FLOAT32;
    case kTfLiteFloat16: return format::TensorType::FLOAT16;
    case kTfLiteFloat64: return format::TensorType::FLOAT64;
    case kTfLiteInt4: return format::TensorType::INT4;
    case kTfLiteInt8: return format::TensorType::INT8;
    case kTfLiteUInt8: return format::TensorType::UINT8;
    case kTfLiteInt16: return format::TensorType::INT16;
    case kTfLiteUInt16: return format::TensorType::UINT16;
    case kTfLiteInt32: return format::TensorType::INT32;
    case kTfLiteUInt32: return format::TensorType::UINT32;
    case kTfLiteInt64: return format::TensorType::INT64;
    case kTfLiteUInt64: return format::TensorType::UINT64;
    case kTfLiteBool: return format::TensorType::BOOL;
    case kTfLiteComplex64: return format::TensorType::COMPLEX64;
    default: return format::TensorType::STRING;
  }
}

std::unique_ptr<format::QuantizationParametersT> quantization_of(const TfLiteTensor& tensor) {
  auto quantization = std::make_unique<format::QuantizationParametersT>();
  const auto* affine = static_cast<const TfLiteAffineQuantization*>(tensor.quantization.params);
  if (tensor.quantization.type == kTfLiteAffineQuantization && affine != nullptr &&
      affine->scale != nullptr) {
    quantization->scale.assign(affine->scale->data, affine->scale->data + affine->scale->size);
    for (const int32_t zero_point : values_of(affine->zero_point))
      quantization->zero_point.push_back(zero_point);
    quantization->quantized_dimension = affine->quantized_dimension;
  } else if (tensor.params.scale != 0) {  // older tools set only these
    quantization->scale = {tensor.params.scale};
    quantization->zero_point = {tensor.params.zero_point};
  } else {
    return nullptr;
  }
  return quantization;
}

format::SparseIndicesUnion indices_of(const TfLiteIntArray* array) {
  format::SparseIndicesUnion indices;
  format::Int32VectorT values;
  values.values = values_of(array);
  if (array != nullptr) indices.Set(std::move(values));
  return indices;
}

std::unique_ptr<format::SparsityT> sparsity_of(const TfLiteSparsity* from) {
  if (from == nullptr) return nullptr;
  auto sparsity = std::make_unique<format::SparsityT>();
  sparsity->traversal_order = values_of(from->traversal_order);
  sparsity->block_map = values_of(from->block_map);
  for (const TfLiteDimensionMetadata& it :
       std::span(from->dim_metadata, static_cast<size_t>(from->dim_metadata_size))) {
    auto dimension = std::make_unique<format::SparseDimensionT>();
    dimension->format = it.format == kTfLiteDimSparseCSR ? format::DimensionFormat::SPARSE_CSR
                                                         : format::DimensionFormat::DENSE;
    dimension->dense_size = it.dense_size;
    if (it.format == kTfLiteDimSparseCSR) {
      dimension->segments = indices_of(it.array_segments);
      dimension->indices = indices_of(it.array_indices);
    }
    sparsity->dimensions.push_back(std::move(dimension));
  }
  return sparsity;
}

// Lent by the interpreter, so nothing owns it here.
SharedBytes lent(const TfLiteTensor& tensor) {
  static const std::byte nothing{};
  const auto* data = reinterpret_cast<const std::byte*>(tensor.data.raw_const);
  const ByteView view(data ? data : &nothing, data ? tensor.bytes : 0);
  return {std::shared_ptr<const void>(std::shared_ptr<const void>(), view.data()), view};
}

HostTensor read_tensor(const TfLiteTensor& from) {
  HostTensor tensor;
  tensor.table.name = from.name ? from.name : "";
  tensor.table.type = type_of(from.type);
  tensor.table.shape = shape_of(from);
  tensor.table.quantization = quantization_of(from);
  tensor.table.sparsity = sparsity_of(from.sparsity);
  tensor.table.is_variable = from.is_variable;
  if (from.allocation_type == kTfLiteMmapRo) tensor.data = lent(from);
  tensor.table.has_rank = tensor.data != nullptr;
  const std::vector<int32_t> signature = values_of(from.dims_signature);
  tensor.is_open = std::ranges::find(signature, -1) != signature.end();
  if (tensor.table.type == format::TensorType::STRING)
    tensor.fault = "has a tensor of strings, resources or another type that OH_NN lacks";
  return tensor;
}

Result<HostNode> read_node(TfLiteContext* context, int32_t number) {
  TfLiteNode* node = nullptr;
  TfLiteRegistration* registration = nullptr;
  if (context->GetNodeAndRegistration(context, number, &node, &registration) != kTfLiteOk ||
      node == nullptr || registration == nullptr)
    return Error{Code::failed, "The interpreter has no node " + std::to_string(number) + "."};
  HostNode read;
  read.number = number;
  read.code = static_cast<format::BuiltinOperator>(registration->builtin_code);
  read.table.inputs = values_of(node->inputs);
  read.table.outputs = values_of(node->outputs);
  if (node->delegate != nullptr) read.fault = "runs in another delegate";
  if (read.code == format::BuiltinOperator::CUSTOM) {
    read.custom_name = registration->custom_name ? registration->custom_name : "";
    const auto* options = static_cast<const uint8_t*>(node->custom_initial_data);
    if (options != nullptr)
      read.table.custom_options.assign(options, options + std::max(node->custom_initial_data_size, 0));
  } else {
    read_builtin_options(node->builtin_data, registration->version, read);
  }
  return read;
}

}  // namespace

// clang-format takes a line that starts with `import` for a statement.
nnrt::import::Shape shape_of(const TfLiteTensor& tensor) { return values_of(tensor.dims); }

Result<HostGraph> read_host(TfLiteContext* context) {
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk || plan == nullptr)
    return Error{Code::failed, "The interpreter cannot return its execution plan."};
  const std::vector<int32_t> numbers = values_of(plan);
  HostGraph graph;
  graph.tensors.resize(context->tensors_size);
  std::vector<bool> is_read(graph.tensors.size());
  for (const int32_t number : numbers) {
    NNRT_ASSIGN(HostNode node, read_node(context, number));
    for (const auto* ids : {&node.table.inputs, &node.table.outputs})
      for (const int32_t id : *ids) {
        if (id < 0 || is_read[static_cast<size_t>(id)]) continue;
        is_read[static_cast<size_t>(id)] = true;
        graph.tensors[static_cast<size_t>(id)] = read_tensor(context->tensors[id]);
      }
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace nnrt::tflite_plugin
