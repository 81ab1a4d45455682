// Groups compiled for the CPU device, and run on plain and shared memory.
#include "tools/plugins/onnxruntime/run/compiled_group.h"

#include "tests/frameworks/onnxruntime/plain_graph_maker.h"
#include "tools/plugins/onnxruntime/run/group_import.h"
#include "tools/plugins/onnxruntime/run/shared_buffers.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>

namespace nnrt::ep {
namespace {

// y = Relu(x + k), where the first dimension of x is open.
HostGraphMaker adding() {
  HostGraphMaker maker;
  maker.input("x", {-1, 20}).value("y", {-1, 20}).constant("k", {20}, std::vector<float>(20, -2)).output("y");
  return std::move(maker.node("Add", {"x", "k"}, {"a"}).node("Relu", {"a"}, {"y"}));
}

plugins::PluginDevice cpu() { return plugins::find_device("cpu").value(); }

plugins::PluginOptions without_fallback() {
  plugins::PluginOptions options;
  options.fallback = "off";
  return options;
}

Result<std::shared_ptr<CompiledGroup>> compiled(const HostGraph& graph, bool keeps_export = false) {
  Group group;
  for (size_t i = 0; i < graph.nodes.size(); ++i) group.push_back(static_cast<int>(i));
  int failed = -1;
  NNRT_ASSIGN(Network network,
              import_group(graph, group, boundary_of(graph, group), import::Constants::copied, failed));
  NNRT_ASSIGN(plugins::CompiledNetwork model,
              plugins::CompiledNetwork::build(std::move(network), cpu(), {}, "group", keeps_export));
  return CompiledGroup::create(std::move(model));
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
  const auto group = compiled(maker.graph()).value();
  for (const int64_t rows : {1, 5, 3000, 2}) {
    const auto y = run(*group, rows, 5).value();
    EXPECT_EQ(y, std::vector<float>(static_cast<size_t>(rows) * 20, 3));
  }
}

TEST(CompiledGroup, RefusesOtherShapes) {
  HostGraphMaker maker = adding();
  const auto group = compiled(maker.graph()).value();
  const std::vector<float> x(21);
  const std::array inputs{HostTensor{x.data(), {1, 21}}};
  const Status status =
      group->run(inputs, [](size_t, const Dimensions&) -> Result<void*> { return nullptr; });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "The shape [1, 21] of input 0 is not [-1, 20], as the model declares (-1: any length).");
  EXPECT_TRUE(run(*group, 2, 1).ok());
}

TEST(CompiledGroup, RunsInSeveralThreads) {
  HostGraphMaker maker = adding();
  const auto group = compiled(maker.graph()).value();
  std::array<bool, 4> right{};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < right.size(); ++i) {
    threads.emplace_back([&, i] {
      right[i] = true;
      for (int64_t rows = 1; rows < 20; ++rows) {
        const auto y = run(*group, rows, static_cast<float>(i) + 3);
        right[i] = right[i] && y.ok() &&
                   y.value() == std::vector<float>(static_cast<size_t>(rows) * 20, static_cast<float>(i) + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, (std::array{true, true, true, true}));
}

TEST(CompiledGroup, LimitsItsThreadsAlone) {
  HostGraphMaker maker = adding();
  const HostGraph& graph = maker.graph();
  int failed = -1;
  auto network =
      import_group(graph, {0, 1}, boundary_of(graph, {0, 1}), import::Constants::copied, failed).value();
  plugins::PluginOptions options;
  options.device = "cpu";
  options.threads = 1;
  const bool had_variable = std::getenv("NNRT_THREADS") != nullptr;
  const auto device = plugins::find_device(options.device).value();
  auto model = plugins::CompiledNetwork::build(std::move(network), device, options, "group").value();
  EXPECT_EQ(std::getenv("NNRT_THREADS") != nullptr, had_variable);
  const auto group = CompiledGroup::create(std::move(model)).value();
  EXPECT_EQ(run(*group, 3, 5).value(), std::vector<float>(60, 3));
}

TEST(CompiledGroup, IsRestored) {
  HostGraphMaker maker = adding();
  const auto group = compiled(maker.graph(), true).value();
  auto bytes = group->model().export_model().value();
  auto restored = plugins::CompiledNetwork::restore(bytes, cpu(), {}).value();
  const auto again = CompiledGroup::create(std::move(restored)).value();
  EXPECT_EQ(run(*again, 2, 5).value(), std::vector<float>(40, 3));
  bytes.resize(100);
  const auto damaged = plugins::CompiledNetwork::restore(bytes, cpu(), {});
  ASSERT_FALSE(damaged.ok());
  EXPECT_FALSE(damaged.error().message.empty());
}

TEST(CompiledGroup, BindsSharedBuffers) {
  HostGraphMaker maker;
  maker.input("x", {20}).value("y", {20}).output("y").node("Relu", {"x"}, {"y"});
  const auto group = compiled(maker.graph()).value();
  SharedBuffers& buffers = SharedBuffers::instance();
  auto* const x = static_cast<float*>(buffers.allocate(80 + 64));
  auto* const y = static_cast<float*>(buffers.allocate(80));
  for (int turn = 0; turn < 3; ++turn) {
    float* const input = x + (turn == 1 ? 16 : 0);  // also at an offset
    std::fill_n(input, 20, static_cast<float>(turn));
    const std::array inputs{HostTensor{input, {20}}};
    const Status status = group->run(inputs, [&](size_t, const Dimensions&) -> Result<void*> { return y; });
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(std::vector<float>(y, y + 20), std::vector<float>(20, static_cast<float>(turn)));
  }
  EXPECT_EQ(group->runs(), 3U);
  EXPECT_EQ(group->copied_bytes(), 0U);
  buffers.free(x);
  buffers.free(y);
}

// The operating system gives the addresses of freed memory again.
TEST(CompiledGroup, BindsBuffersAtTheAddressOfFreedOnes) {
  HostGraphMaker maker;
  maker.input("x", {20}).value("y", {20}).output("y").node("Relu", {"x"}, {"y"});
  const auto group = compiled(maker.graph()).value();
  SharedBuffers& buffers = SharedBuffers::instance();
  for (int turn = 0; turn < 3; ++turn) {
    auto* const x = static_cast<float*>(buffers.allocate(80));
    auto* const y = static_cast<float*>(buffers.allocate(80));
    std::fill_n(x, 20, static_cast<float>(turn) + 1);
    const std::array inputs{HostTensor{x, {20}}};
    const Status status = group->run(inputs, [&](size_t, const Dimensions&) -> Result<void*> { return y; });
    EXPECT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(std::vector<float>(y, y + 20), std::vector<float>(20, static_cast<float>(turn) + 1));
    buffers.free(x);
    buffers.free(y);
  }
}

TEST(CompiledGroup, CopiesAgainAfterSharedBuffers) {
  HostGraphMaker maker;
  maker.input("x", {20}).value("y", {20}).output("y").node("Relu", {"x"}, {"y"});
  const auto group = compiled(maker.graph()).value();
  SharedBuffers& buffers = SharedBuffers::instance();
  auto* const x = static_cast<float*>(buffers.allocate(80));
  std::fill_n(x, 20, 1.0F);
  std::vector<float> plain(20, 2), y(20);
  for (float* const memory : {x, plain.data()}) {
    const std::array inputs{HostTensor{memory, {20}}};
    const Status status =
        group->run(inputs, [&](size_t, const Dimensions&) -> Result<void*> { return y.data(); });
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(y, std::vector<float>(memory, memory + 20));
  }
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(group->copied_bytes(), 3 * 80U);  // y twice, and x once
  buffers.free(x);
}

// What a framework binds as an input and as an output at once.
TEST(CompiledGroup, HandlesOutputAliasingInput) {
  constexpr size_t kSide = 48;
  for (const char* const type : {"Relu", "Transpose"}) {
    HostGraphMaker maker;
    maker.input("x", {kSide, kSide}).value("y", {kSide, kSide}).output("y").node(type, {"x"}, {"y"});
    const auto group = compiled(maker.graph()).value();
    SharedBuffers& buffers = SharedBuffers::instance();
    auto* const memory = static_cast<float*>(buffers.allocate((kSide + 1) * kSide * sizeof(float)));
    for (const size_t offset : {size_t{0}, kSide, size_t{0}}) {  // of the output
      std::vector<float> x(kSide * kSide), y(kSide * kSide);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + offset);
      for (size_t i = 0; i < y.size(); ++i)
        y[i] = type == std::string("Relu") ? x[i] : x[i % kSide * kSide + i / kSide];
      std::ranges::copy(x, memory);
      const std::array inputs{HostTensor{memory, {kSide, kSide}}};
      const Status status =
          group->run(inputs, [&](size_t, const Dimensions&) -> Result<void*> { return memory + offset; });
      ASSERT_TRUE(status.ok()) << status.error().message;
      EXPECT_EQ(std::vector<float>(memory + offset, memory + offset + y.size()), y) << type << " " << offset;
    }
    buffers.free(memory);
  }
}

TEST(CompiledGroup, WritesOverAnInputOfAnotherShape) {
  HostGraphMaker maker;
  maker.input("x", {2, 3}).value("y", {3, 2}).output("y");
  maker.node("Relu", {"x"}, {"a"}).node("Transpose", {"a"}, {"y"});
  const auto group = compiled(maker.graph()).value();
  SharedBuffers& buffers = SharedBuffers::instance();
  auto* const memory = static_cast<float*>(buffers.allocate(6 * sizeof(float)));
  for (int turn = 0; turn < 2; ++turn) {
    std::ranges::copy(std::vector<float>{1, 2, 3, 4, 5, 6}, memory);
    const std::array inputs{HostTensor{memory, {2, 3}}};
    const Status status =
        group->run(inputs, [&](size_t, const Dimensions&) -> Result<void*> { return memory; });
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(std::vector<float>(memory, memory + 6), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  }
  buffers.free(memory);
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

TEST(AskDevice, NamesUnreadableNodes) {
  HostGraphMaker maker;
  maker.input("x", {4}).value("a", {4}).value("y", {4}).output("y");
  maker.node("Relu", {"x"}, {"a"}).node("Softmax", {"a", "a"}, {"b"}).node("Conv", {"b", "x"}, {"y"});
  const GroupSupport answer = ask_device(maker.graph(), {0, 1, 2}, cpu(), without_fallback());
  EXPECT_FALSE(answer.accepts);
  EXPECT_EQ(answer.declined, std::vector<int>{2});
  EXPECT_FALSE(answer.reason.empty());
}

TEST(AskDevice, RefusesInputsOfUnknownRank) {
  HostGraphMaker maker;
  maker.input("x", {}).value("y", {}).output("y").node("Relu", {"x"}, {"y"});
  EXPECT_TRUE(ask_device(maker.graph(), {0}, cpu(), without_fallback()).accepts);
  maker.graph().values["x"].may_have_rank = true;
  const GroupSupport answer = ask_device(maker.graph(), {0}, cpu(), without_fallback());
  EXPECT_FALSE(answer.accepts);
  EXPECT_EQ(answer.reason, "The rank of the value x is not known.");
}

TEST(AskDevice, InfersMissingRanks) {
  HostGraphMaker maker;
  maker.input("x", {-1, 6}).value("a", {}).value("y", {-1, 6}).output("y");
  maker.node("Relu", {"x"}, {"a"}).node("Neg", {"a"}, {"y"});
  HostValue& a = maker.graph().values["a"];
  a.may_have_rank = true;
  EXPECT_FALSE(ask_device(maker.graph(), {1}, cpu(), without_fallback()).accepts);
  EXPECT_TRUE(ask_device(maker.graph(), {0, 1}, cpu(), without_fallback()).accepts);
  EXPECT_TRUE(a.is_inferred);
  const auto& shape = a.info.type().tensor_type().shape();
  ASSERT_EQ(shape.dim_size(), 2);
  EXPECT_FALSE(shape.dim(0).has_dim_value());
  EXPECT_EQ(shape.dim(1).dim_value(), 6);
  EXPECT_TRUE(ask_device(maker.graph(), {1}, cpu(), without_fallback()).accepts);
}

}  // namespace
}  // namespace nnrt::ep
