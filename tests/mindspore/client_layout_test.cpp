// Graphs of clients with another C++ library, whose strings have another size.
#include "mindspore/lite_graph/client_layout.h"

#include "tests/mindspore/lite_graph_maker.h"
#include "tests/mindspore/small_model.h"
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <cstring>
#include <new>

namespace nnrt::test {
namespace {

using mindspore::ClientLibrary;
using mindspore::GraphLayout;

template <typename T>
void store(void* object, size_t offset, T value) {
  std::memcpy(static_cast<std::byte*>(object) + offset, &value, sizeof value);
}

// A std::vector that owns a copy of the values.
template <typename T>
void store_vector(void* object, size_t offset, const std::vector<T>& values) {
  const size_t bytes = values.size() * sizeof(T);
  auto* const begin = bytes == 0 ? nullptr : static_cast<std::byte*>(::operator new(bytes));
  if (bytes > 0) std::memcpy(begin, values.data(), bytes);
  store(object, offset, begin);
  store(object, offset + 8, begin + bytes);
  store(object, offset + 16, begin + bytes);
}

// A text too long to be in place.
void store_text(void* object, size_t offset, ClientLibrary library, const std::string& text) {
  const size_t header = library == ClientLibrary::libstdcxx_old ? 24 : 0;
  auto* const block = static_cast<std::byte*>(::operator new(header + text.size() + 1));
  std::memcpy(block + header, text.c_str(), text.size() + 1);
  if (library == ClientLibrary::libcxx) {
    store(object, offset, (text.size() + 1) | 1);
    store(object, offset + 8, text.size());
    return store(object, offset + 16, block);
  }
  store(block, 0, text.size());  // length, capacity, and a count of 0 other owners
  store(block, 8, text.size());
  store(block, 16, size_t{0});
  store(object, offset, block + header);
}

void* new_object(size_t bytes) { return std::memset(::operator new(bytes), 0, bytes); }

void* copied_node(const LiteNode& node, const GraphLayout& layout) {
  void* const made = new_object(layout.node_bytes());
  for (const size_t text : {size_t{0}, layout.text})
    store_text(made, text, layout.library, "a name that is not short at all");
  store(made, layout.node_primitive(), node.primitive);
  store_vector(made, layout.node_inputs(), node.inputs);
  store_vector(made, layout.node_outputs(), node.outputs);
  return made;
}

void* copied_subgraph(const GraphLayout& layout) {
  void* const made = new_object(layout.subgraph_bytes());
  store_text(made, 0, layout.library, "the only graph, with a long name");
  for (size_t i = 0; i < 4; ++i)
    store_vector(made, layout.subgraph_vector(i), std::vector<uint32_t>{1, 2, 3});
  return made;
}

void* copied_graph(const LiteGraph& graph, const GraphLayout& layout) {
  void* const made = new_object(layout.graph_bytes());
  for (const size_t text : {size_t{0}, layout.text})
    store_text(made, text, layout.library, "MindSpore Lite 2.2.0.20231010 of a client");
  store_vector(made, layout.graph_inputs(), graph.inputs);
  store_vector(made, layout.graph_outputs(), graph.outputs);
  store_vector(made, layout.graph_tensors(), graph.tensors);
  std::vector<void*> nodes;
  for (const LiteNode* node : graph.nodes) nodes.push_back(copied_node(*node, layout));
  store_vector(made, layout.graph_nodes(), nodes);
  store_vector(made, layout.graph_subgraphs(), std::vector<void*>{copied_subgraph(layout)});
  return made;
}

class ClientLayout : public testing::TestWithParam<size_t> {};

// Sanitizers see whether the objects are freed once.
TEST_P(ClientLayout, IsRecognizedAndFreed) {
  const GraphLayout& layout = mindspore::kLayouts[GetParam()];
  const std::vector<std::byte> file = small_model();
  LiteGraph* const original = load_graph(file);
  void* const graph = copied_graph(*original, layout);
  free_graph(original);
  const auto found = mindspore::layout_of(graph);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, layout.text);
  const api_tests::Model model(OH_NNModel_Construct());
  ASSERT_EQ(OH_NNModel_BuildFromLiteGraph(model.get(), graph, nullptr, 0), OH_NN_SUCCESS);
  const api_tests::Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(OfOtherLibraries, ClientLayout, testing::Values(0, 1));

}  // namespace
}  // namespace nnrt::test
