#include "core/passes/simplify/rewriter.h"

#include "core/base/element_at.h"
#include "core/base/fp16.h"
#include "core/memory/deferred_bytes.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace nnrt::simplified {
namespace {

template <typename T>
void write(Bytes& bytes, size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

}  // namespace

Rewriter::Rewriter(Graph graph)
    : graph_(std::move(graph)),
      is_output_(graph_.tensors.size(), false),
      reads_(graph_.tensors.size(), 0),
      readers_(graph_.tensors.size()),
      writer_(graph_.tensors.size()) {
  for (const TensorId id : graph_.outputs) is_output_[id] = true;
  for (Node& node : graph_.nodes) {
    if (schema(node.op).layout_dependent) node.format = graph_.format_of(node);
    const auto number = NodeId(nodes_.size());
    for (const TensorId id : node.outputs) writer_[id] = number;
    count(number, node);
    add_node(std::move(node));
  }
  graph_.nodes.clear();
}

void Rewriter::add_node(Node node) {
  position_.push_back(node.position);
  parts_.emplace_back();
  nodes_.emplace_back(std::move(node));
}

Graph Rewriter::take() {
  for (NodeId id = 0; id < nodes_.size(); ++id) take_with_operands(id);
  // Nodes that together replace an operation compute the same others.
  std::map<uint32_t, std::set<uint32_t>> fused;
  for (const Node& node : graph_.nodes)
    fused[node.position].insert(node.fused_positions.begin(), node.fused_positions.end());
  for (Node& node : graph_.nodes)
    node.fused_positions.assign(fused[node.position].begin(), fused[node.position].end());
  return std::move(graph_);
}

// Appended nodes have higher ids than their readers; all others have lower ids, and have already been taken.
void Rewriter::take_with_operands(NodeId id) {
  std::vector<NodeId> waiting{id};
  while (!waiting.empty()) {
    const NodeId last = waiting.back();
    if (!nodes_[last]) {
      waiting.pop_back();
      continue;
    }
    const size_t before = waiting.size();
    for (const TensorId input : nodes_[last]->inputs) {
      const std::optional<NodeId> writer = writer_[input];
      if (writer && nodes_[*writer]) waiting.push_back(*writer);
    }
    if (waiting.size() > before) continue;
    graph_.nodes.push_back(taken(last));
    waiting.pop_back();
  }
}

Node Rewriter::taken(NodeId id) {
  Node node = *std::exchange(nodes_[id], std::nullopt);
  Node parts;
  parts.position = position_[id];
  std::vector<NodeId> open = parts_[id];
  while (!open.empty()) {
    const NodeId part = open.back();
    open.pop_back();
    parts.fused_positions.push_back(position_[part]);
    open.insert(open.end(), parts_[part].begin(), parts_[part].end());
  }
  node.absorb(parts);
  return node;
}

TensorId Rewriter::append(Node node, const Tensor& model, Shape shape) {
  const TensorId output = add({"", model.dtype, model.format, std::move(shape), model.quant, 0, {}});
  node.outputs = {output};
  const auto number = NodeId(nodes_.size());
  writer_[output] = number;
  count(number, node);
  add_node(std::move(node));
  return output;
}

bool Rewriter::is_plain_float(TensorId id) const {
  return kFloat.contains(tensor(id).dtype) && tensor(id).quant.empty();
}

bool Rewriter::same_values(TensorId a, TensorId b) const {
  return tensor(a).dtype == tensor(b).dtype && tensor(a).quant == tensor(b).quant;
}

const Node* Rewriter::writer(TensorId id) const { return writer_[id] ? node(*writer_[id]) : nullptr; }

const Node* Rewriter::writer(TensorId id, Op op) const {
  const Node* found = writer(id);
  return found != nullptr && found->op == op && !found->diagnosis ? found : nullptr;
}

std::optional<std::vector<double>> Rewriter::floats(TensorId id) const {
  const Tensor& constant = tensor(id);
  if (!constant.is_constant() || !is_plain_float(id)) return {};
  require_read(constant.data);
  std::vector<double> values(constant.data->size() / size_of(constant.dtype));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = constant.dtype == DType::f16 ? double(to_float(element_at<Half>(*constant.data, i)))
                                             : double(element_at<float>(*constant.data, i));
  }
  return values;
}

std::optional<std::vector<int64_t>> Rewriter::integers(TensorId id) const {
  const Tensor& constant = tensor(id);
  if (!constant.is_constant() || !kIndex.contains(constant.dtype)) return {};
  require_read(constant.data);
  std::vector<int64_t> values(constant.data->size() / size_of(constant.dtype));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = constant.dtype == DType::i64 ? element_at<int64_t>(*constant.data, i)
                                             : int64_t(element_at<int32_t>(*constant.data, i));
  }
  return values;
}

