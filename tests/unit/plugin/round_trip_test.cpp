// Random nodes of every operator, converted to a driver's model and back.
#include "backends/plugin/hdi_to_model.h"
#include "backends/plugin/node_table.h"
#include "core/passes/normalize.h"
#include "core/platform/shared_memory.h"
#include "core/schema/schema.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_node.h"
#include "tests/unit/plugin/attr_json.h"
#include "tests/unit/plugin/hdi_from_model.h"

#include <gtest/gtest.h>

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

class RoundTrip : public testing::TestWithParam<NodeRow> {};

TEST_P(RoundTrip, GivesTheSameModel) {
  size_t refused = 0;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const test::RandomNode node = test::valid_node(GetParam().op, seed, refused);
    SCOPED_TRACE(test::describe(node));
    const GraphPtr graph = normalize(test::graph_of(node).value());
    const Sent sent = send(*graph);
    const auto back = to_graph(sent.model);
    ASSERT_TRUE(back.ok()) << back.error().message;
    ASSERT_EQ(back.value().nodes.size(), graph->nodes.size());
    for (size_t i = 0; i < graph->nodes.size(); ++i) {
      EXPECT_TRUE(is_same_operator(back.value().nodes[i].op, graph->nodes[i].op));
      // Formats are not sent, so NCHW rules do not apply there.
    }
    const Sent again = send(back.value());
    expect_same(again.model, sent.model);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, RoundTrip, testing::ValuesIn(all_rows().begin(), all_rows().end()),
                         [](const auto& test) { return std::string(short_name(test.param.op)); });

}  // namespace
}  // namespace nnrt::plugin
