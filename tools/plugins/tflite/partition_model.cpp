#include "tools/plugins/tflite/partition_model.h"

#include "core/base/bytes_of.h"
#include "core/base/checksum.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::tflite_plugin {

std::string name_of(const HostNode& node) {
  return import::tflite::operator_name(static_cast<int32_t>(node.code), node.custom_name) + " (node " +
         std::to_string(node.number) + ")";
}

Section section_of(const HostGraph& graph, std::vector<size_t> nodes) {
  std::vector<bool> is_known(graph.tensors.size());
  Section section{std::move(nodes), {}, {}};
  for (const size_t node : section.nodes) {
    const format::OperatorT& table = graph.nodes[node].table;
    for (const int32_t id : table.inputs) {
      if (id < 0 || is_known[static_cast<size_t>(id)] || graph.is_constant(id)) continue;
      is_known[static_cast<size_t>(id)] = true;
      section.inputs.push_back(id);
    }
    for (const int32_t id : table.outputs) is_known[static_cast<size_t>(id)] = true;
  }
  return section;
}

PartitionModel::PartitionModel(const HostGraph& graph, const Section& section)
    : model_(std::make_unique<format::ModelT>()), numbers_(graph.tensors.size(), -1) {
  model_->version = 3;
  model_->subgraphs.push_back(std::make_unique<format::SubGraphT>());
  constants_.emplace_back();  // buffer 0 is empty
  const auto add = [&](const std::vector<int32_t>& ids, std::vector<int32_t>& kept,
                       std::vector<int32_t>& file) {
    for (const int32_t id : ids) {
      if (graph.is_constant(id)) continue;
      kept.push_back(id);
      file.push_back(number_of(graph, id));
    }
  };
  format::SubGraphT& subgraph = *model_->subgraphs[0];
  add(section.inputs, inputs_, subgraph.inputs);
  for (const int32_t number : subgraph.inputs) subgraph.tensors[static_cast<size_t>(number)]->has_rank = true;
  for (const size_t node : section.nodes) add_node(graph, graph.nodes[node]);
  add(section.outputs, outputs_, subgraph.outputs);
}

int32_t PartitionModel::number_of(const HostGraph& graph, int32_t tensor) {
  if (tensor < 0) return -1;
  int32_t& number = numbers_[static_cast<size_t>(tensor)];
  if (number >= 0) return number;
  auto& tensors = model_->subgraphs[0]->tensors;
  number = static_cast<int32_t>(tensors.size());
  const HostTensor& host = graph.tensors[static_cast<size_t>(tensor)];
  tensors.push_back(std::make_unique<format::TensorT>(host.table));
  if (host.data) {
    tensors.back()->buffer = static_cast<uint32_t>(constants_.size());
    constants_.push_back(host.data);
  }
  return number;
}

void PartitionModel::add_node(const HostGraph& graph, const HostNode& node) {
  auto code = std::make_unique<format::OperatorCodeT>();
  code->builtin_code = static_cast<int32_t>(node.code);
  code->custom_code = node.custom_name;
  auto op = std::make_unique<format::OperatorT>(node.table);
  op->opcode_index = static_cast<uint32_t>(model_->operator_numbers.size());
  for (int32_t& id : op->inputs) id = number_of(graph, id);
  for (int32_t& id : op->outputs) id = number_of(graph, id);
  model_->operator_numbers.push_back(std::move(code));
  model_->subgraphs[0]->operators.push_back(std::move(op));
}

format::TensorT& PartitionModel::input(size_t i) const {
  const format::SubGraphT& subgraph = *model_->subgraphs[0];
  return *subgraph.tensors[static_cast<size_t>(subgraph.inputs[i])];
}

void PartitionModel::set_input_shape(size_t i, import::Shape shape) {
  if (shape.size() != input(i).shape.size()) forget_ranks();
  input(i).shape = std::move(shape);
}

void PartitionModel::forget_ranks() {
  const format::SubGraphT& subgraph = *model_->subgraphs[0];
  for (const auto& op : subgraph.operators)
    for (const int32_t id : op->outputs) {
      subgraph.tensors[static_cast<size_t>(id)]->shape.clear();
      subgraph.tensors[static_cast<size_t>(id)]->has_rank = false;
    }
}

Bytes PartitionModel::packed() const {
  flatbuffers::FlatBufferBuilder builder;
  format::FinishModelBuffer(builder, format::CreateModel(builder, model_.get()));
  return bytes_of(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

Result<import::HostedNetwork> PartitionModel::read() const {
  const LendingBuffer file = LendingBuffer::copy_of(packed());
  return import::read_tflite(import::HostedGraph{file, constants_});
}

Result<std::vector<import::Refusal>> PartitionModel::refused() const {
  const LendingBuffer file = LendingBuffer::copy_of(packed());
  return import::refused_operators(import::HostedGraph{file, constants_});
}

uint64_t PartitionModel::checksum() const {
  const Bytes file = packed();
  std::vector<ByteView> pieces{file};
  for (const SharedBytes& constant : constants_)
    if (constant) pieces.push_back(*constant);
  return nnrt::checksum(pieces);
}

}  // namespace nnrt::tflite_plugin
