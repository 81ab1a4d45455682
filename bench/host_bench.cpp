// Measures the cost of running a device in another process: median and 99th percentile of a run in
// microseconds, alternating between both, for the smallest model and for MobileNetV2.
//   host_bench cpu|vulkan [RUNS]
#include "backends/host/client/host_client.h"
#include "core/device/device_registry.h"
#include "core/passes/normalize.h"
#include "networks/networks.h"
#include "tests/support/golden_case.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

namespace {

using namespace nnrt;

[[noreturn]] void fail(std::string_view message) {
  std::fprintf(stderr, "%.*s\n", int(message.size()), message.data());
  std::exit(1);
}

// A model with fixed tensors.
class Subject {
 public:
  Subject(Device& device, const GraphPtr& graph) {
    auto model = device.prepare(graph, {});
    if (!model.ok()) fail(model.error().message);
    model_ = std::move(model).value();
    const auto view = [&](TensorId id) {
      const Shape& shape = graph->shapes[id];
      return test::empty_view(*byte_size(graph->tensors[id].dtype, shape), shape);
    };
    for (const TensorId id : graph->inputs) inputs_.push_back(view(id));
    for (const TensorId id : graph->outputs) outputs_.push_back({view(id), false});
  }

  double run() {
    const auto start = Clock::now();
    const Status status = model_->run(inputs_, outputs_, {});
    const std::chrono::duration<double, std::micro> taken = Clock::now() - start;
    if (!status.ok()) fail(status.error().message);
    return taken.count();
  }

 private:
  std::unique_ptr<PreparedModel> model_;
  std::vector<TensorView> inputs_;
  std::vector<OutputSlot> outputs_;
};

void print(const char* model, const char* where, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("| %s | %s | %.1f | %.1f |\n", model, where, times[times.size() / 2],
              times[times.size() * 99 / 100]);
  std::fflush(stdout);
}

void compare(const char* name, const GraphPtr& graph, Device& here, Device& there, int runs) {
  Subject near(here, graph), far(there, graph);
  std::vector<double> near_times, far_times;
  for (int i = -runs / 10; i < runs; ++i) {
    const double near_time = near.run(), far_time = far.run();
    if (i < 0) continue;
    near_times.push_back(near_time);
    far_times.push_back(far_time);
  }
  print(name, "in process", std::move(near_times));
  print(name, "hosted", std::move(far_times));
}

GraphPtr relu() {
  test::GraphMaker maker;
  return maker.finish({maker.op(Op::relu, {maker.input({1})}, {1})});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) fail("host_bench cpu|vulkan [RUNS]");
  const int runs = argc > 2 ? std::atoi(argv[2]) : 2000;
  const auto here = builtin_devices(builtin_selection(argv[1]));
  const auto there = host::start_devices({"--devices", argv[1]});
  if (here.empty() || there.empty()) fail("There is no device.");
  std::printf("%s\n\n| model | where | median | 99 %% |\n| --- | --- | --- | --- |\n",
              here[0]->info().name.c_str());
  compare("RELU [1]", relu(), *here[0], *there[0], runs);
  compare("MobileNetV2", normalize(test::compose(bench::mobilenet_v2({})).graph), *here[0], *there[0],
          std::max(runs / 50, 10));
}
