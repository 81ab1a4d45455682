#include "tools/plugins/tflite/partition_plan.h"

#include "core/base/bytes_of.h"
#include "core/base/checksum.h"
#include "tools/import/network/layers.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <map>
#include <optional>

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

namespace {

using format::BuiltinOperator;

constexpr std::string_view kUnusedWeights = "only converts weights of other partitions";

// The importer's sentence without the operator's name and its position in a partition.
std::string reason_of(const HostNode& node, const Error& error) {
  const std::string start =
      import::tflite::operator_name(static_cast<int32_t>(node.code), node.custom_name) + " (operator ";
  const size_t end = error.message.find(") ");
  if (!error.message.starts_with(start) || end == std::string::npos) return error.message;
  return error.message.substr(end + 2);
}

class Planner {
 public:
  Planner(HostGraph& graph, const PlanOptions& options);

  Result<std::vector<PlannedPartition>> plan(const Preview& preview);

 private:
  void check_node(HostNode& node) const;
  void refuse_unreadable();
  // Returns whether the section can be taken as it is; otherwise marks the nodes that cannot with a fault.
  bool examine(const Section& section);
  bool converts_only_weights(size_t node) const;
  bool refuse_unused_weights(const Section& section);
  bool refuse_complex_boundary(const Section& section);
  bool refuse_unconverted(const Section& section, const PartitionModel& model, const Error& error);
  bool refuse_unsupported(const Section& section, size_t added, const import::HostedNetwork& hosted);
  bool refuse_small(const Section& section, const import::Network& network);
  // Nodes that compute weights of the section from constants, in execution order.
  std::vector<size_t> weight_nodes(const Section& section) const;

  HostGraph& graph_;
  const PlanOptions& options_;
  std::vector<std::optional<size_t>> writers_;  // by tensor
  std::map<std::vector<size_t>, PlannedPartition> examined_;
};

Planner::Planner(HostGraph& graph, const PlanOptions& options)
    : graph_(graph), options_(options), writers_(graph.tensors.size()) {
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const int32_t id : graph.nodes[i].table.outputs) writers_[static_cast<size_t>(id)] = i;
}

std::string fault_of(const HostNode& node, const HostTensor& tensor) {
  const bool may_be_state = import::keeps_state(static_cast<int32_t>(node.code));
  return tensor.table.is_variable && !may_be_state ? "keeps state between runs" : tensor.fault;
}

void Planner::check_node(HostNode& node) const {
  const bool runs_graphs = node.code == BuiltinOperator::IF || node.code == BuiltinOperator::WHILE;
  if (!node.fault.empty()) return;
  if (runs_graphs || !import::tflite::find_row(static_cast<int32_t>(node.code), node.custom_name)) {
    node.fault = runs_graphs ? "runs other graphs" : "is not supported";
    return;
  }
  for (const auto* ids : {&node.table.inputs, &node.table.outputs})
    for (const int32_t id : *ids)
      if (id >= 0 && node.fault.empty()) node.fault = fault_of(node, graph_.tensors[static_cast<size_t>(id)]);
}

// Operators that cannot be converted in any partition.
void Planner::refuse_unreadable() {
  Section all;
  do all = section_of(graph_, taken_nodes(graph_));
  while (refuse_complex_boundary(all));
  const std::vector<size_t>& nodes = all.nodes;
  if (nodes.empty()) return;
  const auto refused = PartitionModel(graph_, all).refused();
  if (!refused.ok()) {
    for (const size_t node : nodes) graph_.nodes[node].fault = refused.error().message;
    return;
  }
  for (const import::Refusal& refusal : refused.value()) {
    HostNode& node = graph_.nodes[nodes[refusal.position]];
    node.fault = reason_of(node, refusal.error);
  }
}

bool Planner::converts_only_weights(size_t node) const {
  const HostNode& it = graph_.nodes[node];
  if ((!it.fault.empty() && it.fault != kUnusedWeights) ||
      (it.code != BuiltinOperator::DEQUANTIZE && it.code != BuiltinOperator::DENSIFY))
    return false;
  const int32_t id = it.table.inputs[0];
  if (id < 0 || graph_.is_constant(id)) return id >= 0;
  const auto writer = writers_[static_cast<size_t>(id)];
  return writer && *writer < node && converts_only_weights(*writer);
}

std::vector<size_t> Planner::weight_nodes(const Section& section) const {
  std::vector<size_t> found;
  std::vector<int32_t> ids = section.inputs;
  while (!ids.empty()) {
    const int32_t id = ids.back();
    ids.pop_back();
    const auto writer = id < 0 ? std::nullopt : writers_[static_cast<size_t>(id)];
    if (!writer || !converts_only_weights(*writer) || std::ranges::find(found, *writer) != found.end() ||
        std::ranges::find(section.nodes, *writer) != section.nodes.end())
      continue;
    found.push_back(*writer);
    ids.push_back(graph_.nodes[*writer].table.inputs[0]);
  }
  std::ranges::sort(found);
  return found;
}

