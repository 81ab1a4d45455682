#include "tests/mindspore/golden_file.h"

#include "core/graph/graph.h"
#include "mindspore/model/source_graph.h"
#include "mindspore/schema/enumerations.h"
#include "tests/import/mindspore/flat_composer.h"
#include "tools/import/mindspore/writer/ms_nodes.h"
#include "tools/import/mindspore/writer/ms_serializer.h"

namespace nnrt::test {
namespace {

using namespace mindspore;

// Data layouts that builders store; those of convolutions and pools are absent.
bool has_format(PrimitiveType type) {
  return type == PrimitiveType::depth_to_space || type == PrimitiveType::space_to_depth ||
         type == PrimitiveType::detection_post_process;
}

FlatField field_of(const FieldValue& value, FieldType type) {
  const auto integer = [&] { return std::get<int64_t>(value); };
  switch (type) {
    case FieldType::boolean: return integer() != 0;
    case FieldType::enumeration8: return int8_t(integer());
    case FieldType::integer32: return int32_t(integer());
    case FieldType::integer64: return integer();
    case FieldType::real: return std::get<float>(value);
    case FieldType::text: return std::get<std::string>(value);
    case FieldType::integers64: return std::get<Integers>(value);
    case FieldType::reals: return std::get<Reals>(value);
    case FieldType::lists: {
      FlatRows rows;
      for (const Integers& list : std::get<std::vector<Integers>>(value)) rows.push_back({{{0, list}}});
      return FlatRow{{{0, std::move(rows)}}};
    }
    default: break;
  }
  const Integers& wide = std::get<Integers>(value);
  return std::vector<int32_t>(wide.begin(), wide.end());
}

bool is_default(const FieldValue& value, double fallback) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return double(*integer) == fallback;
  const auto* real = std::get_if<float>(&value);
  return real != nullptr && *real == float(fallback);
}

FlatRow row_of(const Primitive& primitive) {
  FlatRow row;
  for (size_t id = 0; id < primitive.values().size(); ++id) {
    const FieldRow& field = primitive.row().fields[id];
    const FieldValue& value = primitive.values()[id];
    const bool is_dropped = field.name == "format" && !has_format(primitive.type());
    if (std::holds_alternative<std::monostate>(value) || is_default(value, field.fallback) || is_dropped)
      continue;
    row.fields[int(id)] = field_of(value, field.type);
  }
  return row;
}

FlatRow row_of(const SourceTensor& tensor) {
  FlatRows entries;
  for (const QuantEntry& entry : tensor.quant)
    entries.push_back(ms_quant(entry.scale, entry.zero_point, entry.bits));
  Bytes data;
  if (tensor.has_data()) data.assign(tensor.data->begin(), tensor.data->end());
  return {{{1, int32_t(tensor.type_id)},
           {2, std::vector<int32_t>(tensor.dims.begin(), tensor.dims.end())},
           {3, int32_t(tensor.format)},
           {6, std::move(data)},
           {7, std::move(entries)},
           {9, std::string(" ")}}};
}

std::vector<int32_t> signed_of(const std::vector<uint32_t>& ids) { return {ids.begin(), ids.end()}; }

// Gives `written`, which computes `node`, the builders' inputs and numbers: those of OH_NN.
void to_builder_form(const Graph& graph, const Node& node, SourceNode& written) {
  if (written.inputs.size() == node.inputs.size() || node.op == Op::sparse_to_dense)
    written.inputs.assign(node.inputs.begin(), node.inputs.end());
  if (node.op == Op::lstm) {
    written.outputs.assign(node.outputs.begin(), node.outputs.end());
    written.primitive->set("has_bias", int64_t{node.attrs.flag(Attr::has_bias)});
  }
  if (node.op == Op::abs) {
    written.primitive.emplace(PrimitiveType::activation);
    written.primitive->set("activation_type", int64_t(ActivationType::abs));
  }
  if (node.op == Op::pad) written.primitive->set("paddings", std::vector<Integers>());
  if (node.op == Op::quant_dtype_cast) {
    written.primitive->set("src_t", int64_t(graph.tensors[node.inputs[0]].dtype));
    written.primitive->set("dst_t", int64_t(graph.tensors[node.outputs[0]].dtype));
  }
}

// The graph's tables: all tensors have data, dimensions and quantization, possibly empty, and a blank name;
// numbers with their default are absent. There is no version.
Bytes builder_file(const SourceGraph& graph) {
  FlatRows nodes, tensors;
  for (const SourceNode& node : graph.nodes)
    nodes.push_back(ms_node(int8_t(node.primitive->row().number), row_of(*node.primitive),
                            signed_of(node.inputs), signed_of(node.outputs), node.quant_type));
  for (const SourceTensor& tensor : graph.tensors) tensors.push_back(row_of(tensor));
  return flat_file(
      ms_root(std::move(nodes), std::move(tensors), signed_of(graph.inputs), signed_of(graph.outputs), ""));
}

using import::mindspore::SourceGraph;

// Builders have no nodes for changes of layout.
bool write_as(Origin origin, const Graph& graph, const Node& node, SourceGraph& file) {
  const size_t before = file.nodes.size();
  if (!import::mindspore::write_node(graph, node, file).ok()) return false;
  if (origin == Origin::converter) return true;
  if (node.op == Op::lstm) file.nodes.resize(before + 1);  // the result has OH_NN's shape
  if (file.nodes.size() != before + 1) return false;
  to_builder_form(graph, node, file.nodes.back());
  return true;
}

}  // namespace

const std::vector<conformance::Case>& golden_cases() {
  static const std::vector<conformance::Case> cases = [] {
    conformance::Collection collection;
    conformance::load(NNRT_GOLDEN_CASES, collection);
    return std::move(collection.cases);
  }();
  return cases;
}

std::optional<Bytes> file_of(const Graph& graph, Origin origin) {
  SourceGraph file;
  for (TensorId id = 0; id < graph.tensors.size(); ++id)
    file.tensors.push_back(import::mindspore::source_tensor(graph, id));
  for (const Node& node : graph.nodes)
    if (!write_as(origin, graph, node, file)) return {};
  file.inputs = graph.inputs;
  file.outputs = graph.outputs;
  if (origin == Origin::builders) return builder_file(file);
  Result<Bytes> bytes = import::mindspore::serialize(file);
  return bytes.ok() ? std::optional(std::move(bytes).value()) : std::nullopt;
}

}  // namespace nnrt::test
