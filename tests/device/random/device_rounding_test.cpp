// Client CASTs next to kernels that read and write floats give the same bits as unfused CASTs.
#include "backends/vulkan/passes/fp16_pass.h"
#include "core/base/bytes_of.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/schema/validate.h"
#include "tests/device/device_fixture.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/random/random_node.h"
#include "tests/support/test_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>

namespace nnrt::test {
namespace {

bool casts_between_floats(const Graph& graph, const Node& node) {
  if (node.op != Op::cast) return false;
  const DType from = graph.tensors[node.inputs[0]].dtype, to = graph.tensors[node.outputs[0]].dtype;
  return (from == DType::f32 && to == DType::f16) || (from == DType::f16 && to == DType::f32);
}

// Gives the fp16 side of each CAST another reader, so that no CAST can be elided.
GraphPtr with_casts_kept(const Graph& graph, size_t& casts) {
  auto kept = std::make_shared<Graph>(graph);
  for (const Node& node : graph.nodes) {
    if (!casts_between_floats(graph, node)) continue;
    ++casts;
    const bool is_to_fp16 = graph.tensors[node.outputs[0]].dtype == DType::f16;
    const TensorId fp16 = is_to_fp16 ? node.outputs[0] : node.inputs[0];
    const bool is_known = std::ranges::find(kept->outputs, fp16) != kept->outputs.end() ||
                          std::ranges::find(kept->inputs, fp16) != kept->inputs.end();
    if (!is_known && !graph.tensors[fp16].is_constant()) kept->outputs.push_back(fp16);
  }
  return kept;
}

// Any NaN matches any other.
bool agree(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

std::optional<std::string> first_difference(DType dtype, const Bytes& got, const Bytes& want) {
  if (dtype != DType::f32) return got == want ? std::nullopt : std::optional<std::string>("Bytes differ.");
  for (size_t i = 0; i < want.size() / sizeof(float); ++i) {
    float a, b;
    std::memcpy(&a, got.data() + i * sizeof a, sizeof a);
    std::memcpy(&b, want.data() + i * sizeof b, sizeof b);
    if (!agree(a, b)) return cat("Element ", i, " is ", a, ", not ", b, ".");
  }
  return std::nullopt;
}

class Rounding : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    plan_ = plan_with(GetParam());
    device_ = shared_device(GetParam(), plan_);
  }

  // Returns the graph's number of CASTs.
  size_t compare(const GraphPtr& graph, const std::vector<Bytes>& fed) {
    if (first_refusal(*device_, *graph)) return 0;
    size_t casts = 0;
    const GraphPtr kept = with_casts_kept(*graph, casts);
    if (casts == 0) return 0;
    Random random(3);
    const auto got = run_guarded(*device_, graph, fed, random, false);
    const auto want = run_guarded(*device_, kept, fed, random, false);
    EXPECT_TRUE(want.ok()) << (want.ok() ? "" : want.error().message);
    EXPECT_TRUE(got.ok()) << (got.ok() ? "" : got.error().message);
    if (!want.ok() || !got.ok()) return 0;
    for (size_t i = 0; i < graph->outputs.size(); ++i) {
      const auto wrong =
          first_difference(graph->tensors[graph->outputs[i]].dtype, got.value()[i], want.value()[i]);
      EXPECT_FALSE(wrong) << "Output " << i << ": " << *wrong;
    }
    return casts;
  }

  vulkan::DevicePlan plan_;
  std::shared_ptr<Device> device_;
};

constexpr const char* kWays[] = {"+fp16_storage,-texel_buffer,-subgroup_tile,+gemm",
                                 "+fp16_storage,+shared_memory_tile,+gemm,+depthwise",
                                 "+fp16_storage,+khr_cooperative_matrix,+cooperative_matrix_emulated,+gemm"};
INSTANTIATE_TEST_SUITE_P(Floats, Rounding, testing::ValuesIn(kWays),
                         [](const testing::TestParamInfo<const char*>& given) {
                           return cat("way_", given.index);
                         });

// Runs fp16_pass output as if it were a client's graph.
TEST_P(Rounding, MatchesCastsInRandomGraphs) {
  size_t casts = 0;
  for (uint32_t seed = 1; seed <= draws(60); ++seed) {
    const RandomGraph drawn = draw_graph(seed);
    SCOPED_TRACE(drawn.description);
    const GraphPtr normal = normalize(drawn.graph);
    if (first_refusal(*device_, *normal)) continue;
    auto graph = std::make_shared<Graph>(vulkan::with_fp16(*normal, plan_));
    for (Tensor& tensor : graph->tensors) tensor.name.clear();
    casts += compare(graph, drawn.fed);
  }
  EXPECT_GT(casts, 20u);
}

// Values between fp16 values, including subnormal and out-of-range ones.
void put_between(Bytes& floats, Random& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array kSpecial{
      65519.9f, 65520.0f, 1e6f,          -kInfinity, 0x1p-24f,
      0x1p-25f, 0x3p-25f, -0x1.ffep-15f, 1e-40f,     std::numeric_limits<float>::quiet_NaN()};
  const bool has_special = random.one_in(3);
  for (size_t at = 0; at < floats.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, floats.data() + at, sizeof value);
    value *= random.of<float>({1, 1 + 0x1p-11f, 1 - 0x1p-12f, 1 + 0x3p-11f, 1 + 0x1p-13f});
    if (has_special && random.one_in(8)) value = kSpecial[random.below(kSpecial.size())];
    std::memcpy(floats.data() + at, &value, sizeof value);
  }
}

