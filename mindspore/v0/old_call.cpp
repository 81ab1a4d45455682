#include "mindspore/v0/old_call.h"

#include "mindspore/schema/enumerations.h"

#include <memory>
#include <span>

namespace nnrt::mindspore {
namespace {

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto view = std::as_bytes(std::span(values));
  return {view.begin(), view.end()};
}

}  // namespace

void OldCall::copy(const RenamedField& field) {
  const std::vector<FieldRow>& fields = old.row().fields;
  for (size_t id = 0; id < fields.size(); ++id) {
    if (fields[id].name != field.from) continue;
    switch (fields[id].type) {
      case FieldType::boolean:
      case FieldType::enumeration8:
      case FieldType::integer32:
      case FieldType::integer64: made.set(field.to, old.integer(field.from)); break;
      case FieldType::real: made.set(field.to, old.real(field.from)); break;
      default:
        if (old.has(field.from)) made.set(field.to, old.values()[id]);
    }
  }
}

void OldCall::append(int64_t type_id, size_t count, Bytes data) {
  constexpr size_t kElementBytes = 4;
  if (node.inputs.size() >= count) return;
  SourceTensor tensor;
  tensor.name = node.name + "/attribute" + std::to_string(node.inputs.size());
  tensor.type_id = type_id;
  tensor.dims = {int64_t(data.size() / kElementBytes)};
  tensor.data = std::make_shared<const Bytes>(std::move(data));
  node.inputs.push_back(uint32_t(graph.tensors.size()));
  graph.tensors.push_back(std::move(tensor));
}

void OldCall::append_integers(size_t count, const Integers& values) {
  append(type_id_of(DType::i32), count, bytes_of(std::vector<int32_t>(values.begin(), values.end())));
}

void OldCall::append_reals(size_t count, const Reals& values) {
  append(type_id_of(DType::f32), count, bytes_of(values));
}

int64_t OldCall::stored_dimension(size_t input, size_t d) const {
  if (input >= node.inputs.size()) return 0;
  const Shape& dims = graph.tensors[node.inputs[input]].dims;
  return d < dims.size() ? dims[d] : 0;
}

}  // namespace nnrt::mindspore
