// Build takes time in proportion to a model's length, whatever its form. NNRT_TEST_LONG_NODES says how long
// the longer one of two is.
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
constexpr uint32_t kTimes = 10;   // as long as the shorter one
constexpr double kMaxTimes = 3;   // as long for each node
constexpr double kSpared = 0.02;  // seconds for what is done once
constexpr uint32_t kAlternating =
    10;  // times fewer nodes: what a partition takes is much, but not more for each

// The time of all threads of this process alone.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// The peak of the process since the last call.
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

// The quicker of two: a driver compiles for the first what the second finds.
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
