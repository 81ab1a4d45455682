// Restoring graphs whose constants are not in memory: a node that reads one that nobody read crashes.
#include "backends/cpu/base/kernel.h"
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/normalize.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/random/random_node.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace nnrt::test {
namespace {

SharedBytes deferred_copy(const SharedBytes& data) {
  return deferred_bytes(data->size(), data->size(), [data](std::span<std::byte> to) -> Status {
    std::ranges::copy(*data, to.begin());
    return {};
  });
}

bool is_value(const Graph& graph, TensorId id) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    const std::vector<InputRow>& rows = schema(node.op).inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] == id && rows[std::min(i, rows.size() - 1)].value) return true;
    return false;
  });
}

// The graph with deferred copies of all constants but those that shape inference reads.
GraphPtr deferred(const Graph& graph) {
  auto copy = std::make_shared<Graph>(graph);
  for (TensorId id = 0; id < copy->tensors.size(); ++id) {
    Tensor& tensor = copy->tensors[id];
    if (tensor.is_constant() && !tensor.data->empty() && tensor.role == 0 && !is_value(graph, id))
      tensor.data = deferred_copy(tensor.data);
  }
  return copy;
}

size_t unread(const Graph& graph) {
  return size_t(std::ranges::count_if(graph.tensors, [](const Tensor& t) { return is_deferred(t.data); }));
}

std::vector<Bytes> outputs_of(PreparedModel& model, const RandomNode& node, size_t count) {
  std::vector<TensorView> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].is_constant()) continue;
    inputs.push_back(empty_view(std::max<size_t>(node.contents[i].size(), 1), node.inputs[i].shape));
    inputs.back().bytes = node.contents[i].size();
    if (!node.contents[i].empty())
      std::memcpy(inputs.back().data(), node.contents[i].data(), node.contents[i].size());
  }
  std::vector<OutputSlot> slots(count, OutputSlot{{}, true});
  const Status status = model.run(inputs, slots, {});
  if (!status.ok()) return {};
  std::vector<Bytes> outputs;
  for (const OutputSlot& slot : slots)
    outputs.emplace_back(slot.view.data(), slot.view.data() + std::min<size_t>(slot.view.bytes, 64));
  return outputs;
}

// Returns the number of constants that were not read.
size_t check(Op op, uint32_t seed) {
  size_t refused = 0;
  const RandomNode node = valid_node(op, seed, refused);
  const auto drawn = graph_of(node);
  if (!drawn.ok()) return 0;
  const GraphPtr graph = normalize(drawn.value()), later = deferred(*graph);
  const auto device = cpu::make_device();
  const auto prepared = device->prepare(graph, {});
  if (!prepared.ok()) return 0;
  const Bytes cached = prepared.value()->export_cache(graph).value();
  const auto restored = device->restore(later, {}, in_pages(cached)).value();
  EXPECT_EQ(restored->export_cache(graph).value(), cached);
  const size_t outputs = graph->outputs.size();
  EXPECT_EQ(outputs_of(*restored, node, outputs), outputs_of(*prepared.value(), node, outputs));
  return unread(*later);
}

TEST(DeferredRestore, ReadsConstantsOfEveryKernel) {
  size_t operators = 0, unread = 0;
  for (const Op op : kOperators) {
    if (cpu::prepack_kernel(op) == nullptr) continue;
    ++operators;
    for (uint32_t seed = 0; seed < 3000; seed += 100) {
      SCOPED_TRACE(cat(name(op), " ", seed));
      unread += check(op, seed);
    }
  }
  EXPECT_GE(operators, 6u);
  EXPECT_GE(unread, 10u);
}

TEST(DeferredRestore, ReadsConstantsOfEveryImplementation) {
  for (const Op op : {Op::conv2d, Op::depthwise_conv2d_native, Op::matmul, Op::full_connection}) {
    for_each_implementation(op, [op] {
      for (uint32_t seed = 0; seed < 400; seed += 100) check(op, seed);
    });
  }
}

}  // namespace
}  // namespace nnrt::test
