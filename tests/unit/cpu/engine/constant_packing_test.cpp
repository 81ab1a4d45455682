// When the CPU device frees the constants it has packed.
#include "backends/cpu/engine/constant_packing.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/tensor_views.h"

#include <mutex>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

// Counts the constants that are in memory.
class Ledger {
 public:
  // The graph with every constant of `bytes` or more in memory that reports its end.
  GraphPtr watched(const GraphPtr& graph, size_t bytes) {
    auto own = std::make_shared<Graph>(*graph);
    for (Tensor& tensor : own->tensors) {
      if (!tensor.is_constant() || tensor.data->size() < bytes) continue;
      auto* const copy = new Bytes(tensor.data->begin(), tensor.data->end());
      const std::lock_guard lock(mutex_);
      ++live_;
      tensor.data = std::shared_ptr<const Bytes>(copy, [this](const Bytes* gone) {
        delete gone;
        const std::lock_guard ending(mutex_);
        --live_;
      });
    }
    return own;
  }
  int live() const {
    const std::lock_guard lock(mutex_);
    return live_;
  }

 private:
  mutable std::mutex mutex_;
  int live_ = 0;
};

std::vector<float> values(int64_t count) {
  std::vector<float> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) result[i] = float(int64_t(i * 37 % 101) - 50) / 64;
  return result;
}

constexpr int64_t kRows = 8, kSize = 64, kLayers = 24;
constexpr size_t kWeightBytes = kSize * kSize * sizeof(float);

// `kLayers` matrices in sequence; the last `shared` of them have the weights of the first.
GraphPtr layers(int64_t shared) {
  GraphMaker maker;
  TensorId top = maker.input({kRows, kSize});
  const TensorId first = maker.floats({kSize, kSize}, values(kSize * kSize)),
                 bias = maker.floats({kSize}, values(kSize));
  for (int64_t i = 0; i < kLayers; ++i) {
    const bool has_own = i > 0 && i < kLayers - shared;
    const TensorId weight = has_own ? maker.floats({kSize, kSize}, values(kSize * kSize)) : first;
    top = maker.op(Op::full_connection, {top, weight, bias}, {kRows, kSize});
  }
  return maker.finish({top});
}

std::vector<float> run(PreparedModel& model) {
  const TensorView inputs[] = {test::view_of<float>({kRows, kSize}, values(kRows * kSize))};
  std::vector<OutputSlot> outputs{
      {test::view_of<float>({kRows, kSize}, std::vector<float>(size_t(kRows * kSize))), false}};
  EXPECT_TRUE(model.run(inputs, outputs, {}).ok());
  return test::values_of<float>(outputs[0].view);
}

TEST(ConstantPacking, FreesUnsharedOriginals) {
  for (const int64_t shared : {0, 3}) {
    Ledger ledger;
    GraphPtr graph = ledger.watched(layers(shared), kWeightBytes), kept = graph;
    const auto device = make_device();
    const auto with_originals = device->prepare(kept, {}).value();
    EXPECT_EQ(ledger.live(), kLayers - shared);
    const std::vector<float> want = run(*with_originals);
    kept = nullptr;
    const auto model = device->prepare(std::move(graph), {}).value();
    EXPECT_EQ(ledger.live(), 0) << shared;
    EXPECT_EQ(run(*model), want);
  }
}

TEST(ConstantPacking, KeepsConstantsReadByRuns) {
  Ledger ledger;
  GraphMaker maker;
  const TensorId x = maker.input({kRows, kSize}),
                 weight = maker.floats({kSize, kSize}, values(kSize * kSize));
  const TensorId product = maker.op(Op::matmul, {x, weight}, {kRows, kSize});
  const TensorId sum = maker.op(Op::add, {weight, weight}, {kSize, kSize});
  GraphPtr graph = ledger.watched(maker.finish({product, sum}), kWeightBytes);
  const auto model = make_device()->prepare(std::move(graph), {}).value();
  EXPECT_EQ(ledger.live(), 1);
}

TEST(ConstantPacking, FreesScalesAndZeroPointsToo) {
  Ledger ledger;
  GraphMaker maker;
  const TensorId x = maker.input({kRows, 24}),
                 weights = maker.constant({10, 12}, DType::u8, std::vector<uint8_t>(120, 0x4b)),
                 scales = maker.floats({10, 1}, values(10)),
                 zeros = maker.constant({10, 1}, DType::u8, std::vector<uint8_t>(10, 7));
  GraphPtr graph = ledger.watched(
      maker.finish({maker.op(Op::matmul_nbits, {x, weights, scales, zeros}, {kRows, 10})}), 10);
  EXPECT_EQ(ledger.live(), 3);
  const auto model = make_device()->prepare(std::move(graph), {}).value();
  EXPECT_EQ(ledger.live(), 0);
}

TEST(ConstantPacking, KeepsTheWeightsOfWinograd) {
  const test::KernelsVariable kernels("+winograd4");
  Ledger ledger;
  GraphMaker maker;
  const TensorId x = maker.input({1, 32, 32, 32}, DType::f32, Format::nhwc),
                 weight = maker.floats({32, 3, 3, 32}, values(32 * 9 * 32)),
                 bias = maker.floats({32}, values(32)),
                 pad_mode = maker.parameter<int8_t>(14, DType::i8, {0});
  GraphPtr graph = normalize(maker.finish(
      {maker.op(Op::conv2d, {x, weight, bias}, {1, 32, 32, 32}, {pad_mode}, DType::f32, Format::nhwc)}));
  graph = ledger.watched(graph, 32 * 9 * 32 * sizeof(float));
  const auto model = make_device()->prepare(std::move(graph), {}).value();
  EXPECT_EQ(ledger.live(), 1);
}

// The packed bytes do not depend on how many nodes are packed at once.
TEST(ConstantPacking, PacksTheSameOnAnyNumberOfThreads) {
  const GraphPtr graph = layers(2);
  const auto device = make_device();
  const auto alone = device->prepare(graph, {.performance = PerformanceMode::low}).value();
  const auto model = device->prepare(graph, {.performance = PerformanceMode::extreme}).value();
  EXPECT_EQ(alone->export_cache(graph).value(), model->export_cache(graph).value());
}

}  // namespace
}  // namespace nnrt::cpu
