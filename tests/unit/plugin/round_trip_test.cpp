// Random nodes of every operator, converted to a driver's model and back: from attributes as structures, and
// as the bytes that two generations of OpenHarmony's code write.
#include "backends/plugin/hdi_to_graph.h"
#include "backends/plugin/hdi_to_model.h"
#include "backends/plugin/node_table.h"
#include "core/passes/normalize.h"
#include "core/platform/shared_memory.h"
#include "core/schema/schema.h"
#include "tests/support/attr_writer.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_node.h"
#include "tests/unit/plugin/attr_json.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::plugin {
namespace {

constexpr uint32_t kSeeds = 6;

// A model and the memory of its constants.
struct Sent {
  std::shared_ptr<SharedMemory> memory;
  hdi::Model model;
};
Sent send(const Graph& graph) {
  const ConstantPlan plan = plan_constants(graph);
  Sent sent;
  hdi::SharedBuffer buffer;
  if (plan.bytes > 0) {
    sent.memory = SharedMemory::create(plan.bytes).value();
    copy_constants(graph, plan, sent.memory->data());
    buffer = {sent.memory->fd(), uint32_t(plan.bytes), 0, 0};
  }
  sent.model = to_model(graph, plan, buffer, 1);
  return sent;
}

// The attributes as bytes alone, unless `enum_bytes` is 0.
hdi::Model with_bytes(hdi::Model model, size_t enum_bytes) {
  for (hdi::Node& node : model.nodes) {
    if (enum_bytes == 0) continue;
    node.nodeAttr = test::attr_bytes(node.attr, enum_bytes);
    node.attr = std::monostate();
  }
  return model;
}

void expect_same(const hdi::Model& got, const hdi::Model& want) {
  EXPECT_EQ(got.inputIndex, want.inputIndex);
  EXPECT_EQ(got.outputIndex, want.outputIndex);
  ASSERT_EQ(got.allTensors.size(), want.allTensors.size());
  for (size_t i = 0; i < got.allTensors.size(); ++i) {
    EXPECT_EQ(got.allTensors[i].name, want.allTensors[i].name);
    EXPECT_EQ(got.allTensors[i].dataType, want.allTensors[i].dataType);
    EXPECT_EQ(got.allTensors[i].dims, want.allTensors[i].dims);
    EXPECT_EQ(got.allTensors[i].data.offset, want.allTensors[i].data.offset);
    EXPECT_EQ(got.allTensors[i].data.dataSize, want.allTensors[i].data.dataSize);
    EXPECT_EQ(got.allTensors[i].quantParams.size(), want.allTensors[i].quantParams.size());
  }
  ASSERT_EQ(got.nodes.size(), want.nodes.size());
  for (size_t i = 0; i < got.nodes.size(); ++i) {
    EXPECT_EQ(got.nodes[i].nodeType, want.nodes[i].nodeType);
    EXPECT_EQ(got.nodes[i].inputIndex, want.nodes[i].inputIndex);
    EXPECT_EQ(got.nodes[i].outputIndex, want.nodes[i].outputIndex);
    EXPECT_EQ(got.nodes[i].quantType, want.nodes[i].quantType);
    EXPECT_EQ(hdi::json_of(got.nodes[i].attr), hdi::json_of(want.nodes[i].attr));
  }
}

// A convolution with one group per channel comes back as the equivalent depthwise one.
bool is_same_operator(Op got, Op want) {
  return got == want || (got == Op::depthwise_conv2d_native && want == Op::conv2d) ||
         (got == Op::conv2d && want == Op::depthwise_conv2d_native);
}

// Values that a driver cannot tell from what upstream sends if the client set none.
bool may_be_ambiguous(const hdi::Model& model) {
  return std::ranges::any_of(model.nodes, [](const hdi::Node& node) {
    if (const auto* top_k = std::get_if<hdi::TopKFusion>(&node.attr)) return top_k->axis == 0;
    const auto* lrn = std::get_if<hdi::LRN>(&node.attr);
    return lrn != nullptr && (lrn->alpha == 0 || lrn->beta == 0 || lrn->bias == 0);
  });
}

class RoundTrip : public testing::TestWithParam<NodeRow> {};

TEST_P(RoundTrip, GivesTheSameModel) {
  size_t refused = 0;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const test::RandomNode node = test::valid_node(GetParam().op, seed, refused);
    SCOPED_TRACE(test::describe(node));
    const GraphPtr graph = normalize(test::graph_of(node).value());
    const Sent sent = send(*graph);
    for (const size_t enum_bytes : {0, 4, 8}) {
      const auto back = to_graph(with_bytes(sent.model, enum_bytes));
      ASSERT_TRUE(back.ok()) << back.error().message;
      const bool is_refused =
          std::ranges::any_of(back.value().refusals, [](const auto& refusal) { return refusal.has_value(); });
      ASSERT_TRUE(!is_refused || may_be_ambiguous(sent.model));
      if (is_refused) continue;
      const Graph& got = *back.value().graph;
      ASSERT_EQ(got.nodes.size(), graph->nodes.size());
      for (size_t i = 0; i < graph->nodes.size(); ++i) {
        EXPECT_TRUE(is_same_operator(got.nodes[i].op, graph->nodes[i].op));
        // Formats are not sent, so NCHW rules do not apply there.
      }
      const Sent again = send(got);
      expect_same(again.model, sent.model);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, RoundTrip, testing::ValuesIn(all_rows().begin(), all_rows().end()),
                         [](const auto& test) { return std::string(short_name(test.param.op)); });

}  // namespace
}  // namespace nnrt::plugin
