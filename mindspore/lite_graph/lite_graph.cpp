#include "mindspore/lite_graph/lite_graph.h"

#include "core/base/text.h"
#include "mindspore/file/ms_file.h"
#include "mindspore/file/unpack.h"
#include "mindspore/lite_graph/client_memory_view.h"
#include "mindspore/lite_graph/numbering.h"
#include "mindspore/schema/enumerations.h"
#include "mindspore/v0/old_schema.h"

#include <algorithm>
#include <new>

namespace nnrt::mindspore {
namespace {

// Of a graph whose layout is known.
std::span<const void* const> pointers_at(const void* graph, size_t offset) {
  return vector_at<const void*>(graph, offset).value_or(std::span<const void* const>());
}

SharedBytes copied(ByteView bytes) { return std::make_shared<const Bytes>(bytes.begin(), bytes.end()); }

// A client's data has no known end: it is copied only if its length is plausible for the tensor.
SharedBytes kept(const SourceTensor& tensor, ByteView bytes) {
  const auto expected = byte_size(dtype_of(tensor.type_id), tensor.dims);
  const bool is_packed = !is_plain(tensor) && expected && bytes.size() <= 8 * *expected + (size_t{1} << 16);
  return expected == bytes.size() || is_packed ? copied(bytes) : SharedBytes();
}

// The client's bytes, to be replaced by kept() once the type and the dimensions are known.
SharedBytes viewed(ByteView bytes) { return {std::make_shared<const int>(), bytes}; }

void keep_data(SourceTensor& tensor) {
  if (tensor.has_data()) tensor.data = kept(tensor, *tensor.data);
}

SourceTensor read_client_tensor(const MappedMemory& memory, const void* table) {
  const FlatBuffer buffer(memory);
  SourceTensor tensor = read_tensor(FlatTable::at(buffer, table), viewed);
  if (!buffer.status().ok()) return {};  // of no type
  keep_data(tensor);
  return tensor;
}

const void* primitive_of(const void* node, const GraphLayout& layout) {
  const auto* const table = load<const void*>(node, layout.node_primitive());
  return is_plausible(table, alignof(uint32_t)) ? table : nullptr;
}

// Where lists of a primitive may be: close to one of the graph's tables.
struct TableMemory {
  const MappedMemory& mapped;
  AddressRange extent{~uintptr_t{0}, 0};

