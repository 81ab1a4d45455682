// Random graphs: intermediate results, memory reuse, layout transposes. NNRT_TEST_RANDOM_NODES sets the total
// number of nodes, NNRT_TEST_RANDOM_SEED the first seed.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_suite.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/test_settings.h"

#include <algorithm>
#include <iostream>

namespace nnrt::test {
namespace {

constexpr uint32_t kNodes = 2000, kNodesOfGraph = 12;

// Differences propagate through all following nodes.
Tolerance tolerance_of_fusion(DType dtype) {
  Tolerance tolerance = tolerance_of(dtype);
  tolerance.absolute *= 20;
  tolerance.relative *= 20;
  return tolerance;
}

std::optional<std::string> compare(Device& cpu, Device& gpu, const GraphPtr& graph, const RandomGraph& drawn,
                                   Random& random) {
  const auto want = run_guarded(cpu, graph, drawn.fed, random, false);
  if (!want.ok()) return "The CPU: " + want.error().message;
  const auto got = run_guarded(gpu, graph, drawn.fed, random, true);
  if (!got.ok()) return "The GPU: " + got.error().message;
  double scale = drawn.scale;
  for (size_t i = 0; i < graph->outputs.size(); ++i) {
    const DType dtype = graph->tensors[graph->outputs[i]].dtype;
    if (is_float(dtype)) scale = std::max(scale, largest_magnitude(dtype, want.value()[i]));
  }
  for (size_t i = 0; i < graph->outputs.size(); ++i) {
    const DType dtype = graph->tensors[graph->outputs[i]].dtype;
    const auto wrong = difference(dtype, got.value()[i], want.value()[i], tolerance_of_fusion(dtype), scale);
    if (wrong) return cat("Tensor ", graph->outputs[i], ": ", *wrong, ".");
  }
  return std::nullopt;
}

TEST(RandomGraphs, MatchCpu) {
  const auto gpu = suite_device();
  const auto cpu = cpu::make_device();
  const uint32_t first = number_from("NNRT_TEST_RANDOM_SEED", 1u);
  const uint32_t graphs = std::max(1u, number_from("NNRT_TEST_RANDOM_NODES", draws(kNodes)) / kNodesOfGraph);
  size_t nodes = 0, refused = 0, failures = 0;
  for (uint32_t seed = first; seed < first + graphs && failures < 3; ++seed) {
    const RandomGraph drawn = draw_graph(seed);
    const GraphPtr graph = normalize(drawn.graph);
    if (first_refusal(*gpu, *graph)) {
      ++refused;
      continue;
    }
    nodes += graph->nodes.size();
    Random random(seed);
    if (const auto problem = compare(*cpu, *gpu, graph, drawn, random)) {
      ++failures;
      ADD_FAILURE() << *problem << "\n"
                    << drawn.description
                    << "\nAgain: NNRT_TEST_RANDOM_NODES=1 NNRT_TEST_RANDOM_SEED=" << seed;
    }
  }
  std::cout << graphs - refused << " of " << graphs << " random graphs with " << nodes
            << " nodes ran on the GPU.\n";
  EXPECT_LT(refused, std::max(1u, graphs / 2));
}

}  // namespace
}  // namespace nnrt::test
