// Every benchmarked network builds, runs, and computes results that depend on its input.
#include "networks/networks.h"

#include "network_runner.h"
#include "networks/operation_parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using bench::Network;
using bench::NetworkRunner;

class BenchNetwork : public testing::TestWithParam<Network> {};

size_t weights_of(const conformance::Case& network) {
  size_t count = 0;
  for (const conformance::Tensor& tensor : network.tensors) {
    const bool is_weight = tensor.dataType == OH_NN_FLOAT32 || tensor.quant;
    if (tensor.data && is_weight) count += conformance::elementCount(tensor.shape).value();
  }
  return count;
}

std::vector<float> run(NetworkRunner& runner, uint64_t seed) {
  runner.fill_inputs(seed);
  runner.run();
  const auto values = runner.floats(0);
  return {values.begin(), values.end()};
}

TEST(BenchOperation, ReportsAMissingParameter) {
  conformance::Case network;
  conformance::Operation operation{"CONV2D", OH_NN_OPS_CONV2D, {}, {}, {}};
  try {
    bench::integers_of(network, operation, OH_NN_CONV2D_PAD);
    FAIL() << "There are no parameters.";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()),
              "CONV2D has no parameter of type " + std::to_string(OH_NN_CONV2D_PAD));
  }
}

TEST_P(BenchNetwork, RunsSmallAndDependsOnItsInput) {
  const conformance::Case network = GetParam().describe(bench::kSmall);
  EXPECT_EQ(network.name, GetParam().name);
  NetworkRunner runner(network, bench::devices().front().id);
  const std::vector<float> once = run(runner, 1);
  EXPECT_TRUE(std::ranges::all_of(once, [](float value) { return std::isfinite(value); }));
  EXPECT_NE(once, run(runner, 2));
  EXPECT_EQ(once, run(runner, 1));
}

// MaxViT's relative position biases are stored expanded: 0.4 million more parameters than in its tables.
TEST(BenchNetworks, AreAsLargeAsThePapersSay) {
  const std::pair<const char*, double> millions[] = {
      {"squeezenet", 1.24},  {"mobilenet_v2", 3.49},      {"mobilenet_v3", 5.47}, {"shufflenet_v2", 2.27},
      {"mnasnet", 4.36},     {"efficientnet_b0", 5.27},   {"resnet_18", 11.68},   {"googlenet", 6.99},
      {"resnet_50", 25.53},  {"bert_layer", 7.09},        {"bert_base", 85.05},   {"gpt2_small", 85.25},
      {"vit_b16", 86.57},    {"efficientnet_v2_s", 21.3}, {"densenet_121", 7.98}, {"maxvit_t", 31.3},
      {"mobilevit_s", 5.57}, {"gpt2_decode", 123.7}};
  for (const auto& [name, expected] : millions) {
    EXPECT_NEAR(double(weights_of(bench::network(name).describe({}))) / 1e6, expected, 0.01 * expected)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BenchNetwork,
                         testing::ValuesIn(bench::networks().begin(), bench::networks().end()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
