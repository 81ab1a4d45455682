// The example plugin as a device, in this process and hosted, against the CPU device: the same checks as
// tests/device makes of a GPU.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/host/client/host_client.h"
#include "backends/plugin/plugin_loader.h"
#include "core/base/text.h"
#include "core/passes/normalize.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/device/guarded_run.h"
#include "tests/support/device_agreement.h"
#include "tests/support/graph_maker.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/random/random_node.h"
#include "tests/support/tensor_views.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <thread>

namespace nnrt::test {
namespace {

constexpr uint32_t kSeeds = 40;

class ExampleNpu : public testing::TestWithParam<bool> {
 protected:
  ExampleNpu() {
    EXPECT_EQ(devices.size(), 1u);
    npu = devices.at(0).get();
  }
  bool supports(const Graph& graph) const {
    const std::vector<Refusal> refusals = refusals_of(*npu, graph, {});
    return std::ranges::none_of(refusals, [](const Refusal& refusal) { return refusal.has_value(); });
  }
  // Describes what is wrong with a run; empty if nothing.
  std::string compare(const GraphPtr& graph, const std::vector<Bytes>& fed, Random& random, double scale,
                      double loose) const {
    const auto want = run_guarded(*cpu, graph, fed, random, false);
    if (!want.ok()) return "The CPU: " + want.error().message;
    const auto got = run_guarded(*npu, graph, fed, random, true);
    if (!got.ok()) return "The plugin: " + got.error().message;
    for (size_t i = 0; i < graph->outputs.size(); ++i) {
      const DType dtype = graph->tensors[graph->outputs[i]].dtype;
      Tolerance tolerance = tolerance_of(dtype);
      tolerance.absolute *= loose;
      tolerance.relative *= loose;
      const double here = std::max(scale, largest_magnitude(dtype, want.value()[i]));
      if (const auto wrong = difference(dtype, got.value()[i], want.value()[i], tolerance, here))
        return *wrong;
    }
    return "";
  }
  std::unique_ptr<PreparedModel> prepare(const GraphPtr& graph) const {
    EXPECT_TRUE(supports(*graph));
    return npu->prepare(graph, {}).value();
  }

  const std::vector<std::shared_ptr<Device>> devices =
      GetParam() ? host::start_devices({"--devices", "none", "--plugins", EXAMPLE_NPU})
                 : plugin::load_devices(EXAMPLE_NPU);
  Device* npu = nullptr;
  const std::shared_ptr<Device> cpu = cpu::make_device();
};

GraphPtr relu(Shape shape) {
  GraphMaker maker;
  const TensorId x = maker.input(shape);
  return maker.finish({maker.op(Op::relu, {x}, std::move(shape))});
}

// The driver interface only supports a float.
TEST_P(ExampleNpu, IsNotQueriedForIntegerConstants) {
  constexpr int kPadConstant = 43;
  const auto refusal_of = [&](int64_t number) {
    GraphMaker maker;
    const TensorId constant = maker.parameter<int64_t>(kPadConstant, DType::i64, {number});
    const TensorId amounts = maker.constant<int32_t>({1, 2}, DType::i32, {1, 1});
    const TensorId x = maker.input({3}, DType::i64);
    const GraphPtr graph = maker.finish({maker.op(Op::pad, {x, amounts}, {5}, {constant}, DType::i64)});
    return refusals_of(*npu, *graph, {}).at(0).value_or("");
  };
  const std::string reason = "is not a FLOAT32, which the driver interface requires.";
  EXPECT_NE(refusal_of(16777217).find(reason), std::string::npos) << refusal_of(16777217);
  EXPECT_EQ(refusal_of(16777216).find(reason), std::string::npos) << refusal_of(16777216);
}

TEST_P(ExampleNpu, ComputesRandomNodesAsTheCpuDoes) {
  size_t refused = 0;
  std::map<std::string, size_t> ran;
  for (const Op op : {Op::add, Op::sub, Op::mul, Op::relu, Op::relu6, Op::sigmoid, Op::tanh, Op::matmul,
                      Op::full_connection, Op::conv2d, Op::max_pool, Op::softmax}) {
    size_t& count = ran[std::string(name(op))];
    for (uint32_t seed = 1; seed <= 10 * kSeeds && count < kSeeds; ++seed) {
      const RandomNode node = valid_node(op, seed, refused);
      const GraphPtr graph = graph_of(node).value();
      if (!supports(*graph)) continue;
      ++count;
      std::vector<Bytes> fed;
      double scale = 1;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (!node.inputs[i].is_constant()) fed.push_back(node.contents[i]);
        if (is_float(node.inputs[i].dtype))
          scale = std::max(scale, largest_magnitude(node.inputs[i].dtype, node.contents[i]));
      }
      if (fed.empty()) fed.emplace_back(sizeof(float));
      Random random(seed);
      EXPECT_EQ(compare(graph, fed, random, scale, 1), "") << describe(node);
    }
  }
  for (const auto& [op, count] : ran) EXPECT_GT(count, 0u) << op;
}

TEST_P(ExampleNpu, SharesRandomGraphsWithTheCpu) {
  size_t shared = 0;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomGraph drawn = draw_graph(seed);
    const auto model = compile(drawn.graph, *npu, cpu.get(), {});
    ASSERT_TRUE(model.ok()) << model.error().message << "\n" << drawn.description;
    if (model.value()->partitions.size() > 1) ++shared;
    std::vector<TensorView> inputs;
    std::vector<OutputSlot> outputs, want;
    for (size_t i = 0; i < drawn.fed.size(); ++i) {
      const TensorId id = drawn.graph->inputs[i];
      inputs.push_back(empty_view(std::max<size_t>(drawn.fed[i].size(), 1), drawn.graph->shapes[id]));
      std::ranges::copy(drawn.fed[i], inputs.back().data());
    }
    for (const TensorId id : drawn.graph->outputs) {
      const size_t bytes = *byte_size(drawn.graph->tensors[id].dtype, drawn.graph->shapes[id]);
      outputs.push_back({empty_view(bytes)});
      want.push_back({empty_view(bytes)});
    }
    Execution execution(model.value());
    ASSERT_TRUE(execution.run(inputs, outputs, {}).ok()) << drawn.description;
    Execution alone(compile(drawn.graph, *cpu, nullptr, {}).value());
    ASSERT_TRUE(alone.run(inputs, want, {}).ok());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const DType dtype = drawn.graph->tensors[drawn.graph->outputs[i]].dtype;
      Tolerance tolerance = tolerance_of(dtype);
      tolerance.absolute *= 20;
      tolerance.relative *= 20;
      const ByteView got_bytes(outputs[i].view.data(), outputs[i].view.bytes),
          want_bytes(want[i].view.data(), want[i].view.bytes);
      const double scale = is_float(dtype) ? std::max(drawn.scale, largest_magnitude(dtype, want_bytes)) : 1;
      EXPECT_EQ(difference(dtype, got_bytes, want_bytes, tolerance, scale).value_or(""), "")
          << drawn.description;
    }
  }
  EXPECT_GT(shared, kSeeds / 4);
}

