#include "tests/mindspore/lite_graph_maker.h"

#include "mindspore/file/ms_file.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace nnrt::test {
namespace {

using Address = const std::byte*;

template <typename T>
T load(Address address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

Address follow(Address place) { return place + load<uint32_t>(place); }

// The place of a field; null if absent.
Address field(Address table, size_t id) {
  const Address vtable = table - load<int32_t>(table);
  const size_t entry = 2 * (id + 2);
  if (entry + 2 > load<uint16_t>(vtable)) return nullptr;
  const auto offset = load<uint16_t>(vtable + entry);
  return offset == 0 ? nullptr : table + offset;
}

std::vector<uint32_t> numbers(Address table, size_t id) {
  const Address place = field(table, id);
  if (place == nullptr) return {};
  const Address vector = follow(place);
  std::vector<uint32_t> values(load<uint32_t>(vector));
  std::memcpy(values.data(), vector + sizeof(uint32_t), values.size() * sizeof(uint32_t));
  return values;
}

std::vector<Address> tables(Address table, size_t id) {
  const Address place = field(table, id);
  if (place == nullptr) return {};
  const Address vector = follow(place);
  std::vector<Address> found(load<uint32_t>(vector));
  for (size_t i = 0; i < found.size(); ++i) found[i] = follow(vector + sizeof(uint32_t) * (i + 1));
  return found;
}

std::string text(Address table, size_t id) {
  const Address place = field(table, id);
  if (place == nullptr) return "";
  const Address string = follow(place);
  return {reinterpret_cast<const char*>(string + sizeof(uint32_t)), load<uint32_t>(string)};
}

LiteNode* load_node(Address table) {
  auto* node = new LiteNode;
  node->name = text(table, 0);
  if (const Address place = field(table, 2)) node->primitive = const_cast<std::byte*>(follow(place));
  node->inputs = numbers(table, 3);
  node->outputs = numbers(table, 4);
  if (const Address place = field(table, 5)) node->quant_type = load<int32_t>(place);
  return node;
}

void add_subgraph(LiteGraph& graph) {
  auto* all = new LiteSubgraph{"main_graph", graph.inputs, graph.outputs, {}, {}};
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) all->nodes.push_back(i);
  graph.subgraphs.push_back(all);
}

bool is_constant(const void* tensor) {
  const Address place = field(static_cast<Address>(tensor), 6);
  return place != nullptr && load<uint32_t>(follow(place)) > 0;
}

}  // namespace

const void* root_table(std::span<const std::byte> file) { return follow(file.data()); }

bool is_loadable(std::span<const std::byte> file) {
  const auto viewed = [](ByteView bytes) -> SharedBytes { return {std::make_shared<const int>(), bytes}; };
  if (mindspore::read_model_file(file, viewed).ok()) return true;
  const mindspore::FlatBuffer buffer(file);
  const auto root = mindspore::FlatTable::root(buffer, file);
  return mindspore::read_root(buffer, root, true, viewed).ok();
}

LiteGraph* load_graph(std::span<const std::byte> file) {
  const Address root = follow(file.data());
  auto* graph = new LiteGraph;
  graph->version = text(root, 1);
  graph->inputs = numbers(root, 3);
  graph->outputs = numbers(root, 4);
  for (const Address tensor : tables(root, 7)) graph->tensors.push_back(const_cast<std::byte*>(tensor));
  for (const Address node : tables(root, 6)) graph->nodes.push_back(load_node(node));
  add_subgraph(*graph);
  return graph;
}

void free_graph(LiteGraph* graph) {
  for (LiteNode* node : graph->nodes) delete node;
  for (LiteSubgraph* subgraph : graph->subgraphs) delete subgraph;
  delete graph;
}

LiteGraph* cut_graph(const LiteGraph& whole, size_t first, size_t count) {
  std::set<void*> used;
  std::set<uint32_t> made, read, read_outside(whole.outputs.begin(), whole.outputs.end());
  auto* graph = new LiteGraph{"", whole.version, {}, {}, {}, {}, {}};
  for (size_t n = 0; n < whole.nodes.size(); ++n) {
    const LiteNode& node = *whole.nodes[n];
    if (n < first || n >= first + count) {
      read_outside.insert(node.inputs.begin(), node.inputs.end());
      continue;
    }
    graph->nodes.push_back(new LiteNode(node));
    read.insert(node.inputs.begin(), node.inputs.end());
    made.insert(node.outputs.begin(), node.outputs.end());
    for (const auto* ids : {&node.inputs, &node.outputs})
      for (const uint32_t id : *ids) used.insert(whole.tensors[id]);
  }
  graph->tensors.assign(used.begin(), used.end());
  const auto renumbered = [&](uint32_t id) {
    const auto found = std::ranges::lower_bound(graph->tensors, whole.tensors[id], std::less<>());
    return uint32_t(found - graph->tensors.begin());
  };
  for (LiteNode* node : graph->nodes)
    for (auto* ids : {&node->inputs, &node->outputs})
      for (uint32_t& id : *ids) id = renumbered(id);
  for (const uint32_t id : read)
    if (!made.contains(id) && !is_constant(whole.tensors[id])) graph->inputs.push_back(renumbered(id));
  for (const uint32_t id : made)
    if (read_outside.contains(id)) graph->outputs.push_back(renumbered(id));
  add_subgraph(*graph);
  return graph;
}

}  // namespace nnrt::test