// Wraps the node in client CASTs, before each fp16 operand and after each result.
GraphPtr between_casts(const Graph& alone, std::vector<Bytes>& fed, Random& random) {
  auto graph = std::make_shared<Graph>(alone);
  const auto add = [&](Tensor tensor, Shape shape) {
    graph->tensors.push_back(std::move(tensor));
    graph->shapes.push_back(std::move(shape));
    return TensorId(graph->tensors.size() - 1);
  };
  const auto as_float = [&](TensorId id) {
    Tensor tensor = graph->tensors[id];
    tensor.dtype = DType::f32;
    return add(std::move(tensor), Shape(graph->shapes[id]));
  };
  const auto cast = [&](TensorId from, TensorId to) {
    Tensor type{"", DType::i32, Format::none, {1}, {}, 0, {}};
    const auto code = int32_t(graph->tensors[to].dtype);
    type.data = std::make_shared<const Bytes>(bytes_of(std::span(&code, 1)));
    Node node;
    node.op = Op::cast;
    node.attrs = default_attrs(schema(Op::cast));
    node.inputs = {from, add(std::move(type), {1})};
    node.outputs = {to};
    return node;
  };
  std::vector<Node> nodes;
  for (size_t i = 0; i < graph->inputs.size(); ++i) {
    const TensorId fp16 = graph->inputs[i];
    if (graph->tensors[fp16].dtype != DType::f16) continue;
    graph->inputs[i] = as_float(fp16);
    nodes.push_back(cast(graph->inputs[i], fp16));
    Bytes floats(fed[i].size() * 2);
    for (size_t k = 0; k < fed[i].size() / sizeof(Half); ++k) {
      Half half;
      std::memcpy(&half, fed[i].data() + k * sizeof half, sizeof half);
      const float value = to_float(half);
      std::memcpy(floats.data() + k * sizeof value, &value, sizeof value);
    }
    put_between(floats, random);
    fed[i] = std::move(floats);
  }
  nodes.insert(nodes.end(), graph->nodes.begin(), graph->nodes.end());
  for (TensorId& output : graph->outputs) {
    if (graph->tensors[output].dtype != DType::f16) continue;
    const TensorId fp16 = output;
    output = as_float(fp16);
    nodes.push_back(cast(fp16, output));
  }
  graph->nodes = std::move(nodes);
  for (uint32_t i = 0; i < graph->nodes.size(); ++i) graph->nodes[i].position = i;
  return graph;
}

// The kernels differ only in linear algebra, so only the first way covers the other operators.
TEST_P(Rounding, MatchesCastsForEachOperator) {
  const bool only_linear = GetParam() != kWays[0];
  const uint32_t nodes = only_linear ? draws(32) : draws(8);
  size_t casts = 0, redrawn = 0;
  for (const Op op : kOperators) {
    if (op == Op::assert_ || op == Op::cast) continue;
    if (only_linear && schema(op).family != Family::gemm_conv) continue;
    uint32_t found = 0;
    for (uint32_t seed = 1; seed <= 3 * nodes && found < nodes; ++seed) {
      const RandomNode node = valid_node(op, seed, redrawn);
      const GraphPtr alone = graph_of(node).value();
      const auto is_fp16 = [&](TensorId id) { return alone->tensors[id].dtype == DType::f16; };
      if (!std::ranges::any_of(alone->inputs, is_fp16)) continue;
      std::vector<Bytes> fed;
      for (size_t i = 0; i < node.inputs.size(); ++i)
        if (!node.inputs[i].is_constant()) fed.push_back(node.contents[i]);
      if (fed.size() != alone->inputs.size()) continue;
      ++found;
      SCOPED_TRACE(describe(node));
      Random random(seed);
      const GraphPtr normal = normalize(alone);
      casts += compare(between_casts(*normal, fed, random), fed);
    }
  }
  std::cout << casts << " casts.\n";
  EXPECT_GT(casts, 100u);
}

}  // namespace
}  // namespace nnrt::test