// The interpreter converts such weights once; here they would be results of every run.
bool Planner::refuse_unused_weights(const Section& section) {
  bool refused = false;
  for (const size_t node : section.nodes) {
    if (!converts_only_weights(node)) continue;
    const int32_t result = graph_.nodes[node].table.outputs[0];
    const bool is_read = std::ranges::any_of(section.nodes, [&](size_t other) {
      const auto& inputs = graph_.nodes[other].table.inputs;
      return std::ranges::find(inputs, result) != inputs.end();
    });
    if (is_read) continue;
    graph_.nodes[node].fault = kUnusedWeights;
    refused = true;
  }
  return refused;
}

// OH_NN has no complex inputs and outputs.
bool Planner::refuse_complex_boundary(const Section& section) {
  std::vector<int32_t> ids = section.inputs;
  ids.insert(ids.end(), section.outputs.begin(), section.outputs.end());
  bool refused = false;
  for (const size_t node : section.nodes) {
    HostNode& it = graph_.nodes[node];
    for (const auto* used : {&it.table.inputs, &it.table.outputs})
      for (const int32_t id : *used) {
        if (id < 0 || graph_.tensors[static_cast<size_t>(id)].table.type != format::TensorType::COMPLEX64 ||
            std::ranges::find(ids, id) == ids.end())
          continue;
        it.fault = "exchanges complex numbers with the interpreter";
        refused = true;
      }
  }
  return refused;
}

bool Planner::refuse_unconverted(const Section& section, const PartitionModel& model, const Error& error) {
  const size_t added = weight_nodes(section).size();
  bool refused = false;
  if (const auto refusals = model.refused(); refusals.ok()) {
    for (const import::Refusal& refusal : refusals.value()) {
      if (refusal.position < added) continue;
      HostNode& node = graph_.nodes[section.nodes[refusal.position - added]];
      node.fault = reason_of(node, refusal.error);
      refused = true;
    }
  }
  if (refused) return true;
  for (const size_t node : section.nodes) graph_.nodes[node].fault = error.message;
  return true;
}

bool Planner::refuse_unsupported(const Section& section, size_t added, const import::HostedNetwork& hosted) {
  if (!options_.supports) return false;
  const auto supported = options_.supports(hosted.network);
  bool refused = false;
  size_t operation = 0;
  for (size_t i = 0; i < hosted.ends.size(); ++i) {
    for (; operation < hosted.ends[i]; ++operation) {
      if (i < added || (supported.ok() && supported.value()[operation])) continue;
      const size_t node = section.nodes[i - added];
      graph_.nodes[node].fault =
          supported.ok() ? "is not supported by the device" : supported.error().message;
      refused = true;
    }
  }
  return refused;
}

bool Planner::refuse_small(const Section& section, const import::Network& network) {
  const bool computes = std::ranges::any_of(
      network.operations, [](const import::Operation& it) { return import::importance(it.type) > 0; });
  if (computes && section.nodes.size() >= options_.min_nodes) return false;
  for (const size_t node : section.nodes)
    graph_.nodes[node].fault =
        computes ? "is in a partition with too few nodes" : "is in a partition that only moves data";
  return true;
}

bool Planner::examine(const Section& section) {
  if (refuse_unused_weights(section) || refuse_complex_boundary(section)) return false;
  const std::vector<size_t> added = weight_nodes(section);
  Section all = section;
  all.nodes.insert(all.nodes.begin(), added.begin(), added.end());
  const std::vector<int32_t> read = section_of(graph_, all.nodes).inputs;
  std::erase_if(all.inputs, [&](int32_t id) { return std::ranges::find(read, id) == read.end(); });
  PartitionModel model(graph_, all);
  auto hosted = model.read();
  if (!hosted.ok()) return !refuse_unconverted(section, model, hosted.error());
  if (refuse_unsupported(section, added.size(), hosted.value()) ||
      refuse_small(section, hosted.value().network))
    return false;
  examined_.emplace(section.nodes, PlannedPartition{section, std::move(model), std::move(hosted).value()});
  return true;
}

Result<std::vector<PlannedPartition>> Planner::plan(const Preview& preview) {
  for (HostNode& node : graph_.nodes) check_node(node);
  refuse_unreadable();
  // Every round but the last takes nodes away.
  for (;;) {
    const std::vector<size_t> nodes = taken_nodes(graph_);
    std::vector<PlannedPartition> planned;
    if (nodes.empty()) return planned;
    NNRT_ASSIGN(const std::vector<Section> sections, preview(nodes));
    bool remains = true;
    for (const Section& section : sections)
      if (!examined_.contains(section.nodes)) remains = examine(section) && remains;
    if (!remains) continue;
    for (const Section& section : sections)
      planned.push_back(std::move(examined_.extract(section.nodes).mapped()));
    return planned;
  }
}

}  // namespace

Result<std::vector<PlannedPartition>> plan_partitions(HostGraph& graph, const Preview& preview,
                                                      const PlanOptions& options) {
  return Planner(graph, options).plan(preview);
}

std::vector<size_t> taken_nodes(const HostGraph& graph) {
  std::vector<size_t> nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].fault.empty()) nodes.push_back(i);
  return nodes;
}

}  // namespace nnrt::tflite_plugin
