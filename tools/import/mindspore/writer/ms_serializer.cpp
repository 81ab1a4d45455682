#include "tools/import/mindspore/writer/ms_serializer.h"

#include "core/base/bytes_of.h"
#include "core/base/text.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <numeric>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;
using Offset = flatbuffers::Offset<void>;
using Offsets = std::vector<Offset>;

// The layout of the primitives, and the axes of per-channel weights, are those of this version.
constexpr const char* kWrittenVersion = "MindSpore Lite 2.1.0";

class Serializer {
 public:
  explicit Serializer(const SourceGraph& graph) : graph_(graph) {
    // Defaults differ between versions of the schema.
    builder_.ForceDefaults(true);
  }

  Bytes serialize();

 private:
  Offset write_graph();
  Offset write_subgraph();
  Offset write_tensor(const SourceTensor& tensor, bool is_computed);
  Offset write_quant(const QuantEntry& entry);
  Offset write_node(const SourceNode& node);
  Offset write_primitive(const Primitive& primitive);
  // An element of a vector or table that is written before the primitive; empty for numbers.
  Offset write_child(const FieldValue& value, FieldType type);
  void add_field(size_t id, const FieldValue& value, FieldType type, Offset child);

  Offset text(std::string_view value) { return builder_.CreateString(value.data(), value.size()).Union(); }
  template <typename T>
  Offset vector(const std::vector<T>& values) {
    return builder_.CreateVector(values).Union();
  }
  Offset write_lists(const std::vector<Integers>& lists);
  template <typename T>
  void add(size_t id, T value) {
    builder_.AddElement<T>(flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(id)), value,
                           T{});
  }
  void add(size_t id, Offset offset) {
    if (!offset.IsNull())
      builder_.AddOffset(flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(id)), offset);
  }
  Offset end_table(flatbuffers::uoffset_t start) { return Offset(builder_.EndTable(start)); }

  const SourceGraph& graph_;
  flatbuffers::FlatBufferBuilder builder_;
};

Offset Serializer::write_lists(const std::vector<Integers>& lists) {
  Offsets rows;
  for (const Integers& list : lists) {
    const Offset data = vector(list);
    const auto start = builder_.StartTable();
    add(0, data);
    rows.push_back(end_table(start));
  }
  const Offset data = vector(rows);
  const auto start = builder_.StartTable();
  add(0, data);
  return end_table(start);
}

Offset Serializer::write_child(const FieldValue& value, FieldType type) {
  switch (type) {
    case FieldType::text: return text(std::get<std::string>(value));
    case FieldType::integers64: return vector(std::get<Integers>(value));
    case FieldType::integers32: {
      const Integers& wide = std::get<Integers>(value);
      return vector(std::vector<int32_t>(wide.begin(), wide.end()));
    }
    case FieldType::reals: return vector(std::get<Reals>(value));
    case FieldType::lists: return write_lists(std::get<std::vector<Integers>>(value));
    default: return {};
  }
}

void Serializer::add_field(size_t id, const FieldValue& value, FieldType type, Offset child) {
  switch (type) {
    case FieldType::boolean: return add(id, static_cast<uint8_t>(std::get<int64_t>(value) != 0));
    case FieldType::enumeration8: return add(id, static_cast<int8_t>(std::get<int64_t>(value)));
    case FieldType::integer32: return add(id, static_cast<int32_t>(std::get<int64_t>(value)));
    case FieldType::integer64: return add(id, std::get<int64_t>(value));
    case FieldType::real: return add(id, std::get<float>(value));
    default: return add(id, child);
  }
}

Offset Serializer::write_primitive(const Primitive& primitive) {
  const std::vector<FieldRow>& fields = primitive.row().fields;
  const auto is_set = [&](size_t id) {
    return !std::holds_alternative<std::monostate>(primitive.values()[id]);
  };
  Offsets children(fields.size());
  for (size_t id = 0; id < fields.size(); ++id)
    if (is_set(id)) children[id] = write_child(primitive.values()[id], fields[id].type);
  const auto value = builder_.StartTable();
  for (size_t id = 0; id < fields.size(); ++id)
    if (is_set(id)) add_field(id, primitive.values()[id], fields[id].type, children[id]);
  const Offset table = end_table(value);
  const auto start = builder_.StartTable();
  add(0, primitive.row().number);
  add(1, table);
  return end_table(start);
}

