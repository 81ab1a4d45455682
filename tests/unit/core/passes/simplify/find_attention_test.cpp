// Attention written out by exporters becomes one operator if that is equivalent.
#include "backends/cpu/engine/cpu_device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/prepare_model.h"
#include "tests/support/tensor_views.h"
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <cmath>
#include <limits>
#include <optional>

namespace nnrt {
namespace {

using test::GraphMaker;
using test::text_of;

constexpr int kTransposeB = 34, kSoftmaxZeroNan = 1080, kBroadcastShape = 87;
const Shape kQuery{2, 6, 5, 8}, kKey{2, 6, 7, 8}, kValue{2, 6, 7, 4}, kProducts{2, 6, 5, 7},
    kResult{2, 6, 5, 4};

// Optional parts, and shapes that deviate from those above.
struct Parts {
  std::optional<float> scale = 0.25f;
  std::optional<Shape> mask = {};
  bool zero_nan = false;
  Shape query = kQuery, key = kKey, value = kValue, products = kProducts, result = kResult;
};

TensorId transposed_product(GraphMaker& make, TensorId a, TensorId b, Shape shape) {
  return make.op(Op::matmul, {a, b}, std::move(shape),
                 {make.parameter<uint8_t>(kTransposeB, DType::boolean, {1})});
}

TensorId weighed(GraphMaker& make, TensorId products, TensorId value, const Parts& parts) {
  if (parts.scale) products = make.op(Op::mul, {products, make.floats({}, {*parts.scale})}, parts.products);
  if (parts.mask) products = make.op(Op::add, {products, make.input(*parts.mask)}, parts.products);
  std::vector<TensorId> parameters;
  if (parts.zero_nan) parameters.push_back(make.parameter<uint8_t>(kSoftmaxZeroNan, DType::boolean, {1}));
  const TensorId weights = make.op(Op::softmax, {products}, parts.products, parameters);
  return make.op(Op::matmul, {weights, value}, parts.result);
}

Graph attention_of(const Parts& parts) {
  GraphMaker make;
  const TensorId query = make.input(parts.query), key = make.input(parts.key),
                 value = make.input(parts.value);
  const TensorId products = transposed_product(make, query, key, parts.products);
  return simplify(*make.finish({weighed(make, products, value, parts)}));
}

TEST(FindAttention, FindsItsParts) {
  const Graph graph = attention_of({});
  ASSERT_EQ(text_of(graph), "ATTENTION");
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.inputs, graph.inputs);
  EXPECT_FLOAT_EQ(float(node.attrs.real(Attr::scale)), 0.25f);
  EXPECT_EQ(node.attrs.integer(Attr::causal), 0);
  EXPECT_FALSE(node.attrs.flag(Attr::zero_nan));
}

TEST(FindAttention, KeepsMaskAndNanHandling) {
  const Graph graph = attention_of({.mask = Shape{2, 1, 1, 7}, .zero_nan = true});
  ASSERT_EQ(text_of(graph), "ATTENTION");
  EXPECT_EQ(graph.nodes[0].inputs.size(), 4u);
  EXPECT_TRUE(graph.nodes[0].attrs.flag(Attr::zero_nan));
}

// WHERE masks the products before the softmax.
GraphPtr chosen_graph(float hidden, bool hides) {
  GraphMaker make;
  const TensorId query = make.input(kQuery), key = make.input(kKey), value = make.input(kValue),
                 shown = make.input({1, 1, 5, 7}, DType::boolean);
  const TensorId products = transposed_product(make, query, key, kProducts);
  std::vector<TensorId> inputs{shown, products, make.floats({1}, {hidden})};
  if (hides) std::swap(inputs[1], inputs[2]);
  const TensorId masked = make.op(Op::where, inputs, kProducts);
  return make.finish({weighed(make, masked, value, {.scale = {}})});
}
Graph chosen_attention(float hidden, bool hides) { return simplify(*chosen_graph(hidden, hides)); }

// The result if the first row of the mask hides all keys, and the others some.
std::vector<float> results_of(const GraphPtr& graph, bool hides) {
  std::vector<TensorView> inputs;
  for (size_t i = 0; i < 3; ++i) {
    const Shape& shape = graph->shapes[graph->inputs[i]];
    std::vector<float> values(size_t(*element_count(shape)));
    for (size_t k = 0; k < values.size(); ++k) values[k] = float((k * 7 + i * 3) % 11) / 8 - 0.5f;
    inputs.push_back(test::view_of(shape, values));
  }
  std::vector<uint8_t> mask(35);
  for (size_t k = 0; k < mask.size(); ++k) mask[k] = (k >= 7 && k % 3 != 0) == hides ? 0 : 1;
  inputs.push_back(test::view_of({1, 1, 5, 7}, mask));
  const auto model = test::prepare(*cpu::make_device(), graph);
  TensorView output = test::empty_view(2 * 6 * 5 * 4 * sizeof(float), kResult);
  EXPECT_TRUE(test::run(*model, inputs, output).ok());
  return test::values_of<float>(output);
}

TEST(FindAttention, MatchesPatternWithWhereMask) {
  for (const float hidden : {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::lowest()}) {
    for (const bool hides : {false, true}) {
      const GraphPtr graph = chosen_graph(hidden, hides);
      const std::vector<float> whole = results_of(graph, hides);
      const test::KernelsVariable parts("-find_attention");
      const std::vector<float> wanted = results_of(graph, hides);
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (std::isnan(wanted[i])) {
          EXPECT_TRUE(std::isnan(whole[i])) << i;
        } else {
          EXPECT_NEAR(whole[i], wanted[i], 1e-5) << i;
        }
      }
    }
  }
}

