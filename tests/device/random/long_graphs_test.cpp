// Build time is proportional to the model's length, for all kinds of graphs. NNRT_TEST_LONG_NODES sets the
// length of the longer graph.
#include "backends/cpu/engine/cpu_device.h"
#include "core/graph/graph.h"
#include "core/runtime/compile.h"
#include "tests/device/device_suite.h"
#include "tests/support/graph_maker.h"

#include <ctime>
#include <fstream>
#include <iostream>
#include <span>
#include <string_view>

namespace nnrt::test {
namespace {

// Graphs of any length that provoke quadratic time or recursion in passes; quadratic time shows at a few
// thousand nodes.
struct LongGraph {
  std::string_view name;
  GraphPtr (*make)(int nodes);  // approximate count; inputs and outputs are FLOAT32
  bool alternates = false;      // alternates between nodes GPUs support and ones they don't
};

const Shape kShape{2, 3};

GraphPtr chain(int nodes) {
  GraphMaker maker;
  TensorId x = maker.input(kShape);
  for (int i = 0; i < nodes; ++i) x = maker.op(i % 2 == 0 ? Op::relu : Op::abs, {x}, kShape);
  return maker.finish({x});
}

// Each multiplies by 1.
GraphPtr identities(int nodes) {
  GraphMaker maker;
  const TensorId one = maker.floats({1}, {1});
  TensorId x = maker.input(kShape);
  for (int i = 0; i < nodes; ++i) x = maker.op(Op::mul, {x, one}, kShape);
  return maker.finish({maker.op(Op::relu, {x}, kShape)});
}

// Two paths linked at every node.
GraphPtr ladder(int nodes) {
  GraphMaker maker;
  TensorId a = maker.input(kShape), b = maker.input(kShape);
  for (int i = 0; i < nodes / 2; ++i) {
    const TensorId c = maker.op(Op::maximum, {a, b}, kShape);
    b = maker.op(Op::minimum, {a, b}, kShape);
    a = c;
  }
  return maker.finish({a, b});
}

// One tensor with many readers, and a tree that joins their results.
GraphPtr fan(int nodes) {
  GraphMaker maker;
  const TensorId x = maker.input(kShape);
  std::vector<TensorId> row;
  for (int i = 0; i < nodes / 2; ++i) row.push_back(maker.op(Op::sin, {x}, kShape));
  while (row.size() > 1) {
    std::vector<TensorId> next;
    for (size_t i = 0; i + 1 < row.size(); i += 2)
      next.push_back(maker.op(Op::maximum, {row[i], row[i + 1]}, kShape));
    if (row.size() % 2 == 1) next.push_back(row.back());
    row = std::move(next);
  }
  return maker.finish({row[0]});
}

// Many tensors that live from start to end.
GraphPtr rainbow(int nodes) {
  GraphMaker maker;
  TensorId x = maker.input(kShape);
  std::vector<TensorId> retained;
  for (int i = 0; i < nodes / 2; ++i) retained.push_back(x = maker.op(Op::sin, {x}, kShape));
  for (; !retained.empty(); retained.pop_back()) x = maker.op(Op::maximum, {x, retained.back()}, kShape);
  return maker.finish({x});
}

GraphPtr transposes(int nodes) {
  GraphMaker maker;
  const TensorId order = maker.ints({1, 0});
  TensorId x = maker.input(kShape);
  for (int i = 0; i < nodes; ++i) x = maker.op(Op::transpose, {x, order}, i % 2 == 0 ? Shape{3, 2} : kShape);
  return maker.finish({maker.op(Op::relu, {x}, nodes % 2 == 0 ? kShape : Shape{3, 2})});
}

// Data movement that cannot be fused, though each could read the previous one's input.
GraphPtr moves(int nodes) {
  GraphMaker maker;
  const TensorId order = maker.ints({1, 0}), flat = maker.ints({6}), rows = maker.ints({2, 3});
  TensorId x = maker.input(kShape);
  for (int i = 0; i + 2 < nodes; i += 3) {
    x = maker.op(Op::transpose, {x, order}, {3, 2});
    x = maker.op(Op::reshape, {x, flat}, {6});
    x = maker.op(Op::reshape, {x, rows}, kShape);
  }
  return maker.finish({maker.op(Op::relu, {x}, kShape)});
}

// Concatenates a row to two and slices it off again, many times.
GraphPtr joins(int nodes) {
  GraphMaker maker;
  const TensorId begin = maker.ints({0, 0}), size = maker.ints({2, 64});
  const TensorId y = maker.input({1, 64});
  TensorId x = maker.input({2, 64});
  for (int i = 0; i + 2 < nodes; i += 3) {
    x = maker.op(Op::sin, {x}, {2, 64});
    x = maker.op(Op::concat, {x, y}, {3, 64});
    x = maker.op(Op::slice, {x, begin, size}, {2, 64});
  }
  return maker.finish({maker.op(Op::relu, {x}, {2, 64})});
}

// GPUs do not support dynamic shapes.
GraphPtr alternations(int nodes) {
  GraphMaker maker;
  const TensorId shape = maker.input({2}, DType::i32);
  TensorId x = maker.input(kShape);
  for (int i = 0; i + 1 < nodes; i += 2) {
    x = maker.op(Op::relu, {x}, kShape);
    x = maker.op(Op::reshape, {x, shape}, kShape);
  }
  return maker.finish({x});
}

constexpr LongGraph kAll[] = {
    {"chain", chain}, {"identities", identities}, {"ladder", ladder},
    {"fan", fan},     {"rainbow", rainbow},       {"transposes", transposes},
    {"moves", moves}, {"joins", joins},           {"alternations", alternations, true}};

std::span<const LongGraph> long_graphs() { return kAll; }

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