std::optional<double> Rewriter::real(TensorId id) const {
  if (element_count(shape(id)) != 1) return {};
  const auto values = floats(id);
  return values ? std::optional(values->front()) : std::nullopt;
}

bool Rewriter::is_number(TensorId id, double value) const {
  const auto found = real(id);
  if (!found) return false;
  const double precision = tensor(id).dtype == DType::f16 ? 1e-3 : 1e-6;
  return std::abs(*found - value) <= precision * std::abs(value);
}

std::optional<TensorId> Rewriter::add_floats(const Tensor& model, const std::string& name, Shape shape,
                                             const std::vector<double>& values) {
  Bytes bytes(values.size() * size_of(model.dtype));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto single = float(values[i]);
    const Half half = to_half(single);
    if (!std::isfinite(model.dtype == DType::f16 ? to_float(half) : single)) return {};
    if (model.dtype == DType::f16) {
      write(bytes, i, half);
    } else {
      write(bytes, i, single);
    }
  }
  Tensor tensor{name, model.dtype, model.format, std::move(shape), {}, 0, {}};
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return add(std::move(tensor));
}

TensorId Rewriter::add_integers(const Tensor& model, Shape shape, const std::vector<int64_t>& values) {
  Bytes bytes(values.size() * size_of(model.dtype));
  for (size_t i = 0; i < values.size(); ++i) {
    if (model.dtype == DType::i64) {
      write(bytes, i, values[i]);
    } else {
      write(bytes, i, int32_t(values[i]));
    }
  }
  Tensor tensor{model.name, model.dtype, model.format, std::move(shape), {}, 0, {}};
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return add(std::move(tensor));
}

TensorId Rewriter::add(Tensor tensor) {
  graph_.shapes.push_back(tensor.shape);
  graph_.tensors.push_back(std::move(tensor));
  is_output_.push_back(false);
  reads_.push_back(0);
  readers_.emplace_back();
  writer_.emplace_back();
  return TensorId(graph_.tensors.size() - 1);
}

void Rewriter::count(NodeId reader, const Node& node) {
  for (const TensorId id : node.inputs) {
    ++reads_[id];
    readers_[id].push_back(reader);
  }
}

void Rewriter::discount(const Node& node) {
  for (const TensorId id : node.inputs) --reads_[id];
}

void Rewriter::replace(NodeId id, Node node) {
  const Node before = *std::exchange(nodes_[id], std::move(node));
  count(id, *nodes_[id]);
  discount(before);
  for (const TensorId input : before.inputs) drop_unread(input, id);
}

bool Rewriter::forward(TensorId from, TensorId to) {
  if (!same_values(from, to) || shape(from) != shape(to)) return false;
  if (is_output(from)) return write_output(from, to);
  for (const NodeId reader : std::exchange(readers_[from], {})) {
    if (!nodes_[reader]) continue;
    for (TensorId& input : nodes_[reader]->inputs) {
      if (input != from) continue;
      input = to;
      --reads_[from];
      ++reads_[to];
      readers_[to].push_back(reader);
    }
  }
  drop_unread(from, {});
  return true;
}

bool Rewriter::write_output(TensorId output, TensorId from) {
  const Node* const node = writer(from);
  if (node == nullptr || node->diagnosis || !is_read_once(from)) return false;
  const NodeId number = *writer_[from];
  discount(*std::exchange(nodes_[*writer_[output]], std::nullopt));
  std::ranges::replace(nodes_[number]->outputs, from, output);
  writer_[from].reset();
  writer_[output] = number;
  return true;
}

// Removing a node may leave others unread, along paths of any length, so this is iterative.
void Rewriter::drop_unread(TensorId id, std::optional<NodeId> heir) {
  std::vector<TensorId> suspects{id};
  while (!suspects.empty()) {
    const std::optional<NodeId> writer = writer_[suspects.back()];
    suspects.pop_back();
    if (!writer || !nodes_[*writer]) continue;
    const auto is_unread = [&](TensorId output) { return reads_[output] == 0 && !is_output_[output]; };
    if (!std::ranges::all_of(nodes_[*writer]->outputs, is_unread)) continue;
    const Node gone = *std::exchange(nodes_[*writer], std::nullopt);
    if (heir) parts_[*heir].push_back(*writer);
    discount(gone);
    suspects.insert(suspects.end(), gone.inputs.begin(), gone.inputs.end());
  }
}

}  // namespace nnrt::simplified