TEST_P(ExampleNpu, RestoresExportedCache) {
  GraphMaker maker;
  const TensorId x = maker.input({1, 5, 7, 3}, DType::f32, Format::nhwc);
  const TensorId weight = maker.floats({11, 3, 3, 3}, std::vector<float>(297, 0.25f));
  const TensorId bias = maker.floats({11}, std::vector<float>(11, 0.5f));
  const TensorId pad_mode = maker.parameter<int8_t>(14, DType::i8, {0});
  const TensorId y =
      maker.op(Op::conv2d, {x, weight, bias}, {1, 5, 7, 11}, {pad_mode}, DType::f32, Format::nhwc);
  const GraphPtr graph = maker.finish({maker.op(Op::relu, {y}, {1, 5, 7, 11})});
  const auto prepared = prepare(graph);
  const Bytes cached = prepared->export_cache(graph).value();
  ASSERT_FALSE(cached.empty());
  const auto restored = npu->restore(graph, {}, in_pages(cached)).value();
  EXPECT_EQ(restored->export_cache(graph).value(), cached);
  std::vector<float> values(105);
  std::iota(values.begin(), values.end(), -50.0f);
  const auto run_once = [&](PreparedModel& model) {
    std::vector<OutputSlot> slots{{{}, true}};
    EXPECT_TRUE(model.run(std::vector{view_of<float>({1, 5, 7, 3}, values)}, slots, {}).ok());
    return values_of<float>(slots[0].view);
  };
  EXPECT_EQ(run_once(*prepared), run_once(*restored));
  for (size_t bytes = 0; bytes < cached.size(); bytes += 1 + bytes / 16)
    EXPECT_FALSE(npu->restore(graph, {}, in_pages(std::span(cached).first(bytes))).ok()) << bytes;
}

TEST_P(ExampleNpu, ReportsShapeOfTooSmallOutput) {
  const auto model = prepare(relu({5}));
  std::vector<OutputSlot> slots{{empty_view(16), false}};
  const Status status = model->run(std::vector{view_of<float>({5}, {1, 2, 3, 4, 5})}, slots, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::invalid_parameter);
  EXPECT_EQ(slots[0].view.shape, (Shape{5}));
}

TEST_P(ExampleNpu, SkipsRunsPastDeadline) {
  const auto model = prepare(relu({1}));
  std::vector<OutputSlot> slots{{view_of<float>({1}, {7}), false}};
  const Status late =
      model->run(std::vector{view_of<float>({1}, {1})}, slots, Clock::now() - std::chrono::milliseconds(1));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, Code::timeout);
  EXPECT_EQ(*reinterpret_cast<const float*>(slots[0].view.data()), 7);
  EXPECT_TRUE(
      model->run(std::vector{view_of<float>({1}, {1})}, slots, Clock::now() + std::chrono::seconds(60)).ok());
}

TEST_P(ExampleNpu, ServesThreadsOneAfterTheOther) {
  const auto model = prepare(relu({3}));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int n = 1; n <= 4; ++n) {
    threads.emplace_back([&, n] {
      for (int i = 0; i < 50; ++i) {
        std::vector<OutputSlot> slots{{{}, true}};
        const float value = float(n * 100 + i);
        const Status status = model->run(std::vector{view_of<float>({3}, {value, -1, value})}, slots, {});
        if (!status.ok() || values_of<float>(slots[0].view) != std::vector<float>{value, 0, value}) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Processes, ExampleNpu, testing::Bool(),
                         [](const auto& test) { return test.param ? "Hosted" : "InProcess"; });

}  // namespace
}  // namespace nnrt::test
