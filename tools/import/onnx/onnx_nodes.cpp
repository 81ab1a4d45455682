#include "tools/import/onnx/onnx_nodes.h"

#include "core/base/text.h"

#include <functional>
#include <queue>
#include <unordered_set>

namespace nnrt::import::onnx {
namespace {

using NameSet = std::unordered_set<std::string_view>;

Error damaged(std::string message) { return {Code::invalid_file, std::move(message)}; }

// Names that a body reads from enclosing graphs.
void find_outer_names(const onnx_file::GraphProto& body, NameSet& outer) {
  NameSet inner, read;
  for (const auto& input : body.input()) inner.insert(input.name());
  for (const auto& constant : body.initializer()) inner.insert(constant.name());
  for (const onnx_file::NodeProto& node : body.node()) {
    inner.insert(node.output().begin(), node.output().end());
    read.insert(node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) find_outer_names(attribute.g(), read);
    }
  }
  for (const auto& output : body.output()) read.insert(output.name());
  for (const std::string_view name : read) {
    if (!inner.contains(name)) outer.insert(name);
  }
}

}  // namespace

std::string describe(const onnx_file::NodeProto& node, int position) {
  std::string text = node.op_type();
  if (!node.name().empty()) text.append(" ").append(node.name());
  return text.append(cat(" (node ", position, ")"));
}

Result<Nodes> Nodes::read(const onnx_file::GraphProto& graph) {
  Nodes nodes;
  nodes.find_reads(graph);
  NNRT_TRY(nodes.find_sources(graph));
  NNRT_TRY(nodes.find_needed(graph));
  NNRT_TRY(nodes.sort(graph));
  return nodes;
}

int Nodes::readers(std::string_view value) const {
  const auto found = uses_.find(value);
  return found == uses_.end() ? 0 : found->second.readers;
}

int Nodes::only_reader(std::string_view value) const {
  const auto found = uses_.find(value);
  if (found == uses_.end() || found->second.readers != 1 || found->second.is_output) return -1;
  return found->second.reader;
}

void Nodes::find_reads(const onnx_file::GraphProto& graph) {
  for (const onnx_file::NodeProto& node : graph.node()) {
    NameSet outer;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) find_outer_names(attribute.g(), outer);
    }
    std::vector<std::string_view>& read = reads_.emplace_back(node.input().begin(), node.input().end());
    read.insert(read.end(), outer.begin(), outer.end());
    std::erase(read, std::string_view());
  }
}

Status Nodes::find_sources(const onnx_file::GraphProto& graph) {
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& name : graph.node(i).output()) {
      if (name.empty()) continue;
      Use& use = uses_[name];
      if (use.source >= 0)
        return damaged(cat("The value ", name,
                           " has two sources: ", describe(graph.node(use.source), use.source), " and ",
                           describe(graph.node(i), i), "."));
      use.source = i;
    }
  }
  return {};
}

Status Nodes::find_needed(const onnx_file::GraphProto& graph) {
  needed_.assign(static_cast<size_t>(graph.node_size()), false);
  std::vector<int> open;
  const auto need = [&](const Use& use) {
    if (use.source < 0 || needed_[static_cast<size_t>(use.source)]) return;
    needed_[static_cast<size_t>(use.source)] = true;
    open.push_back(use.source);
  };
  for (const auto& output : graph.output()) {
    Use& use = uses_[output.name()];
    use.is_output = true;
    ++use.readers;
    need(use);
  }
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const std::string_view name : reads_[static_cast<size_t>(node)]) {
      Use& use = uses_[name];
      ++use.readers;
      use.reader = node;
      need(use);
    }
  }
  return {};
}

Status Nodes::sort(const onnx_file::GraphProto& graph) {
  using Key = std::pair<bool, int>;  // constants first, then file order
  const auto key = [&](int node) { return Key(graph.node(node).op_type() != "Constant", node); };
  std::vector<int> missing(needed_.size(), 0);
  std::vector<std::vector<int>> followers(needed_.size());
  std::priority_queue<Key, std::vector<Key>, std::greater<>> ready;
  size_t count = 0;
  for (int i = 0; i < graph.node_size(); ++i) {
    const auto node = static_cast<size_t>(i);
    if (!needed_[node]) continue;
    ++count;
    for (const std::string_view name : reads_[node]) {
      const int source = uses_[name].source;
      if (source < 0) continue;
      followers[static_cast<size_t>(source)].push_back(i);
      ++missing[node];
    }
    if (missing[node] == 0) ready.push(key(i));
  }
  while (!ready.empty()) {
    const int node = ready.top().second;
    ready.pop();
    order_.push_back(node);
    for (const int follower : followers[static_cast<size_t>(node)]) {
      if (--missing[static_cast<size_t>(follower)] == 0) ready.push(key(follower));
    }
  }
  if (order_.size() == count) return {};
  for (size_t i = 0; i < missing.size(); ++i) {
    if (missing[i] > 0)
      return damaged(cat("Nodes wait for each other: ",
                         describe(graph.node(static_cast<int>(i)), static_cast<int>(i)), "."));
  }
  return {};
}

}  // namespace nnrt::import::onnx