  void add(const void* table) {
    constexpr uintptr_t kMargin = uintptr_t{1} << 16;
    const uintptr_t address = untagged(reinterpret_cast<uintptr_t>(table));
    if (address < kMargin) return;
    extent = {std::min(extent.begin, address - kMargin), std::max(extent.end, address + kMargin)};
  }
};

Status set_primitive(const TableMemory& memory, SourceGraph& graph, SourceNode& node, const void* table,
                     bool is_old) {
  if (table == nullptr) {
    node.problem = invalid("The node has no primitive.");
    return {};
  }
  const FlatBuffer buffer(memory.mapped, memory.extent);
  if (is_old) {
    convert_old_primitive(FlatTable::at(buffer, table), graph, node);
  } else if (auto primitive = read_primitive(FlatTable::at(buffer, table)); primitive.ok()) {
    node.primitive = std::move(primitive).value();
  } else {
    node.problem = std::move(primitive).error();
  }
  return buffer.status();
}

bool are_in_range(std::span<const uint32_t> indices, size_t tensors) {
  return std::ranges::all_of(indices, [&](uint32_t index) { return index < tensors; });
}

// All but the primitive.
SourceNode read_node(const void* node, const GraphLayout& layout, size_t tensors) {
  SourceNode made;
  if (!is_plausible(node, alignof(void*))) {
    made.problem = invalid("The node is null.");
    return made;
  }
  const auto inputs = vector_at<uint32_t>(node, layout.node_inputs());
  const auto outputs = vector_at<uint32_t>(node, layout.node_outputs());
  const auto is_valid = [&](const auto& indices) { return indices && are_in_range(*indices, tensors); };
  if (is_valid(outputs)) made.outputs.assign(outputs->begin(), outputs->end());
  if (!is_valid(inputs) || !is_valid(outputs)) {
    made.problem = invalid("The node's lists of tensors are damaged.");
    return made;
  }
  made.name = text_at(node, 0, layout.library);
  made.inputs.assign(inputs->begin(), inputs->end());
  made.quant_type = load<int32_t>(node, layout.node_quant_type());
  return made;
}

// Whether all offsets are plausible if the primitive is read by a row of one of the schemas.
bool is_sound(const TableMemory& memory, const void* primitive, const PrimitiveRow* row) {
  const FlatBuffer buffer(memory.mapped, memory.extent);
  if (row != nullptr) read_fields(FlatTable::at(buffer, primitive).table(1), *row);
  return buffer.status().ok();
}

NodeForm form_of(const TableMemory& memory, const SourceNode& node, const void* primitive) {
  if (primitive == nullptr) return {};
  const FlatBuffer buffer(memory.mapped, memory.extent);
  const FlatTable table = FlatTable::at(buffer, primitive);
  const int number = table.number<uint8_t>(0);
  return {number, node.inputs.size(), table.table(1).id_count(),
          is_sound(memory, primitive, find_old_primitive(number)),
          is_sound(memory, primitive, find_primitive(number))};
}

// Damaged tables are an error of the graph: nothing in it can be trusted.
Status read_nodes(const MappedMemory& mapped, const void* graph, const GraphLayout& layout,
                  SourceGraph& source) {
  TableMemory memory{mapped};
  std::vector<const void*> primitives;
  for (const void* tensor : pointers_at(graph, layout.graph_tensors())) memory.add(tensor);
  for (const void* node : pointers_at(graph, layout.graph_nodes())) {
    source.nodes.push_back(read_node(node, layout, source.tensors.size()));
    primitives.push_back(source.nodes.back().problem ? nullptr : primitive_of(node, layout));
    memory.add(primitives.back());
  }
  std::vector<NodeForm> forms;
  for (size_t n = 0; n < primitives.size(); ++n)
    forms.push_back(form_of(memory, source.nodes[n], primitives[n]));
  constexpr Version kFirstOfSchema{1, 1, 0};
  const bool is_old_version = source.version != Version{} && source.version < kFirstOfSchema;
  const bool is_old = has_old_numbers(forms, is_old_version);
  for (size_t n = 0; n < primitives.size(); ++n) {
    if (source.nodes[n].problem) continue;
    if (Status status = set_primitive(memory, source, source.nodes[n], primitives[n], is_old); !status.ok())
      return std::move(status).error().during(cat("reading node ", n));
  }
  return {};
}

// A constant that cannot be decoded stays packed, which its readers refuse.
void unpack(SourceGraph& source) {
  const UnpackRules rules{.external = [](const ExternalData&, size_t) -> Result<SharedBytes> {
                            return unsupported("External data is not supported.");
                          },
                          .take = [](size_t bytes) -> Status {
                            constexpr size_t kMaxBytes = size_t{1} << 31;
                            if (bytes <= kMaxBytes) return {};
                            return unsupported("A packed constant takes ", bytes, " bytes.");
                          }};
  static_cast<void>(unpack_constants(source, rules));
}

// Builders store the data of every tensor, MindSpore's converter that of constants, and a version.
bool is_from_builders(const SourceGraph& graph) {
  return graph.version == Version{} && std::ranges::any_of(graph.inputs, [&](uint32_t index) {
           return index < graph.tensors.size() && graph.tensors[index].has_empty_data;
         });
}

void free_vector(const void* object, size_t offset) { ::operator delete(load<void*>(object, offset)); }

// Objects of libstdc++ have the same shared_ptr as ours; others are left alone.
void release_operator(const void* node, const GraphLayout& layout) {
  if (layout.library == ClientLibrary::libcxx) return;
  using Owner = std::shared_ptr<void>;
  reinterpret_cast<Owner*>(const_cast<std::byte*>(member(node, layout.node_operator())))->~Owner();
}

void delete_object(const void* object) { ::operator delete(const_cast<void*>(object)); }

void delete_node(const void* node, const GraphLayout& layout) {
  if (node == nullptr) return;
  for (const size_t text : {size_t{0}, layout.text}) free_text(node, text, layout.library);
  release_operator(node, layout);
  free_vector(node, layout.node_inputs());
  free_vector(node, layout.node_outputs());
  delete_object(node);
}

void delete_subgraph(const void* subgraph, const GraphLayout& layout) {
  if (subgraph == nullptr) return;
  free_text(subgraph, 0, layout.library);
  for (size_t i = 0; i < 4; ++i) free_vector(subgraph, layout.subgraph_vector(i));
  delete_object(subgraph);
}

}  // namespace

Result<SourceGraph> read_lite_graph(const void* graph) {
  const std::optional<GraphLayout> layout = layout_of(graph);
  if (!layout) return invalid("The graph is no LiteGraph, or its layout is unknown.");
  SourceGraph source;
  source.name = text_at(graph, 0, layout->library);
  source.version = parse_version(text_at(graph, layout->text, layout->library));
  const MappedMemory memory;
  for (const void* tensor : pointers_at(graph, layout->graph_tensors()))
    source.tensors.push_back(read_client_tensor(memory, tensor));
  NNRT_TRY(read_nodes(memory, graph, *layout, source));
  unpack(source);
  const auto inputs = *vector_at<uint32_t>(graph, layout->graph_inputs());
  const auto outputs = *vector_at<uint32_t>(graph, layout->graph_outputs());
  source.inputs.assign(inputs.begin(), inputs.end());
  source.outputs.assign(outputs.begin(), outputs.end());
  source.is_from_builders = is_from_builders(source);
  return source;
}

Result<SourceGraph> read_meta_graph(const void* root) {
  if (!is_plausible(root, alignof(uint32_t))) return invalid("The graph is no table.");
  const MappedMemory memory;
  const FlatBuffer buffer(memory);
  NNRT_ASSIGN(SourceGraph source, read_root(buffer, FlatTable::at(buffer, root), false, viewed));
  for (SourceTensor& tensor : source.tensors) keep_data(tensor);
  unpack(source);
  return source;
}

void delete_lite_graph(const void* graph, const GraphLayout& layout) {
  for (const void* node : pointers_at(graph, layout.graph_nodes())) delete_node(node, layout);
  for (const void* subgraph : pointers_at(graph, layout.graph_subgraphs())) delete_subgraph(subgraph, layout);
  for (const size_t text : {size_t{0}, layout.text}) free_text(graph, text, layout.library);
  for (const size_t vector : {layout.graph_inputs(), layout.graph_outputs(), layout.graph_tensors(),
                              layout.graph_nodes(), layout.graph_subgraphs()})
    free_vector(graph, vector);
  delete_object(graph);
}

}  // namespace nnrt::mindspore