TEST(FindAttention, AcceptsBooleanMasks) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(text_of(chosen_attention(-infinity, false)), "ATTENTION");
  EXPECT_EQ(text_of(chosen_attention(-infinity, true)), "LOGICAL_NOT ATTENTION");
  EXPECT_EQ(text_of(chosen_attention(infinity, false)), "MATMUL WHERE SOFTMAX MATMUL");
}

// Fully masked rows become means, which a boolean mask cannot express.
TEST(FindAttention, TurnsLowestIntoAdditiveMask) {
  const float lowest = std::numeric_limits<float>::lowest();
  const Graph graph = chosen_attention(lowest, true);
  ASSERT_EQ(text_of(graph), "WHERE ATTENTION");
  EXPECT_EQ(test::floats_of(graph, graph.nodes[0].inputs[1]), std::vector<float>{lowest});
  EXPECT_EQ(test::floats_of(graph, graph.nodes[0].inputs[2]), std::vector<float>{0});
  EXPECT_EQ(text_of(chosen_attention(lowest, false)), "WHERE ATTENTION");
  EXPECT_EQ(text_of(chosen_attention(-1e9f, false)), "MATMUL WHERE SOFTMAX MATMUL");
}

// Heads of a single batch, without a batch dimension.
Parts parts_of_heads(int64_t queries, int64_t keys, std::optional<Shape> mask = {}) {
  return {.mask = std::move(mask),
          .query = {6, queries, 8},
          .key = {6, keys, 8},
          .value = {6, keys, 4},
          .products = {6, queries, keys},
          .result = {6, queries, 4}};
}

TEST(FindAttention, FindsHeadsWithoutBatches) {
  for (const auto& mask : {std::optional<Shape>(), {{5, 7}}, {{6, 1, 7}}, {{1, 5, 7}}}) {
    const Graph graph = attention_of(parts_of_heads(5, 7, mask));
    ASSERT_EQ(text_of(graph), "RESHAPE RESHAPE RESHAPE ATTENTION RESHAPE");
    const Node& node = graph.nodes[3];
    EXPECT_EQ(graph.shapes[node.inputs[0]], (Shape{1, 6, 5, 8}));
    EXPECT_EQ(graph.shapes[node.inputs[1]], (Shape{1, 6, 7, 8}));
    EXPECT_EQ(graph.shapes[node.inputs[2]], (Shape{1, 6, 7, 4}));
    EXPECT_EQ(graph.shapes[node.outputs[0]], (Shape{1, 6, 5, 4}));
    EXPECT_EQ(graph.shapes[graph.outputs[0]], (Shape{6, 5, 4}));
    if (mask) {
      EXPECT_EQ(graph.shapes[node.inputs[3]], *mask);
    }
  }
}

TEST(FindAttention, MatchesDynamicLengthsWithoutBatch) {
  EXPECT_EQ(text_of(attention_of(parts_of_heads(-1, -1))), "RESHAPE RESHAPE RESHAPE ATTENTION RESHAPE");
  EXPECT_EQ(text_of(attention_of(parts_of_heads(-1, -1, Shape{-1, -1}))), "MATMUL MUL ADD SOFTMAX MATMUL");
  Parts parts = parts_of_heads(-1, -1);
  parts.query[2] = parts.key[2] = -1;
  EXPECT_EQ(text_of(attention_of(parts)), "MATMUL MUL SOFTMAX MATMUL");
}

TEST(FindAttention, KeepsMatricesAndMoreDimensions) {
  EXPECT_EQ(text_of(attention_of(
                {.query = {5, 8}, .key = {7, 8}, .value = {7, 4}, .products = {5, 7}, .result = {5, 4}})),
            "MATMUL MUL SOFTMAX MATMUL");
  EXPECT_EQ(text_of(attention_of({.query = {2, 3, 2, 5, 8},
                                  .key = {2, 3, 2, 7, 8},
                                  .value = {2, 3, 2, 7, 4},
                                  .products = {2, 3, 2, 5, 7},
                                  .result = {2, 3, 2, 5, 4}})),
            "MATMUL MUL SOFTMAX MATMUL");
}

