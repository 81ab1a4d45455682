// How much sooner is a compilation built that finds its cache? Networks of more than 50 operators, on each
// device.
#include "compose.h"
#include "stacks.h"

#include <benchmark/benchmark.h>

namespace {

using conformance::Case;
using conformance::check;

void time_build(benchmark::State& state, const Case& network, size_t device) {
  const bench::Model model = bench::compose(network);
  for (auto iteration : state) {
    const bench::Compilation compilation(OH_NNCompilation_Construct(model.get()));
    check(OH_NNCompilation_SetDevice(compilation.get(), device), "OH_NNCompilation_SetDevice");
    check(OH_NNCompilation_Build(compilation.get()), "OH_NNCompilation_Build");
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::vector<Case> networks{bench::resnet_50(), bench::mobilenet_v2()};
  for (const bench::Device& device : bench::devices()) {
    for (const Case& network : networks) {
      benchmark::RegisterBenchmark(("build/" + network.name + "/" + device.name).c_str(), time_build,
                                   std::cref(network), device.id)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
