// Groups compiled for the CPU device, and run on plain and shared memory.
#include "tests/frameworks/onnxruntime/plain_graph_maker.h"
#include "tools/plugins/onnxruntime/run/group_import.h"
#include "tools/plugins/onnxruntime/run/shared_buffers.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace nnrt::ep {
namespace {

// y = Relu(x + k), where the first dimension of x is open.
HostGraphMaker adding() {
  HostGraphMaker maker;
  maker.input("x", {-1, 20}).value("y", {-1, 20}).constant("k", {20}, std::vector<float>(20, -2)).output("y");
  return std::move(maker.node("Add", {"x", "k"}, {"a"}).node("Relu", {"a"}, {"y"}));
}

Device cpu() { return find_device(list_devices().value(), "cpu").value(); }

Result<std::shared_ptr<CompiledGroup>> compiled(const HostGraph& graph, bool keeps_export = false) {
  Group group;
  for (size_t i = 0; i < graph.nodes.size(); ++i) group.push_back(static_cast<int>(i));
  int failed = -1;
  NNRT_ASSIGN(Network network,
              import_group(graph, group, boundary_of(graph, group), import::Constants::copied, failed));
  return CompiledGroup::build(std::move(network), cpu(), {}, "group", keeps_export);
}

// Runs x = rows of `value`, and returns the result.
Result<std::vector<float>> run(CompiledGroup& group, int64_t rows, float value) {
  const std::vector<float> x(static_cast<size_t>(rows) * 20, value);
  std::vector<float> y;
  const std::array inputs{HostTensor{x.data(), {rows, 20}}};
  NNRT_TRY(group.run(inputs, [&](size_t, const Dimensions& shape) -> Result<void*> {
    y.resize(static_cast<size_t>(shape[0] * shape[1]));
    return y.data();
  }));
  return y;
}

TEST(CompiledGroup, RunsOnShapesOfTheRun) {
  HostGraphMaker maker = adding();
  const auto group = compiled(maker.graph());
  ASSERT_TRUE(group.ok()) << group.error().message;
  for (const int64_t rows : {1, 5, 3000, 2}) {
    const auto y = run(*group.value(), rows, 5);
    ASSERT_TRUE(y.ok()) << y.error().message;
    EXPECT_EQ(y.value(), std::vector<float>(static_cast<size_t>(rows) * 20, 3));
  }
}

TEST(CompiledGroup, RefusesOtherShapes) {
  HostGraphMaker maker = adding();
  const auto group = compiled(maker.graph());
  ASSERT_TRUE(group.ok());
  const std::vector<float> x(21);
  const std::array inputs{HostTensor{x.data(), {1, 21}}};
  const Status status =
      group.value()->run(inputs, [](size_t, const Dimensions&) -> Result<void*> { return nullptr; });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "The shape [1, 21] of input 0 is not [-1, 20], as the model declares (-1: any length).");
  EXPECT_TRUE(run(*group.value(), 2, 1).ok());
}

TEST(CompiledGroup, RunsInSeveralThreads) {
  HostGraphMaker maker = adding();
  const auto group = compiled(maker.graph());
  ASSERT_TRUE(group.ok());
  std::array<bool, 4> right{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < right.size(); ++i) {
    threads.emplace_back([&, i] {
      right[i] = true;
      for (int64_t rows = 1; rows < 20; ++rows) {
        const auto y = run(*group.value(), rows, static_cast<float>(i) + 3);
        right[i] = right[i] && y.ok() &&
                   y.value() == std::vector<float>(static_cast<size_t>(rows) * 20, static_cast<float>(i) + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::array{true, true, true, true}));
}

TEST(CompiledGroup, IsRestored) {
  HostGraphMaker maker = adding();
  const auto group = compiled(maker.graph(), true);
  ASSERT_TRUE(group.ok());
  const auto bytes = group.value()->export_model();
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto restored = CompiledGroup::restore(bytes.value(), cpu(), {});
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(run(*restored.value(), 2, 5).value(), std::vector<float>(40, 3));
  const auto damaged = CompiledGroup::restore(ByteView(bytes.value()).first(100), cpu(), {});
  ASSERT_FALSE(damaged.ok());
  EXPECT_FALSE(damaged.error().message.empty());
}

TEST(CompiledGroup, BindsSharedBuffers) {
  HostGraphMaker maker;
  maker.input("x", {20}).value("y", {20}).output("y").node("Relu", {"x"}, {"y"});
  const auto group = compiled(maker.graph());
  ASSERT_TRUE(group.ok());
  SharedBuffers& buffers = SharedBuffers::instance();
  auto* const x = static_cast<float*>(buffers.allocate(80 + 64));
  auto* const y = static_cast<float*>(buffers.allocate(80));
  for (int turn = 0; turn < 3; ++turn) {
    float* const input = x + (turn == 1 ? 16 : 0);  // also at an offset
    std::fill_n(input, 20, static_cast<float>(turn));
    const std::array inputs{HostTensor{input, {20}}};
    const Status status =
        group.value()->run(inputs, [&](size_t, const Dimensions&) -> Result<void*> { return y; });
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(std::vector<float>(y, y + 20), std::vector<float>(20, static_cast<float>(turn)));
  }
  buffers.free(x);
  buffers.free(y);
}

TEST(SharedBuffers, FindTheirBytes) {
  SharedBuffers& buffers = SharedBuffers::instance();
  auto* const data = static_cast<std::byte*>(buffers.allocate(100));
  ASSERT_NE(data, nullptr);
  const auto place = buffers.find(data + 10, 90);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->offset, 10U);
  EXPECT_FALSE(buffers.find(data + 11, 90).has_value());
  int other = 0;
  EXPECT_FALSE(buffers.find(&other, sizeof other).has_value());
  buffers.free(data);
  EXPECT_FALSE(buffers.find(data, 1).has_value());
  buffers.free(&other);  // not one of theirs
}

TEST(AskDevice, NamesNodesThatCannotBeRead) {
  HostGraphMaker maker;
  maker.input("x", {4}).value("a", {4}).value("y", {4}).output("y");
  maker.node("Relu", {"x"}, {"a"}).node("Softmax", {"a", "a"}, {"b"}).node("Conv", {"b", "x"}, {"y"});
  const Answer answer = ask_device(maker.graph(), {0, 1, 2}, cpu(), {});
  EXPECT_FALSE(answer.accepts);
  EXPECT_EQ(answer.declined, std::vector<int>{2});
  EXPECT_FALSE(answer.reason.empty());
}

TEST(AskDevice, RefusesInputsOfUnknownRank) {
  HostGraphMaker maker;
  maker.input("x", {}).value("y", {}).output("y").node("Relu", {"x"}, {"y"});
  EXPECT_TRUE(ask_device(maker.graph(), {0}, cpu(), {}).accepts);
  maker.graph().values["x"].may_have_rank = true;
  const Answer answer = ask_device(maker.graph(), {0}, cpu(), {});
  EXPECT_FALSE(answer.accepts);
  EXPECT_EQ(answer.reason, "The rank of the value x is not known.");
}

}  // namespace
}  // namespace nnrt::ep