// Random numbers of heads, queries and keys.
TEST(FindAttention, MatchesPatternWithoutBatch) {
  uint32_t state = 9;
  const auto below = [&](uint32_t count) {
    state = state * 1664525 + 1013904223;
    return int64_t(state >> 8) % count;
  };
  for (int round = 0; round < 12; ++round) {
    const int64_t heads = 1 + below(4), queries = 1 + below(9), keys = 1 + below(9), size = 1 + below(9),
                  value_size = 1 + below(9);
    Parts parts{.query = {heads, queries, size},
                .key = {heads, keys, size},
                .value = {heads, keys, value_size},
                .products = {heads, queries, keys},
                .result = {heads, queries, value_size}};
    if (round % 3 > 0) parts.mask = round % 3 == 1 ? Shape{queries, keys} : Shape{heads, 1, keys};
    GraphMaker make;
    const TensorId query = make.input(parts.query), key = make.input(parts.key),
                   value = make.input(parts.value);
    const TensorId products = transposed_product(make, query, key, parts.products);
    const GraphPtr graph = make.finish({weighed(make, products, value, parts)});
    std::vector<std::vector<float>> fed;
    std::vector<TensorView> inputs;
    for (const TensorId id : graph->inputs) {
      fed.emplace_back(size_t(*element_count(graph->shapes[id])));
      for (float& number : fed.back()) number = float(below(64)) / 16 - 2;
    }
    for (size_t i = 0; i < fed.size(); ++i)
      inputs.push_back(test::view_of(graph->shapes[graph->inputs[i]], fed[i]));
    const auto result = [&] {
      const auto model = test::prepare(*cpu::make_device(), graph);
      TensorView output =
          test::empty_view(size_t(heads * queries * value_size) * sizeof(float), parts.result);
      EXPECT_TRUE(test::run(*model, inputs, output).ok());
      return test::values_of<float>(output);
    };
    const std::vector<float> whole = result();
    const test::KernelsVariable apart("-find_attention");
    const std::vector<float> wanted = result();
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(whole[i], wanted[i], 1e-5) << round << " " << i;
  }
}

TEST(FindAttention, DefaultsToUnitScale) {
  const Graph graph = attention_of({.scale = {}});
  ASSERT_EQ(text_of(graph), "ATTENTION");
  EXPECT_EQ(graph.nodes[0].attrs.real(Attr::scale), 1);
}

// Numbers of queries and keys, and optionally batches, only known at run time.
Parts open_parts(int64_t batch, std::optional<Shape> mask) {
  return {.mask = std::move(mask),
          .query = {batch, 6, -1, 8},
          .key = {batch, 6, -1, 8},
          .value = {batch, 6, -1, 4},
          .products = {batch, 6, -1, -1},
          .result = {batch, 6, -1, 4}};
}

TEST(FindAttention, TakesOpenNumbersOfQueriesAndKeys) {
  EXPECT_EQ(text_of(attention_of(open_parts(2, {}))), "ATTENTION");
  EXPECT_EQ(text_of(attention_of(open_parts(2, Shape{2, 1, 1, 1}))), "ATTENTION");
}

TEST(FindAttention, KeepsPossibleBroadcasts) {
  EXPECT_EQ(text_of(attention_of(open_parts(-1, {}))), "MATMUL MUL SOFTMAX MATMUL");
  EXPECT_EQ(text_of(attention_of(open_parts(2, Shape{2, 1, -1, 1}))), "MATMUL MUL ADD SOFTMAX MATMUL");
}

TEST(FindAttention, MultipliesTheScalesOfAllOperands) {
  GraphMaker make;
  const TensorId query = make.op(Op::mul, {make.input(kQuery), make.floats({1}, {0.5f})}, kQuery);
  const TensorId key = make.op(Op::mul, {make.floats({1}, {0.25f}), make.input(kKey)}, kKey);
  const TensorId products = transposed_product(make, query, key, kProducts);
  const TensorId divided = make.op(Op::div, {products, make.floats({}, {2})}, kProducts);
  const Graph graph = simplify(*make.finish({weighed(make, divided, make.input(kValue), {.scale = {}})}));
  ASSERT_EQ(text_of(graph), "ATTENTION");
  EXPECT_FLOAT_EQ(float(graph.nodes[0].attrs.real(Attr::scale)), 0.0625f);
}

