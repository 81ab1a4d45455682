// Build time is proportional to the model's length, for all kinds of graphs. NNRT_TEST_LONG_NODES sets the
// length of the longer graph.
#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/compile.h"
#include "tests/device/device_suite.h"
#include "tests/support/long_graph.h"

#include <ctime>
#include <fstream>
#include <iostream>

namespace nnrt::test {
namespace {

constexpr uint32_t kNodes = 20'000;
constexpr uint32_t kTimes = 10;   // length ratio of the two graphs
constexpr double kMaxTimes = 3;   // allowed ratio of the time per node
constexpr double kSpared = 0.02;  // seconds for one-time work
// Divides the number of nodes, because partitions are expensive (though not increasingly so).
constexpr uint32_t kAlternating = 10;

// CPU time of this process's threads.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// The process's peak memory since the last call.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  double peak = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) peak = std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  std::ofstream("/proc/self/clear_refs") << "5";
  return peak;
}

class LongGraphs : public testing::TestWithParam<LongGraph> {};

struct Taken {
  double composing, compiling;
};

Taken build(const LongGraph& graph, uint32_t nodes, Device& device, Device* fallback) {
  const double begin = cpu_seconds();
  const GraphPtr made = graph.make(int(nodes));
  const double composed = cpu_seconds();
  const auto model = compile(made, device, fallback, {});
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
  return {composed - begin, cpu_seconds() - composed};
}

// The faster of two builds; the driver caches what it compiled in the first one.
Taken faster_build(const LongGraph& graph, uint32_t nodes, Device& device, Device* fallback) {
  const Taken first = build(graph, nodes, device, fallback), second = build(graph, nodes, device, fallback);
  return {std::min(first.composing, second.composing), std::min(first.compiling, second.compiling)};
}

void expect_proportion(double shorter, double longer, std::string_view what) {
  EXPECT_LT(longer - kSpared, kTimes * kMaxTimes * shorter) << what;
}

TEST_P(LongGraphs, TakeTimeInProportion) {
  const LongGraph& graph = GetParam();
  const auto gpu = suite_device(), cpu = cpu::make_device();
  const uint32_t nodes = number_from("NNRT_TEST_LONG_NODES", kNodes) / (graph.alternates ? kAlternating : 1);
  for (Device* device : {cpu.get(), gpu.get()}) {
    const Taken shorter = faster_build(graph, nodes / kTimes, *device, cpu.get());
    peak_megabytes();
    const Taken longer = faster_build(graph, nodes, *device, cpu.get());
    std::cout << graph.name << " on " << device->info().name << ": " << nodes / kTimes << " nodes "
              << shorter.composing << " + " << shorter.compiling << " s, " << nodes << " nodes "
              << longer.composing << " + " << longer.compiling << " s, at most " << peak_megabytes()
              << " MB\n";
    expect_proportion(shorter.composing, longer.composing, "composing");
    expect_proportion(shorter.compiling, longer.compiling, device->info().name);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LongGraphs, testing::ValuesIn(long_graphs().begin(), long_graphs().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace nnrt::test