Offset Serializer::write_quant(const QuantEntry& entry) {
  const auto start = builder_.StartTable();
  add(0, entry.scale);
  add(1, entry.zero_point);
  add(5, entry.bits);
  add(6, static_cast<uint8_t>(entry.inited));
  return end_table(start);
}

Offset Serializer::write_tensor(const SourceTensor& tensor, bool is_computed) {
  constexpr size_t kDataAlignment = 16;
  constexpr int32_t kConstant = 0, kComputed = 2;
  Offset data, quant;
  if (tensor.has_data()) {
    const auto& bytes = *tensor.data;
    builder_.ForceVectorAlignment(bytes.size(), 1, kDataAlignment);
    data = builder_.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()).Union();
  }
  Offsets entries;
  for (const QuantEntry& entry : tensor.quant) entries.push_back(write_quant(entry));
  if (!entries.empty()) quant = vector(entries);
  const Offset dims = vector(std::vector<int32_t>(tensor.dims.begin(), tensor.dims.end())),
               name = text(tensor.name);
  const auto start = builder_.StartTable();
  add(0, is_computed ? kComputed : kConstant);
  add(1, static_cast<int32_t>(tensor.type_id));
  add(2, dims);
  add(3, static_cast<int32_t>(tensor.format));
  add(6, data);
  add(7, quant);
  add(9, name);
  return end_table(start);
}

Offset Serializer::write_node(const SourceNode& node) {
  const Offset name = text(node.name), primitive = write_primitive(*node.primitive),
               inputs = vector(node.inputs), outputs = vector(node.outputs);
  const auto start = builder_.StartTable();
  add(0, name);
  add(2, primitive);
  add(3, inputs);
  add(4, outputs);
  add(5, static_cast<int32_t>(node.quant_type));
  add(6, int32_t{-1});
  return end_table(start);
}

std::vector<uint32_t> all_below(size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Offset Serializer::write_subgraph() {
  const Offset name = text("subgraph_0_main_graph"), inputs = vector(graph_.inputs),
               outputs = vector(graph_.outputs), nodes = vector(all_below(graph_.nodes.size())),
               tensors = vector(all_below(graph_.tensors.size()));
  const auto start = builder_.StartTable();
  add(0, name);
  add(1, inputs);
  add(2, outputs);
  add(3, nodes);
  add(4, tensors);
  return end_table(start);
}

Offset Serializer::write_graph() {
  Offsets tensors, nodes;
  for (const SourceTensor& tensor : graph_.tensors)
    tensors.push_back(write_tensor(tensor, !tensor.has_data()));
  for (const SourceNode& node : graph_.nodes) nodes.push_back(write_node(node));
  const Offset subgraphs = vector(Offsets{write_subgraph()}), all_nodes = vector(nodes),
               all_tensors = vector(tensors), inputs = vector(graph_.inputs),
               outputs = vector(graph_.outputs), name = text(graph_.name), version = text(kWrittenVersion);
  const auto start = builder_.StartTable();
  add(0, name);
  add(1, version);
  add(3, inputs);
  add(4, outputs);
  add(6, all_nodes);
  add(7, all_tensors);
  add(8, subgraphs);
  return end_table(start);
}

Bytes Serializer::serialize() {
  builder_.Finish(flatbuffers::Offset<void>(write_graph()), "MSL2");
  return bytes_of(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
}

}  // namespace

Result<Bytes> serialize(const SourceGraph& graph) {
  constexpr size_t kLimit = (size_t{1} << 31) - (size_t{1} << 25);  // leaves room for everything else
  size_t bytes = 0;
  for (const SourceTensor& tensor : graph.tensors) bytes += tensor.has_data() ? tensor.data->size() : 0;
  if (bytes > kLimit)
    return unsupported("The model has ", bytes, " bytes of constants, but an .ms file holds at most 2 GiB.");
  return Serializer(graph).serialize();
}

}  // namespace nnrt::import::mindspore
