#include "tools/import/tflite/write_tflite.h"

#include "core/base/bytes_of.h"
#include "core/passes/normalize.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/network_check.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import {
namespace {

using namespace tflite;

// The row that writes an operator; null if there is none.
const Row* find_written_row(Op op) {
  static const std::map<Op, const Row*> rows = [] {
    std::map<Op, const Row*> all;
    for (const std::span<const Row> family : all_rows())
      for (const Row& row : family)
        if (row.write != nullptr) all.emplace(static_cast<Op>(row.type), &row);
    return all;
  }();
  const auto found = rows.find(op);
  return found == rows.end() ? nullptr : found->second;
}

bool is_quantized(const nnrt::Graph& graph, const nnrt::Node& node) {
  const auto has_scale = [&](TensorId id) { return !graph.tensors[id].quant.empty(); };
  return std::ranges::any_of(node.inputs, has_scale) || std::ranges::any_of(node.outputs, has_scale);
}

void write_with_last_channels(NodeWriter& writer, const Row& row) {
  const List<int64_t> to_last = to_channels_last(writer.rank()), to_first = to_channels_first(writer.rank());
  writer.inputs[0] = writer.moved(writer.inputs[0], to_last);
  const Numbers32 targets = writer.outputs;
  for (int32_t& output : writer.outputs) {
    Dims shape;
    for (const int64_t d : to_last) shape.push_back(writer.shape(output)[static_cast<size_t>(d)]);
    output = writer.like(output, shape);
  }
  row.write(writer);
  for (size_t i = 0; i < targets.size(); ++i) writer.move_to(writer.outputs[i], to_first, targets[i]);
}

Status write_node(FileWriter& file, const nnrt::Graph& graph, const nnrt::Node& node) {
  const Row* const row = find_written_row(node.op);
  if (row == nullptr) return unsupported("TensorFlow Lite has no operator for ", short_name(node.op), ".");
  if (row->numbers == Numbers::real && is_quantized(graph, node))
    return unsupported("TensorFlow Lite has no INT8 form of ", short_name(node.op), ".");
  if (schema(node.op).outputs[0].sums && graph.tensors[node.outputs[0]].dtype == DType::i32)
    return unsupported("TensorFlow Lite has no INT32 sums of INT8 products.");
  if (has_unknown_channels(graph, node))
    return unsupported("TensorFlow Lite has no ", short_name(node.op),
                       " of values with a scale per channel.");
  NodeWriter writer(file, node, row->code);
  const bool is_first = channels_of(graph, node) == Channels::first && node.op != Op::resize;
  is_first ? write_with_last_channels(writer, *row) : row->write(writer);
  return writer.check_attributes("TensorFlow Lite");
}

// Returns whether all are among the given tensors.
bool renumber(std::span<const std::unique_ptr<format::TensorMapT>> maps, const Numbers32& from,
              const Numbers32& to) {
  return std::ranges::all_of(maps, [&](const auto& map) {
    const auto place =
        static_cast<size_t>(std::ranges::find(from, static_cast<int32_t>(map->tensor_index)) - from.begin());
    if (place >= from.size() || place >= to.size()) return false;
    map->tensor_index = static_cast<uint32_t>(to[place]);
    return true;
  });
}

}  // namespace

std::string with_metadata(ByteView file, ByteView other) {
  const std::unique_ptr<format::ModelT> made(format::GetModel(file.data())->UnPack()),
      from(format::GetModel(other.data())->UnPack());
  made->description = from->description;
  for (auto& note : from->metadata) {
    if (note->buffer >= from->buffers.size()) continue;
    made->buffers.push_back(std::move(from->buffers[note->buffer]));
    note->buffer = static_cast<uint32_t>(made->buffers.size()) - 1;
    made->metadata.push_back(std::move(note));
  }
  for (auto& signature : from->signature_defs) {
    const bool fits = signature->subgraph_index == 0 &&
                      renumber(signature->inputs, from->subgraphs[0]->inputs, made->subgraphs[0]->inputs) &&
                      renumber(signature->outputs, from->subgraphs[0]->outputs, made->subgraphs[0]->outputs);
    if (fits) made->signature_defs.push_back(std::move(signature));
  }
  return packed(*made);
}

Result<Bytes> write_tflite(const Network& network) {
  NNRT_ASSIGN(const GraphPtr graph, to_graph(network));
  const GraphPtr normalized = normalize(graph);
  FileWriter file(*normalized);
  NNRT_TRY(write_nodes(network, *normalized, "a .tflite file", [&](const nnrt::Node& node) {
    return converting([&] { return write_node(file, *normalized, node); });
  }));
  NNRT_ASSIGN(const std::string text, converting([&] { return file.finish(); }));
  return bytes_of(text);
}

}  // namespace nnrt::import
