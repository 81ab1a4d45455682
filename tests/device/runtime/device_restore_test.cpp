// Exported and restored models give the same bytes without the work of prepare(); damaged exports are
// handled.
#include "core/base/text.h"
#include "core/cache/deferred_constants.h"
#include "core/device/cache_traits.h"
#include "core/passes/drop_weights.h"
#include "tests/device/device_suite.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/random/random_graph.h"

#include <algorithm>
#include <iostream>
#include <mutex>

namespace nnrt::test {
namespace {

constexpr uint32_t kGraphs = 30;

using Outputs = std::vector<std::vector<std::byte>>;

Outputs run_once(PreparedModel& model, const std::vector<TensorView>& inputs, size_t outputs) {
  std::vector<OutputSlot> slots(outputs, OutputSlot{{}, true});
  const Status status = model.run(inputs, slots, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  Outputs results;
  for (const OutputSlot& slot : slots) {
    if (slot.view.memory != nullptr)
      results.emplace_back(slot.view.data(), slot.view.data() + slot.view.bytes);
  }
  return results;
}

// Zeros by default.
std::vector<TensorView> inputs_of(const Graph& graph, const std::vector<Bytes>& fed = {}) {
  std::vector<TensorView> inputs;
  for (const TensorId id : graph.inputs) {
    const size_t bytes = byte_size(graph.tensors[id].dtype, graph.shapes[id]).value();
    auto memory = SharedMemory::create(std::max<size_t>(bytes, 1)).value();
    if (!fed.empty()) std::ranges::copy(fed[inputs.size()], memory->data());
    inputs.push_back({std::move(memory), 0, bytes, graph.shapes[id]});
  }
  return inputs;
}

TEST(Restore, GivesTheSameResultsAsThePreparedModel) {
  const auto gpu = suite_device();
  uint32_t restored_graphs = 0;
  for (uint32_t seed = 1; seed <= kGraphs; ++seed) {
    const RandomGraph drawn = draw_graph(seed);
    const GraphPtr graph = normalize(drawn.graph);
    if (first_refusal(*gpu, *graph)) continue;
    const CompileOptions options{.float16 = seed % 2 == 0};
    const auto prepared = prepare(*gpu, graph, options);
    const Bytes cached = prepared->export_cache(graph).value();
    if (cached.empty()) continue;
    auto restored = gpu->restore(graph, options, in_pages(cached));
    ASSERT_TRUE(restored.ok()) << restored.error().message << "\n" << drawn.description;
    ++restored_graphs;
    const std::vector<TensorView> inputs = inputs_of(*graph, drawn.fed);
    const size_t outputs = graph->outputs.size();
    EXPECT_EQ(run_once(*prepared, inputs, outputs), run_once(*restored.value(), inputs, outputs))
        << drawn.description;
    EXPECT_EQ(restored.value()->export_cache(graph).value(), cached) << drawn.description;
  }
  EXPECT_GT(restored_graphs, kGraphs / 3);
}

// A copy whose large constants are read when they are first needed. `is_read` has an entry for each tensor.
GraphPtr deferred(const Graph& graph, std::vector<bool>& is_read) {
  std::vector<bool> is_constant;
  for (const Tensor& tensor : graph.tensors) is_constant.push_back(tensor.is_constant());
  const std::vector<bool> deferrable = find_deferrable(graph, is_constant, kKeptBytes);
  auto copy = std::make_shared<Graph>(graph);
  is_read.assign(graph.tensors.size(), true);
  for (TensorId id = 0; id < copy->tensors.size(); ++id) {
    if (!deferrable[id]) continue;
    is_read[id] = false;
    const SharedBytes data = graph.tensors[id].data;
    copy->tensors[id].data =
        deferred_bytes(data->size(), data->size(), [&is_read, data, id](std::span<std::byte> to) {
          std::ranges::copy(*data, to.begin());
          static std::mutex mutex;
          const std::lock_guard lock(mutex);
          is_read[id] = true;
          return Status();
        });
  }
  return copy;
}

bool reads_late() { return dynamic_cast<const DeferredReader*>(suite_device().get()) != nullptr; }

// Products by weights in each mode. A constant that is accessed before it was read crashes.
TEST(Restore, ReadsConstantsBeforeItAccessesThem) {
  if (!reads_late()) GTEST_SKIP() << "The device reads all constants before it restores a model.";
  GraphMaker maker;
  const auto values = [](int64_t count) { return std::vector<float>(size_t(count), 0.25f); };
  const auto convolved = [&](TensorId x, const Shape& weights) {
    const TensorId w = maker.floats(weights, values(*element_count(weights))),
                   bias = maker.floats({32}, values(32));
    const TensorId pad_mode = maker.parameter<int8_t>(14, DType::i8, {0});
    return maker.op(Op::conv2d, {x, w, bias}, {1, 16, 16, 32}, {pad_mode}, DType::f32, Format::nhwc);
  };
  const TensorId image = maker.input({1, 16, 16, 32}, DType::f32, Format::nhwc);
  const TensorId x = maker.input({20, 64}), row = maker.input({1, 64});
  const TensorId shared = maker.floats({64, 64}, values(64 * 64));
  const TensorId y = convolved(convolved(convolved(image, {32, 3, 3, 32}), {32, 1, 1, 32}), {32, 5, 5, 32});
  const TensorId z = maker.op(Op::add, {maker.op(Op::matmul, {x, shared}, {20, 64}), row}, {20, 64});
  const TensorId vector = maker.op(Op::full_connection, {row, shared}, {1, 64});
  const GraphPtr graph = normalize(maker.finish({y, z, vector}));
  for (const SuiteMode& mode : suite_modes()) {
    SCOPED_TRACE(mode.name);
    const auto prepared = prepare(*mode.device, graph);
    const Bytes cached = prepared->export_cache(graph).value();
    ASSERT_FALSE(cached.empty());
    std::vector<bool> is_read;
    const GraphPtr late = deferred(*graph, is_read);
    EXPECT_TRUE(mode.device->supports(*late, {}).ok()) << "hosts ask before they restore";
    const auto restored = mode.device->restore(late, {}, in_pages(cached));
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    const std::vector<TensorView> inputs = inputs_of(*graph);
    EXPECT_EQ(run_once(*prepared, inputs, 3), run_once(*restored.value(), inputs, 3));
    EXPECT_FALSE(restored.value()->kernels(late).operations.empty());
  }
}

// A network of each operator with weights, and one operand that runs read as it is.
struct WeightedNetwork {
  WeightedNetwork() {
    constexpr int64_t kSide = 28, kChannels = 64, kRows = 64, kSize = 128;
    TensorId image = maker_.input({1, kSide, kSide, kChannels}, DType::f32, Format::nhwc);
    for (const int64_t kernel : {3, 1, 5}) {
      const TensorId bias = constant({kChannels});
      const TensorId pad_mode = maker_.parameter<int8_t>(14, DType::i8, {0});
      image = maker_.op(Op::conv2d, {image, weight({kChannels, kernel, kernel, kChannels}), bias},
                        {1, kSide, kSide, kChannels}, {pad_mode}, DType::f32, Format::nhwc);
    }
    const TensorId x = maker_.input({kRows, kSize});
    const TensorId y = maker_.op(Op::matmul, {x, weight({kSize, kSize})}, {kRows, kSize});
    const TensorId z = maker_.op(Op::full_connection, {y, weight({kSize, kSize})}, {kRows, kSize});
    summand = constant({kRows, kSize});
    graph = normalize(maker_.finish({image, maker_.op(Op::add, {z, summand}, {kRows, kSize})}));
  }

  TensorId summand = 0;
  std::vector<TensorId> weights;
  GraphPtr graph;

 private:
  TensorId constant(const Shape& shape) {
    return maker_.floats(shape, std::vector<float>(size_t(*element_count(shape)), 0.01f));
  }
  TensorId weight(const Shape& shape) {
    weights.push_back(constant(shape));
    return weights.back();
  }

  GraphMaker maker_;
};

TEST(Restore, ReadsNoCachedWeights) {
  if (!reads_late()) GTEST_SKIP() << "The device reads all constants before it restores a model.";
  const WeightedNetwork network;
  for (const SuiteMode& mode : suite_modes()) {
    if (mode.name == "quick shaders") continue;  // read some weights as they are
    SCOPED_TRACE(mode.name);
    const auto prepared = prepare(*mode.device, network.graph);
    const Bytes cached = prepared->export_cache(network.graph).value();
    std::vector<bool> is_read;
    const GraphPtr late = deferred(*network.graph, is_read);
    const auto restored = mode.device->restore(late, {}, in_pages(cached));
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    const std::vector<TensorView> inputs = inputs_of(*network.graph);
    EXPECT_EQ(run_once(*prepared, inputs, 2), run_once(*restored.value(), inputs, 2));
    EXPECT_EQ(restored.value()->export_cache(late).value(), cached);
    EXPECT_FALSE(restored.value()->kernels(late).operations.empty());
    // Winograd convolutions of the CPU read their filters in both forms.
    const TensorId winograd =
        mode.device->type().value() == DeviceType::cpu ? network.weights[0] : TensorId(-1);
    for (const TensorId weight : network.weights) EXPECT_EQ(is_read[weight], weight == winograd) << weight;
    EXPECT_TRUE(is_read[network.summand]);
    EXPECT_TRUE(ensure_read(*late).ok());
    EXPECT_TRUE(is_read[network.weights[0]]);
  }
}

GraphPtr small_network() {
  GraphMaker maker;
  const TensorId x = maker.input({1, 5, 7, 3}, DType::f32, Format::nhwc);
  const TensorId weight = maker.floats({11, 3, 3, 3}, std::vector<float>(297, 0.25f));
  const TensorId bias = maker.floats({11}, std::vector<float>(11, 0.5f));
  const TensorId pad_mode = maker.parameter<int8_t>(14, DType::i8, {0});
  const TensorId y =
      maker.op(Op::conv2d, {x, weight, bias}, {1, 5, 7, 11}, {pad_mode}, DType::f32, Format::nhwc);
  const TensorId z = maker.op(Op::relu, {y}, {1, 5, 7, 11});
  return normalize(maker.finish({maker.op(Op::add, {z, y}, {1, 5, 7, 11}), z}));
}

TEST(Restore, RejectsTruncatedCaches) {
  const auto gpu = suite_device();
  const GraphPtr graph = small_network();
  const Bytes cached = prepare(*gpu, graph)->export_cache(graph).value();
  ASSERT_FALSE(cached.empty());
  for (size_t bytes = 0; bytes < cached.size(); bytes += 1 + bytes / 64) {
    const auto restored = gpu->restore(graph, {}, in_pages(std::span(cached).first(bytes)));
    ASSERT_FALSE(restored.ok()) << bytes;
    EXPECT_EQ(restored.error().code, Code::invalid_file) << restored.error().message;
  }
}

TEST(Restore, NeverCrashesOverFlippedBits) {
  const auto gpu = suite_device();
  const GraphPtr graph = small_network();
  const Bytes cached = prepare(*gpu, graph)->export_cache(graph).value();
  const std::vector<TensorView> inputs = inputs_of(*graph);
  Random random(5);
  size_t refused = 0, ran = 0;
  for (int i = 0; i < 400; ++i) {
    Bytes flipped = cached;
    const size_t at = random.below(flipped.size());
    const bool stays_small = flipped[at] != std::byte(0);
    flipped[at] ^= std::byte(1 << random.below(8));
    const auto restored = gpu->restore(graph, {}, in_pages(flipped));
    if (!restored.ok()) {
      EXPECT_EQ(restored.error().code, Code::invalid_file) << restored.error().message;
      ++refused;
    }
    // A loop count with a high bit set would run forever.
    if (!restored.ok() || !stays_small) continue;
    run_once(*restored.value(), inputs, graph->outputs.size());
    ++ran;
  }
  std::cout << refused << " refused, " << ran << " ran.\n";
  EXPECT_GT(refused, 0u);
  EXPECT_GT(ran, 0u);
}

TEST(Restore, HasTheSameKeyInEveryProcess) {
  EXPECT_FALSE(suite_device()->cache_key().empty());
  EXPECT_EQ(suite_device()->cache_key(), suite_device()->cache_key());
}

}  // namespace
}  // namespace nnrt::test
