// Random nodes of every operator: for those it supports, the GPU agrees with the CPU in each of its modes and
// touches no other memory. NNRT_TEST_RANDOM_NODES sets the total number of nodes, NNRT_TEST_RANDOM_SEED the
// first seed.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_suite.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_node.h"
#include "tests/support/test_settings.h"

#include <algorithm>
#include <iostream>
#include <map>

namespace nnrt::test {
namespace {

constexpr uint32_t kNodes = 2000;

// Groups reasons that differ only in numbers, such as "Rank (7) exceeds 6".
std::string without_numbers(const std::string& reason) {
  std::string result;
  for (const char c : reason) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) result.push_back(c);
    if (digit && (result.empty() || result.back() != '#')) result.push_back('#');
  }
  return result;
}

// Data movement is exact; requantization may be off by one.
Tolerance tolerance_for(const RandomNode& node, const Tensor& output) {
  const OpSchema& row = schema(node.op);
  const bool coded = !output.quant.empty() && !is_float(output.dtype);
  const bool same_quantized = std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Tensor& input) {
    return input.quant.empty() || input.quant == output.quant;
  });
  if (coded && !(row.copy && same_quantized)) return {.quantization_steps = 1};
  return row.copy ? kExact : tolerance_of(output.dtype);
}

// MATMUL_NBITS without `approximate`, which GPUs ignore.
GraphPtr exact(const GraphPtr& graph) {
  Graph copy = *graph;
  for (Node& node : copy.nodes) {
    if (node.op == Op::matmul_nbits) node.attrs.set(Attr::approximate, {DType::boolean, {0}, {}});
  }
  return std::make_shared<const Graph>(std::move(copy));
}

class RandomNodesOnGpu : public testing::TestWithParam<Op> {
 protected:
  struct Tally {
    size_t drawn = 0, ran = 0, redrawn = 0;
    std::map<std::string, size_t> refusals;
  };

  static void SetUpTestSuite() {
    ways_ = suite_modes();
    cpu_ = cpu::make_device();
    tally_ = {};
  }
  static void TearDownTestSuite() {
    ways_.clear();
    cpu_.reset();
    std::cout << tally_.ran << " of " << tally_.drawn << " random nodes ran on the GPU; " << tally_.redrawn
              << " draws were none. Refusals:\n";
    for (const auto& [reason, count] : tally_.refusals) std::cout << "  " << count << "  " << reason << "\n";
  }

  static const SuiteMode& way_of(const RandomNode& node) {
    std::vector<const SuiteMode*> concerned;
    for (const SuiteMode& way : ways_) {
      if (!way.only_linear || schema(node.op).family == Family::gemm_conv) concerned.push_back(&way);
    }
    return *concerned[node.seed % concerned.size()];
  }

  // Describes what is wrong with the GPU's run; nullopt if nothing, or if it refuses the node.
  std::optional<std::string> problem_with(const RandomNode& node) {
    Device& gpu = *way_of(node).device;
    const auto built = graph_of(node);
    if (!built.ok()) return built.error().message;
    const GraphPtr graph = exact(normalize(built.value()));
    ++tally_.drawn;
    if (const Refusal refusal = first_refusal(*cpu_, *graph)) return "The CPU refuses: " + *refusal;
    if (const Refusal refusal = first_refusal(gpu, *graph)) {
      ++tally_.refusals[cat(name(node.op), ": ", without_numbers(*refusal))];
      return std::nullopt;
    }
    ++tally_.ran;
    std::vector<Bytes> fed;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].is_constant()) fed.push_back(node.contents[i]);
    }
    if (fed.empty()) fed.emplace_back(sizeof(float));
    return compare(node, gpu, graph, fed);
  }

  std::optional<std::string> compare(const RandomNode& node, Device& gpu, const GraphPtr& graph,
                                     const std::vector<Bytes>& fed) {
    Random random(node.seed);
    const auto want = run_guarded(*cpu_, graph, fed, random, false);
    const auto got = run_guarded(gpu, graph, fed, random, true);
    // Both fail in the same way, for example a failed ASSERT.
    if (!want.ok() && !got.ok() && want.error().code == got.error().code) return std::nullopt;
    if (!want.ok()) return "The CPU: " + want.error().message;
    if (!got.ok()) return "The GPU: " + got.error().message;
    double scale = 1;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      scale = std::max(scale, largest_magnitude(node.inputs[i].dtype, node.contents[i]));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const Tensor& output = node.outputs[i];
      const double here = std::max(scale, largest_magnitude(output.dtype, want.value()[i]));
      const auto wrong =
          difference(output.dtype, got.value()[i], want.value()[i], tolerance_for(node, output), here);
      if (wrong) return cat("Output ", i, ": ", *wrong, ".");
    }
    return std::nullopt;
  }

  static std::vector<SuiteMode> ways_;
  static std::shared_ptr<Device> cpu_;
  static Tally tally_;
};

std::vector<SuiteMode> RandomNodesOnGpu::ways_;
std::shared_ptr<Device> RandomNodesOnGpu::cpu_;
RandomNodesOnGpu::Tally RandomNodesOnGpu::tally_;

TEST_P(RandomNodesOnGpu, MatchCpu) {
  const uint32_t first = number_from("NNRT_TEST_RANDOM_SEED", 1u);
  const uint32_t nodes =
      std::max(1u, number_from("NNRT_TEST_RANDOM_NODES", draws(kNodes)) / uint32_t(kOpCount));
  size_t failures = 0;
  for (uint32_t seed = first; seed < first + nodes && failures < 3; ++seed) {
    const RandomNode node = valid_node(GetParam(), seed, tally_.redrawn);
    const auto problem = problem_with(node);
    if (!problem) continue;
    ++failures;
    ADD_FAILURE() << *problem << "\n"
                  << describe(node) << "\nWay: " << way_of(node).name
                  << "\nAgain: NNRT_TEST_RANDOM_NODES=1 NNRT_TEST_RANDOM_SEED=" << node.seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, RandomNodesOnGpu, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(short_name(test.param)); });

}  // namespace
}  // namespace nnrt::test
