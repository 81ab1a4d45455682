// NCHW networks run without a transpose per layer: the runtime transposes only at the edges.
#include "core/passes/normalize.h"
#include "tests/import/onnx/onnx_runs.h"
#include "tests/import/output_compare.h"
#include "tools/import/network/core_network.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::test {
namespace {

int64_t transposes(const Result<import::Network>& network) {
  EXPECT_TRUE(network.ok()) << message(network);
  if (!network.ok()) return -1;
  const GraphPtr graph = normalize(import::to_graph(network.value()).value());
  return std::ranges::count(graph->nodes, Op::transpose, &nnrt::Node::op);
}

// Nodes between two convolutions, from "a" to "b".
struct Between {
  const char* name;
  void (*add)(OnnxModel&);
  int64_t transposes = 2;  // one before, one after
};

void PrintTo(const Between& between, std::ostream* out) { *out << between.name; }

constexpr int64_t kChannels = 4, kHeight = 5, kWidth = 6;

template <int64_t... shape>
void add_constant(OnnxModel& model) {
  std::vector<float> values((shape * ... * 1));
  std::iota(values.begin(), values.end(), 1.0f);
  model.floats("k", {shape...}, values).node("Mul", {"a", "k"}, {"b"});
}

const Between kBetween[] = {
    {"Nothing", [](OnnxModel& model) { model.node("Identity", {"a"}, {"b"}); }},
    {"Residual",
     [](OnnxModel& model) {
       model.node("Tanh", {"a"}, {"c"}).node("Add", {"a", "c"}, {"b"});
     }},
    {"Scalar", add_constant<>},
    {"OneElement", add_constant<1>},
    {"Columns", add_constant<kWidth>},
    {"Channels", add_constant<kChannels, 1, 1>},
    {"ChannelsOfRank4", add_constant<1, kChannels, 1, 1>},
    {"Plane", add_constant<1, 1, kHeight, kWidth>},
    {"Full", add_constant<1, kChannels, kHeight, kWidth>},
    {"Concat",
     [](OnnxModel& model) {
       model.node("Tanh", {"a"}, {"c"}).node("Concat", {"a", "c"}, {"b"}).with("axis", -2);
     }},
    {"Split",
     [](OnnxModel& model) {
       model.integers("parts", {2, 4}).node("Split", {"a", "parts"}, {"c", "d"}).with("axis", 3);
       model.node("Concat", {"d", "c"}, {"b"}).with("axis", 3);
     }},
    {"Pad",
     [](OnnxModel& model) {
       model.integers("pads", {0, 0, 1, 2, 0, 0, 3, 4}).node("Pad", {"a", "pads"}, {"b"});
     }},
    {"PadEdge",
     [](OnnxModel& model) {
       model.integers("pads", {0, 0, 1, 2, 0, 0, 3, 4}).node("Pad", {"a", "pads"}, {"b"});
       model.with("mode", std::string("edge"));
     }},
    {"Mean",
     [](OnnxModel& model) {
       model.node("ReduceMean", {"a"}, {"c"}).with("axes", Dimensions{2, -1}).node("Mul", {"a", "c"}, {"b"});
     }},
    {"MeanOfRows",
     [](OnnxModel& model) {
       model.node("ReduceMean", {"a"}, {"c"}).with("axes", Dimensions{2}).node("Mul", {"a", "c"}, {"b"});
     }},
    {"Softmax", [](OnnxModel& model) { model.node("Softmax", {"a"}, {"b"}).with("axis", 1); }},
    {"Nearest",
     [](OnnxModel& model) {
       model.floats("s", {4}, {1, 1, 2, 3}).node("Resize", {"a", "", "s"}, {"b"});
     }},
    {"DepthToSpace",
     [](OnnxModel& model) {
       model.node("DepthToSpace", {"a"}, {"c"})
           .with("blocksize", 2)
           .node("Concat", {"c", "c", "c", "c"}, {"b"})
           .with("axis", 1);
     }},
    {"InstanceNormalization",
     [](OnnxModel& model) {
       model.floats("g", {kChannels}, {1, 2, 3, 4})
           .floats("h", {kChannels}, {4, 3, 2, 1})
           .node("InstanceNormalization", {"a", "g", "h"}, {"b"});
     }},
};

class OnnxLayout : public testing::TestWithParam<Between> {};

OnnxModel with_input(const std::string& name) {
  return OnnxModel().input(name, {1, kChannels, kHeight, kWidth});
}

// Between two identity convolutions.
Result<import::Network> between_convolutions(const Between& between) {
  OnnxModel model = with_input("x");
  std::vector<float> same(kChannels * kChannels, 0.0f);
  for (size_t i = 0; i < kChannels; ++i) same[i * (kChannels + 1)] = 1;
  model.floats("w", {kChannels, kChannels, 1, 1}, same).node("Conv", {"x", "w"}, {"a"});
  between.add(model);
  return model.node("Conv", {"b", "w"}).read();
}

Result<std::vector<Value>> run(const Result<import::Network>& network) {
  if (!network.ok()) return network.error();
  std::vector<float> values(kChannels * kHeight * kWidth);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  const Value input = value_of({1, kChannels, kHeight, kWidth}, values);
  const import::Shape shape = network.value().tensors[network.value().outputs[0]].shape;
  return run_on_cpu(network.value(), std::span(&input, 1), std::span(&shape, 1));
}

TEST_P(OnnxLayout, TurnsAtEdgesOnly) {
  EXPECT_EQ(transposes(between_convolutions(GetParam())), GetParam().transposes);
}

TEST_P(OnnxLayout, ComputesTheSame) {
  OnnxModel alone = with_input("a");
  GetParam().add(alone);
  const auto want = run(alone.output("b").read()).value(),
             got = run(between_convolutions(GetParam())).value();
  ASSERT_EQ(got[0].shape, want[0].shape);
  const auto got_numbers = as_numbers(OH_NN_FLOAT32, got[0].bytes),
             want_numbers = as_numbers(OH_NN_FLOAT32, want[0].bytes);
  EXPECT_EQ(compare(got_numbers, want_numbers, {{"abs", 1e-5}, {"rel", 1e-5}}).failure, "");
}

// Test name "Residual" instead of the bytes of the case.
std::string name_of(const testing::TestParamInfo<Between>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, OnnxLayout, testing::ValuesIn(kBetween), name_of);

TEST(OnnxLayoutOfMeans, DroppedPlaneNeedsNoTranspose) {
  OnnxModel model = with_input("x").floats("w", {1, kChannels, 1, 1}, {1, 2, 3, 4});
  model.node("Conv", {"x", "w"}, {"a"})
      .node("ReduceMean", {"a"})
      .with("axes", Dimensions{2, 3})
      .with("keepdims", 0);
  EXPECT_EQ(transposes(model.read()), 1);
}

}  // namespace
}  // namespace nnrt::test