// Keys as [.., length, number], by a transpose of `shape`.
Graph with_transposed_keys(Shape shape, const std::vector<int32_t>& order) {
  GraphMaker make;
  const TensorId query = make.input(kQuery);
  const TensorId key = make.op(Op::transpose, {make.input(std::move(shape)), make.ints(order)}, {2, 6, 8, 7});
  const TensorId products = make.op(Op::matmul, {query, key}, kProducts);
  return simplify(*make.finish({weighed(make, products, make.input(kValue), {})}));
}

TEST(FindAttention, ReadsTransposedKeysInPlace) {
  EXPECT_EQ(text_of(with_transposed_keys(kKey, {0, 1, 3, 2})), "ATTENTION");
}

TEST(FindAttention, TransposesKeysOfOtherOrdersOnce) {
  const Graph graph = with_transposed_keys({2, 7, 6, 8}, {0, 2, 3, 1});
  ASSERT_EQ(text_of(graph), "TRANSPOSE ATTENTION");
  EXPECT_EQ(graph.shapes[graph.nodes[1].inputs[1]], kKey);
}

// [2, 2, n, size], repeated for six heads.
TensorId repeated(GraphMaker& make, int64_t size) {
  const Shape wide{2, 2, 3, 7, size};
  const TensorId shape = make.parameter<int64_t>(kBroadcastShape, DType::i64, {2, 2, 3, 7, size});
  const TensorId heads = make.op(Op::broadcast_to, {make.input({2, 2, 1, 7, size})}, wide, {shape});
  return make.op(Op::reshape, {heads, make.ints({2, 6, 7, int32_t(size)})}, {2, 6, 7, size});
}

TEST(FindAttention, KeepsSharedHeads) {
  GraphMaker make;
  const TensorId query = make.input(kQuery), key = repeated(make, 8), value = repeated(make, 4);
  const TensorId products = transposed_product(make, query, key, kProducts);
  const Graph graph = simplify(*make.finish({weighed(make, products, value, {})}));
  ASSERT_EQ(text_of(graph), "RESHAPE RESHAPE ATTENTION");
  EXPECT_EQ(graph.shapes[graph.nodes[2].inputs[1]], (Shape{2, 2, 7, 8}));
  EXPECT_EQ(graph.shapes[graph.nodes[2].inputs[2]], (Shape{2, 2, 7, 4}));
}

TEST(FindAttention, KeepsHeadsSharedByKeysOnly) {
  GraphMaker make;
  const TensorId query = make.input(kQuery), key = repeated(make, 8);
  const TensorId products = transposed_product(make, query, key, kProducts);
  const Graph graph = simplify(*make.finish({weighed(make, products, make.input(kValue), {})}));
  EXPECT_EQ(text_of(graph).find("ATTENTION"), std::string::npos);
}

TEST(FindAttention, KeepsSharedIntermediates) {
  GraphMaker make;
  const TensorId products = transposed_product(make, make.input(kQuery), make.input(kKey), kProducts);
  const TensorId weights = make.op(Op::softmax, {products}, kProducts);
  const TensorId result = make.op(Op::matmul, {weights, make.input(kValue)}, kResult);
  EXPECT_EQ(text_of(simplify(*make.finish({result, weights}))), "MATMUL SOFTMAX MATMUL");
}

TEST(FindAttention, KeepsBroadcastingMasks) {
  GraphMaker make;
  const TensorId products =
      transposed_product(make, make.input({2, 6, 1, 8}), make.input(kKey), {2, 6, 1, 7});
  const TensorId masked = make.op(Op::add, {products, make.input({5, 7})}, kProducts);
  const Graph graph = simplify(*make.finish({weighed(make, masked, make.input(kValue), {.scale = {}})}));
  EXPECT_EQ(text_of(graph), "MATMUL ADD SOFTMAX MATMUL");
}

TEST(FindAttention, KeepsBroadcastProducts) {
  EXPECT_EQ(text_of(attention_of({.key = {1, 6, 7, 8}})), "MATMUL MUL SOFTMAX MATMUL");
  EXPECT_EQ(text_of(attention_of({.value = {1, 1, 7, 4}})), "MATMUL MUL SOFTMAX MATMUL");
}

TEST(FindAttention, KeepsTheSoftmaxOfAnotherAxis) {
  constexpr int kSoftmaxAxis = 46;
  GraphMaker make;
  const TensorId products = transposed_product(make, make.input(kQuery), make.input(kKey), kProducts);
  const TensorId axis = make.parameter<int64_t>(kSoftmaxAxis, DType::i64, {2});
  const TensorId weights = make.op(Op::softmax, {products}, kProducts, {axis});
  const TensorId result = make.op(Op::matmul, {weights, make.input(kValue)}, kResult);
  EXPECT_EQ(text_of(simplify(*make.finish({result}))), "MATMUL SOFTMAX MATMUL");
}

}  // namespace
}  // namespace nnrt
