// Exported and restored models give the same bytes without the work of prepare(); damaged exports are
// handled.
#include "core/base/text.h"
#include "tests/device/device_suite.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/random/random_graph.h"

#include <algorithm>
#include <iostream>

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

TEST(Restore, RefusesWhatIsCutOff) {
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
