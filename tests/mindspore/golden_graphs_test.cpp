// Every golden case that MindSpore's tables can express, as the graph of a client: the results are those of
// the same model made through OH_NNModel_AddOperation.
#include "tests/mindspore/client_run.h"
#include "tests/mindspore/golden_file.h"
#include "tests/mindspore/lite_graph_maker.h"
#include "tests/support/golden_case.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace nnrt::test {
namespace {

// Its model; null if the graph is not accepted.
OH_NNModel* graph_model(const Bytes& file) {
  OH_NNModel* model = OH_NNModel_Construct();
  LiteGraph* const graph = load_graph(file);
  if (OH_NNModel_BuildFromLiteGraph(model, graph, nullptr, 0) == OH_NN_SUCCESS) return model;
  free_graph(graph);
  OH_NNModel_Destroy(&model);
  return nullptr;
}

// MindSpore cannot round halves to even.
bool rounds_to_even(const Graph& graph) {
  return std::ranges::any_of(graph.nodes,
                             [](const Node& node) { return node.attrs.is_set(Attr::ties_to_even); });
}

// Pools whose last kernel has no cell of the input, and scales of which MindSpore's order of weights has no
// place.
const std::set<std::string> kRefused{"avg_pool/f32_ceil_drops_window", "max_pool/f32_ceil_drops_window",
                                     "conv2d_transpose/quant_per_channel"};

struct Tally {
  size_t same = 0, inexpressible = 0;
  std::set<std::string> missing, operators, refused;  // operators without and with an equal result
};

constexpr int kFirstExtension = 1000;

void compare(const conformance::Case& golden, Origin origin, Tally& tally) {
  for (const conformance::Operation& operation : golden.operations)
    if (operation.type < kFirstExtension && !tally.operators.contains(operation.name))
      tally.missing.insert(operation.name);
  const Composed composed = compose(golden);
  if (!composed.graph || golden.reject || golden.runs.empty() || rounds_to_even(*composed.graph)) return;
  const std::optional<Bytes> file = file_of(*composed.graph, origin);
  if (!file) {
    ++tally.inexpressible;
    return;
  }
  const Results expected = run_model(compose_model(golden), golden.runs[0]);
  if (!expected.failure.empty()) return;
  OH_NNModel* const model = graph_model(*file);
  ASSERT_NE(model, nullptr) << golden.name;
  const Results results = run_model(model, golden.runs[0]);
  if (results.failure == "Build") {
    tally.refused.insert(golden.name);
    return;
  }
  EXPECT_EQ(results.failure, "") << golden.name;
  EXPECT_TRUE(results.outputs == expected.outputs) << golden.name;
  ++tally.same;
  for (const conformance::Operation& operation : golden.operations) {
    tally.missing.erase(operation.name);
    if (operation.type < kFirstExtension) tally.operators.insert(operation.name);
  }
}

class GoldenGraphs : public testing::TestWithParam<Origin> {};

TEST_P(GoldenGraphs, HaveTheResultsOfComposedModels) {
  constexpr size_t kOperators = 108;
  Tally tally;
  for (const conformance::Case& golden : golden_cases()) compare(golden, GetParam(), tally);
  RecordProperty("same", int(tally.same));
  RecordProperty("inexpressible", int(tally.inexpressible));
  EXPECT_EQ(tally.missing, std::set<std::string>());
  EXPECT_EQ(tally.operators.size(), kOperators);
  for (const std::string& name : tally.refused) EXPECT_TRUE(kRefused.contains(name)) << name;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenGraphs, testing::Values(Origin::converter, Origin::builders),
                         [](const auto& test) {
                           return test.param == Origin::converter ? "Converter" : "Builders";
                         });

}  // namespace
}  // namespace nnrt::test
