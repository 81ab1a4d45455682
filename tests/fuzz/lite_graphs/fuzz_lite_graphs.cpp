// Graphs in memory, as MindSpore Lite's delegate passes them. The input is a count of edits, 4 bytes for
// each, and a .ms file. The graph of the file is edited, so its indices, pointers and lists may be anything.
// Nothing outside of the file may be read, although its end is not known.
#include "core/base/check.h"
#include "mindspore/file/ms_file.h"
#include "tests/fuzz/api_model.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/mindspore/fenced_bytes.h"
#include "tests/mindspore/lite_graph_maker.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <algorithm>

namespace nnrt::test {
namespace {

using namespace mindspore;

constexpr size_t kEditBytes = 4;

struct Edit {
  uint8_t kind = 0, target = 0, place = 0, value = 0;
};

template <typename T>
T* chosen(std::vector<T>& values, size_t place) {
  return values.empty() ? nullptr : &values[place % values.size()];
}

void edit_list(std::vector<uint32_t>& indices, const Edit& edit) {
  constexpr uint32_t kHuge = 0x80000000u;
  constexpr size_t kMany = 250;
  if (edit.place == 255) return indices.clear();
  if (edit.place == 254) return indices.assign(kMany, edit.value);
  if (edit.place == 253) return indices.push_back(edit.value);
  if (uint32_t* const index = chosen(indices, edit.place)) *index = edit.value == 255 ? kHuge : edit.value;
}

// Pointers that no object has.
void* not_an_object(uint8_t value) {
  return value % 2 == 0 ? nullptr : reinterpret_cast<void*>(uintptr_t{value});
}

void edit_node(LiteGraph& graph, const Edit& edit) {
  LiteNode** const node = chosen(graph.nodes, edit.target);
  LiteNode** const other = chosen(graph.nodes, edit.value);
  if (node == nullptr || *node == nullptr) return;
  switch (edit.kind % 7) {
    case 0: return edit_list((*node)->inputs, edit);
    case 1: return edit_list((*node)->outputs, edit);
    case 2: (*node)->quant_type = edit.value; return;
    case 3: (*node)->primitive = not_an_object(edit.value); return;
    case 4: {
      if (*other != nullptr) (*node)->primitive = (*other)->primitive;
      return;
    }
    case 5: return std::swap(*node, *other);
    default: delete *node; *node = nullptr;
  }
}

void edit_graph(LiteGraph& graph, const Edit& edit) {
  void** const tensor = chosen(graph.tensors, edit.target);
  switch (edit.kind % 6) {
    case 0: return edit_list(graph.inputs, edit);
    case 1: return edit_list(graph.outputs, edit);
    case 2: {
      if (tensor != nullptr) *tensor = not_an_object(edit.value);
      return;
    }
    case 3: {
      if (tensor != nullptr) *tensor = *chosen(graph.tensors, edit.value);
      return;
    }
    case 4: graph.version = edit.value % 2 == 0 ? "MindSpore Lite 1.0.1" : ""; return;
    default: graph.name.assign(edit.value, 'n');
  }
}

SharedBytes viewed(ByteView bytes) { return {std::make_shared<const int>(), bytes}; }

// One answer for each node of the graph, whatever they are.
void query(OH_NNModel* model, size_t nodes) {
  static const size_t cpu = device_of(OH_NN_CPU).value();
  const bool* supported = nullptr;
  uint32_t count = 0;
  const OH_NN_ReturnCode code = OH_NNModel_GetAvailableOperations(model, cpu, &supported, &count);
  NNRT_CHECK(code != OH_NN_SUCCESS || count == nodes, "An answer is missing.");
}

void build_lite_graph(LiteGraph* graph) {
  const import::ModelHandle model(OH_NNModel_Construct());
  const size_t nodes = graph->nodes.size();
  if (OH_NNModel_BuildFromLiteGraph(model.get(), graph, nullptr, 0) != OH_NN_SUCCESS)
    return free_graph(graph);
  query(model.get(), nodes);
}

void build_meta_graph(ByteView file, std::span<const Edit> edits) {
  const auto fixed = read_model_file(file, viewed);
  if (!is_model_file(file) || !fixed.ok()) return;
  const import::ModelHandle model(OH_NNModel_Construct());
  OH_NN_Extension extensions[2]{{"InputDims", nullptr, 0}, {"DynamicDims", nullptr, 0}};
  std::vector<int32_t> values(edits.size() + 1, -1);
  std::ranges::transform(edits, values.begin(), [](const Edit& edit) { return int32_t(int8_t(edit.value)); });
  for (OH_NN_Extension& extension : extensions) {
    extension.value = reinterpret_cast<char*>(values.data());
    extension.valueSize = values.size() * sizeof(int32_t);
  }
  if (OH_NNModel_BuildFromMetaGraph(model.get(), root_table(file), extensions, edits.size() % 3) ==
      OH_NN_SUCCESS)
    query(model.get(), fixed.value().nodes.size());
}

void run(ByteView input) {
  const size_t count = input.empty() ? 0 : size_t(input[0]) % 16;
  if (input.size() < 1 + count * kEditBytes + 8) return;
  std::vector<Edit> edits;
  for (size_t i = 0; i < count; ++i) {
    const auto byte = [&](size_t k) { return uint8_t(input[1 + i * kEditBytes + k]); };
    edits.push_back({byte(0), byte(1), byte(2), byte(3)});
  }
  const FencedBytes file(input.subspan(1 + count * kEditBytes));
  build_meta_graph(file.get(), edits);
  if (!is_loadable(file.get())) return;
  LiteGraph* graph = load_graph(file.get());
  for (const Edit& edit : edits) (edit.kind < 128 ? edit_node : edit_graph)(*graph, edit);
  build_lite_graph(graph);
}

}  // namespace
}  // namespace nnrt::test

FUZZ_TARGET(lite_graphs)(const uint8_t* data, size_t size) {
  nnrt::test::run(std::as_bytes(std::span(data, size)));
  return 0;
}
