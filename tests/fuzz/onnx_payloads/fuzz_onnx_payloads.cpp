// Splits untrusted ONNX files into payloads and a message: together they hold what the parser finds in the
// file.
#include "tools/import/onnx/file/onnx_payloads.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using nnrt::import::onnx::Payload;
using nnrt::import::onnx::SplitFile;
using nnrt::onnx_file::AttributeProto;
using nnrt::onnx_file::GraphProto;
using nnrt::onnx_file::ModelProto;
using nnrt::onnx_file::NodeProto;
using nnrt::onnx_file::TensorProto;

void check(bool holds) {
  if (!holds) std::abort();
}

template <typename Visit>
void visit_tensors(GraphProto& graph, const Visit& visit);

template <typename Visit>
void visit_tensors(AttributeProto& attribute, const Visit& visit) {
  if (attribute.has_t()) visit(*attribute.mutable_t());
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
  for (auto& sparse : *graph.mutable_sparse_initializer())
    if (sparse.has_values()) visit(*sparse.mutable_values());
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

// Puts the payload back into the message. Returns whether the parser would find the same: a tensor that is in
// the file in pieces may have several, whose order is lost.
bool join(std::string_view file, const SplitFile& split, TensorProto& tensor) {
  if (tensor.payload_size() == 0) return true;
  const bool is_alone = tensor.payload_size() == 1 && !tensor.has_raw_data() &&
                        tensor.float_data_size() == 0 && tensor.double_data_size() == 0;
  check(tensor.payload(0) < split.payloads.size());
  const Payload& payload = split.payloads[tensor.payload(0)];
  const std::string_view data = file.substr(payload.offset, payload.size);
  tensor.clear_payload();
  switch (payload.field) {
    case Payload::Field::raw_data: tensor.set_raw_data(data.data(), data.size()); return is_alone;
    case Payload::Field::float_data: return set(data, *tensor.mutable_float_data()) && is_alone;
    case Payload::Field::double_data: return set(data, *tensor.mutable_double_data()) && is_alone;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMinBytes = 4;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto source = nnrt::source_of(std::as_bytes(std::span(data, size)));
  const auto split = nnrt::import::onnx::split_payloads(*source, kMinBytes);
  if (!split.ok()) return 0;
  uint64_t end = 0;
  for (const Payload& payload : split.value().payloads) {
    check(payload.offset >= end && payload.size >= kMinBytes && payload.offset <= size);
    check(payload.size <= size - payload.offset);
    end = payload.offset + payload.size;
  }
  ModelProto full, joined;
  if (!joined.parse(split.value().message)) {
    check(!full.parse(file));
    return 0;
  }
  bool is_exact = true;
  visit_tensors(joined,
                [&](TensorProto& tensor) { is_exact = join(file, split.value(), tensor) && is_exact; });
  if (!is_exact) return 0;
  check(full.parse(file));
  visit_tensors(full, [](TensorProto& tensor) { tensor.clear_payload(); });  // the file's are ignored
  check(full.serialize() == joined.serialize());
  return 0;
}
