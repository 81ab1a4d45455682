// Reads untrusted ONNX files with and without leaving data in them: both find the same.
#include "tests/fuzz/fuzz_target.h"
#include "tools/import/onnx/messages/onnx_payloads.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using nnrt::onnx_file::AttributeProto;
using nnrt::onnx_file::GraphProto;
using nnrt::onnx_file::ModelProto;
using nnrt::onnx_file::NodeProto;
using nnrt::onnx_file::Payload;
using nnrt::onnx_file::SparseTensor;
using nnrt::onnx_file::TensorProto;

void check(bool holds) {
  if (!holds) std::abort();
}

template <typename Visit>
void visit_tensors(GraphProto& graph, const Visit& visit);

template <typename Visit>
void visit_tensors(SparseTensor& sparse, const Visit& visit) {
  if (sparse.has_values()) visit(*sparse.mutable_values());
  if (sparse.has_indices()) visit(*sparse.mutable_indices());
}

template <typename Visit>
void visit_tensors(AttributeProto& attribute, const Visit& visit) {
  if (attribute.has_t()) visit(*attribute.mutable_t());
  if (attribute.has_sparse_tensor()) visit_tensors(*attribute.mutable_sparse_tensor(), visit);
  if (attribute.has_g()) visit_tensors(*attribute.mutable_g(), visit);
}

template <typename Visit>
void visit_tensors(NodeProto& node, const Visit& visit) {
  for (AttributeProto& attribute : *node.mutable_attribute()) visit_tensors(attribute, visit);
}

template <typename Visit>
void visit_tensors(GraphProto& graph, const Visit& visit) {
  for (NodeProto& node : *graph.mutable_node()) visit_tensors(node, visit);
  for (TensorProto& tensor : *graph.mutable_initializer()) visit(tensor);
  for (SparseTensor& sparse : *graph.mutable_sparse_initializer()) visit_tensors(sparse, visit);
}

template <typename Visit>
void visit_tensors(ModelProto& model, const Visit& visit) {
  if (model.has_graph()) visit_tensors(*model.mutable_graph(), visit);
  for (auto& function : *model.mutable_functions()) {
    for (NodeProto& node : *function.mutable_node()) visit_tensors(node, visit);
    for (AttributeProto& attribute : *function.mutable_attribute_proto()) visit_tensors(attribute, visit);
  }
}

// Returns whether the parser accepts the data as elements.
template <typename T>
bool set(std::string_view data, std::vector<T>& field) {
  for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof value);
    field.push_back(value);
  }
  return data.size() % sizeof(T) == 0;
}

// Puts the payload back into the message. Returns whether the parser accepts it.
bool join(std::string_view file, const std::vector<Payload>& payloads, TensorProto& tensor) {
  if (!tensor.has_payload()) return true;
  check(!tensor.has_raw_data() && tensor.float_data_size() == 0 && tensor.double_data_size() == 0);
  check(tensor.payload() < payloads.size());
  const Payload& payload = payloads[tensor.payload()];
  const std::string_view data = file.substr(payload.offset, payload.size);
  switch (payload.field) {
    case Payload::Field::raw_data: tensor.set_raw_data(data.data(), data.size()); return true;
    case Payload::Field::float_data: return set(data, *tensor.mutable_float_data());
    case Payload::Field::double_data: return set(data, *tensor.mutable_double_data());
  }
  return false;
}

}  // namespace

FUZZ_TARGET(onnx_payloads)(const uint8_t* data, size_t size) {
  constexpr size_t kMinBytes = 4;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto source = nnrt::source_of(std::as_bytes(std::span(data, size)));
  auto read = nnrt::onnx_file::read_model(*source, kMinBytes);
  ModelProto full;
  const bool is_whole = full.parse(file);
  if (!read.ok()) {
    check(!is_whole);
    return 0;
  }
  uint64_t end = 0;
  for (const Payload& payload : read.value().payloads) {
    check(payload.offset >= end && payload.size >= kMinBytes && payload.offset <= size);
    check(payload.size <= size - payload.offset);
    end = payload.offset + payload.size;
  }
  bool is_exact = true;
  visit_tensors(read.value().model, [&](TensorProto& tensor) {
    is_exact = join(file, read.value().payloads, tensor) && is_exact;
  });
  check(is_whole == is_exact);
  if (is_exact) check(full.serialize() == read.value().model.serialize());
  return 0;
}
