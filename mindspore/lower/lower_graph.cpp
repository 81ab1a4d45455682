#include "mindspore/lower/lower_graph.h"

#include "core/base/text.h"
#include "core/schema/validate.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>

namespace nnrt::mindspore {
namespace {

Status check_indices(const SourceGraph& source) {
  if (source.inputs.empty() || source.outputs.empty())
    return invalid("The graph has no inputs or no outputs.");
  NNRT_TRY(check_operand_count("inputs", source.inputs.size()));
  NNRT_TRY(check_operand_count("outputs", source.outputs.size()));
  const auto check = [&](const List<uint32_t>& indices) -> Status {
    for (const uint32_t index : indices)
      if (index >= source.tensors.size())
        return invalid("Tensor ", index, " does not exist; the graph has ", source.tensors.size(), ".");
    return {};
  };
  NNRT_TRY(check(source.inputs));
  NNRT_TRY(check(source.outputs));
  for (const SourceNode& node : source.nodes) {
    NNRT_TRY(check(node.inputs));
    NNRT_TRY(check(node.outputs));
  }
  return {};
}

std::string describe(const SourceNode& node, uint32_t index) {
  const std::string_view type = node.primitive ? node.primitive->row().name : "a node";
  return cat("lowering ", type, " (node ", index, node.name.empty() ? "" : ", ", node.name, ")");
}

class GraphLowering {
 public:
  GraphLowering(const SourceGraph& source, const EvaluateGraph& evaluate)
      : source_(source), values_(graph_, source) {
    graph_.fold_with(evaluate);
  }

  Result<LoweredGraph> lower() {
    result_.refusals.resize(source_.nodes.size(), invalid("The node is part of a cycle."));
    for (const uint32_t input : source_.inputs)
      if (!values_.is_set(input)) NNRT_TRY(values_.add_input(input));
    for (const uint32_t node : execution_order(source_)) {
      Status status = lower_node(node);
      if (status.ok()) {
        result_.refusals[node].reset();
        continue;
      }
      result_.refusals[node] = std::move(status).error().during(describe(source_.nodes[node], node));
      declare_results(source_.nodes[node]);
    }
    return converting([&] { return finish(); });
  }

 private:
  Status check_node(const SourceNode& node, const LoweringRow*& row) const {
    if (node.problem) return *node.problem;
    row = find_lowering(node.primitive->type());
    if (row == nullptr) return unsupported(node.primitive->row().name, " is not supported.");
    const size_t inputs = node.inputs.size();
    if (inputs < row->min_inputs || (row->max_inputs != kMany && inputs > row->max_inputs))
      return invalid("The number of inputs (", inputs, ") is not the primitive's.");
    if (node.outputs.empty()) return invalid("The node has no outputs.");
    for (const uint32_t output : node.outputs)
      if (values_.is_set(output))
        return invalid("Output ", output, " is written twice, or is a graph input.");
    return {};
  }

  Status lower_node(uint32_t index) {
    const SourceNode& node = source_.nodes[index];
    const LoweringRow* row = nullptr;
    NNRT_TRY(check_node(node, row));
    const GraphWriter::Mark mark = graph_.mark();
    graph_.begin_operation(index);
    Lowering lowering(values_, source_, node, *row);
    Status status = converting([&]() -> Status { return row->lower(lowering), Status(); });
    if (!status.ok()) {
      values_.rewind(mark);
      return status;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (const auto& value = lowering.results()[i]) keep(node.outputs[i], *value, mark);
    return {};
  }

  void keep(uint32_t tensor, const Value& value, const GraphWriter::Mark& mark) {
    const std::string& name = source_.tensors[tensor].name;
    if (value.id >= mark.tensors && !name.empty()) graph_.set_name(value.id, name);
    values_.set(tensor, value);
  }

  // As inputs, so that the nodes that read them can be judged.
  void declare_results(const SourceNode& node) {
    for (const uint32_t output : node.outputs)
      if (!values_.is_set(output)) static_cast<void>(values_.add_input(output));
  }

  bool is_complete() const {
    return std::ranges::none_of(result_.refusals, [](const auto& refusal) { return refusal.has_value(); });
  }

  Result<Value> output_value(uint32_t tensor) {
    if (values_.is_set(tensor)) return values_.at(tensor);
    if (source_.tensors[tensor].has_data()) return values_.constant(tensor);
    return invalid("No node writes output ", tensor, " of the graph.");
  }

  Value copied(const Value& value, uint32_t tensor) {
    const Integers same(std::max<size_t>(value.rank(), 1), value.rank() == 0 ? 1 : 0);
    Value copy = graph_.emit(Op::reshape, {value, graph_.integers(same)});
    const std::string& name = source_.tensors[tensor].name;
    if (!name.empty()) graph_.set_name(copy.id, name);
    return copy;
  }

  // Each graph output is a separate tensor written by a node.
  Result<std::vector<TensorId>> outputs() {
    std::vector<TensorId> ids;
    std::set<TensorId> taken;
    graph_.fold_with(nullptr);
    graph_.begin_operation(kNoNode);
    for (const uint32_t output : source_.outputs) {
      NNRT_ASSIGN(Value value, output_value(output));
      if (!graph_.is_written(value.id) || taken.contains(value.id)) value = copied(value, output);
      if (value.rank() == 0) graph_.make_vector(value.id);
      taken.insert(value.id);
      ids.push_back(value.id);
    }
    return ids;
  }

  // Of an incomplete graph: all results that no node reads.
  std::vector<TensorId> loose_ends() const {
    std::set<TensorId> ids;
    for (const Node& node : graph_.graph().nodes) ids.insert(node.outputs.begin(), node.outputs.end());
    for (const Node& node : graph_.graph().nodes)
      for (const TensorId id : node.inputs) ids.erase(id);
    return {ids.begin(), ids.end()};
  }

  Result<LoweredGraph> finish() {
    std::vector<TensorId> ids;
    if (is_complete()) {
      NNRT_ASSIGN(ids, outputs());
    } else {
      ids = loose_ends();
    }
    result_.origins = graph_.origins();
    if (result_.origins.empty()) return std::move(result_);
    NNRT_ASSIGN(result_.graph, graph_.finish(ids));
    return std::move(result_);
  }

  const SourceGraph& source_;
  GraphWriter graph_;
  LowerValues values_;
  LoweredGraph result_;
};

}  // namespace

List<uint32_t> execution_order(const SourceGraph& source) {
  List<uint32_t> writer(source.tensors.size(), kNoNode);
  for (uint32_t n = 0; n < source.nodes.size(); ++n)
    for (const uint32_t output : source.nodes[n].outputs)
      if (writer[output] == kNoNode) writer[output] = n;
  for (const uint32_t input : source.inputs) writer[input] = kNoNode;
  List<uint32_t> waits(source.nodes.size(), 0), order;
  List<List<uint32_t>> readers(source.nodes.size());
  for (uint32_t n = 0; n < source.nodes.size(); ++n) {
    for (const uint32_t input : source.nodes[n].inputs) {
      if (writer[input] == kNoNode) continue;
      ++waits[n];
      readers[writer[input]].push_back(n);
    }
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t n = 0; n < waits.size(); ++n)
    if (waits[n] == 0) ready.push(n);
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const uint32_t reader : readers[order.back()])
      if (--waits[reader] == 0) ready.push(reader);
  }
  return order;
}

Result<LoweredGraph> lower_graph(const SourceGraph& source, const EvaluateGraph& evaluate) {
  NNRT_TRY(check_indices(source));
  return GraphLowering(source, evaluate).lower();
}

}  // namespace nnrt::mindspore
