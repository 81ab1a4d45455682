// A graph partitioned randomly between two devices gives the same bytes as the complete graph.
#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace nnrt {
namespace {

constexpr int64_t kRows = 5, kColumns = 7;
constexpr size_t kBytes = kRows * kColumns * sizeof(float);

// Sums, products, negations and transposes of random previous tensors.
GraphPtr random_graph(std::mt19937& random, const Shape& declared) {
  test::GraphMaker make;
  std::vector<TensorId> tensors{make.input(declared), make.input(declared)};
  const size_t length = 5 + random() % 30;
  for (size_t i = 0; i < length; ++i) {
    const auto any = [&] { return tensors[random() % tensors.size()]; };
    constexpr Op kBinary[] = {Op::add, Op::sub, Op::maximum, Op::minimum};
    constexpr Op kUnary[] = {Op::relu, Op::tanh, Op::abs, Op::sigmoid};
    const Shape shape = declared;
    tensors.push_back(random() % 2 == 0 ? make.op(kBinary[random() % 4], {any(), any()}, shape)
                                        : make.op(kUnary[random() % 4], {any()}, shape));
  }
  return make.finish({tensors[tensors.size() / 2 + 2], tensors.back()});
}

std::vector<std::byte> run(const std::shared_ptr<const CompiledModel>& model,
                           std::span<const TensorView> inputs) {
  std::vector<OutputSlot> outputs{{test::empty_view(kBytes)}, {test::empty_view(kBytes)}};
  Execution execution(model);
  const Status status = execution.run(inputs, outputs, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  std::vector<std::byte> bytes;
  for (const OutputSlot& output : outputs)
    bytes.insert(bytes.end(), output.view.data(), output.view.data() + kBytes);
  return bytes;
}

void expect_same_cut_and_uncut(const Shape& declared) {
  std::mt19937 random(20261120);
  const std::shared_ptr<Device> cpu = cpu::make_device();
  for (int round = 0; round < 100; ++round) {
    const GraphPtr graph = random_graph(random, declared);
    std::vector<bool> taken(graph->nodes.size());
    for (size_t i = 0; i < taken.size(); ++i) taken[i] = random() % 3 != 0;
    test::PartialDevice partial(cpu, [&](const Node& node) { return taken[node.position]; });

    std::vector<float> x(kRows * kColumns), y(kRows * kColumns);
    for (float& value : x) value = std::uniform_real_distribution<float>(-2, 2)(random);
    for (float& value : y) value = std::uniform_real_distribution<float>(-2, 2)(random);
    const std::vector<TensorView> inputs{test::view_of({kRows, kColumns}, x),
                                         test::view_of({kRows, kColumns}, y)};

    const auto cut = compile(graph, partial, cpu.get(), {});
    const auto whole = compile(graph, *cpu, nullptr, {});
    ASSERT_TRUE(cut.ok() && whole.ok());
    EXPECT_EQ(whole.value()->partitions.size(), 1u);
    ASSERT_EQ(run(cut.value(), inputs), run(whole.value(), inputs)) << "in round " << round;
  }
}

TEST(CutGraph, GivesTheBytesOfTheUncutOne) { expect_same_cut_and_uncut({kRows, kColumns}); }
TEST(CutGraph, MatchesWholeGraphWithDynamicShapes) { expect_same_cut_and_uncut({-1, -1}); }

TEST(CutGraph, IsCutTheSameWayEveryTime) {
  std::mt19937 random(3);
  const std::shared_ptr<Device> cpu = cpu::make_device();
  const GraphPtr graph = random_graph(random, {kRows, kColumns});
  test::PartialDevice partial(cpu, [](const Node& node) { return node.position % 3 != 0; });
  const auto first = compile(graph, partial, cpu.get(), {}).value();
  const auto second = compile(graph, partial, cpu.get(), {}).value();
  EXPECT_EQ(first->placement_table(), second->placement_table());
  EXPECT_EQ(first->partitions.size(), second->partitions.size());
}

}  // namespace
}  // namespace nnrt
