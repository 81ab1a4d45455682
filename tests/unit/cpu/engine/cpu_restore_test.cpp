// Exported and restored models.
#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/page_aligned_bytes.h"

#include <gtest/gtest.h>

#include <numeric>

namespace nnrt::test {
namespace {

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = float(i % 17) - 7.5f;
  return values;
}

// Every kernel that prepacks weights. A batch of -1 is dynamic.
GraphPtr network(int64_t batch) {
  GraphMaker maker;
  const TensorId x = maker.input({batch, 5, 7, 3}, DType::f32, Format::nhwc);
  const TensorId same = maker.parameter<int8_t>(14, DType::i8, {0});
  const TensorId conv =
      maker.op(Op::conv2d, {x, maker.floats({11, 3, 3, 3}, ramp(297)), maker.floats({11}, ramp(11))},
               {batch, 5, 7, 11}, {same}, DType::f32, Format::nhwc);
  const TensorId same_depthwise = maker.parameter<int8_t>(27, DType::i8, {0});
  const TensorId depthwise =
      maker.op(Op::depthwise_conv2d_native,
               {conv, maker.floats({11, 3, 3, 1}, ramp(99)), maker.floats({11}, ramp(11))}, {batch, 5, 7, 11},
               {same_depthwise}, DType::f32, Format::nhwc);
  return normalize(maker.finish(
      {maker.op(Op::matmul, {depthwise, maker.floats({11, 13}, ramp(143))}, {batch, 5, 7, 13})}));
}

Result<std::vector<float>> run(PreparedModel& model) {
  TensorView x{SharedMemory::create(2 * 105 * sizeof(float)).value(), 0, 840, {2, 5, 7, 3}};
  const std::vector<float> values = ramp(210);
  std::memcpy(x.data(), values.data(), x.bytes);
  std::vector<OutputSlot> outputs{{{}, true}};
  NNRT_TRY(model.run(std::span(&x, 1), outputs, {}));
  std::vector<float> results(2 * 35 * 13);
  std::memcpy(results.data(), outputs[0].view.data(), results.size() * sizeof(float));
  return results;
}

class Restore : public testing::TestWithParam<int64_t> {
 protected:
  const GraphPtr graph_ = network(GetParam());
  const std::shared_ptr<Device> device_ = cpu::make_device();
  const std::unique_ptr<PreparedModel> prepared_ = device_->prepare(graph_, {}).value();
  const Bytes cached_ = prepared_->export_cache(graph_).value();
};

TEST_P(Restore, GivesTheSameResultsAsThePreparedModel) {
  auto restored = device_->restore(graph_, {}, test::in_pages(cached_)).value();
  EXPECT_EQ(run(*restored).value(), run(*prepared_).value());
}

TEST_P(Restore, ReproducesExportedBytes) {
  ASSERT_TRUE(run(*prepared_).ok());
  EXPECT_EQ(prepared_->export_cache(graph_).value(), cached_);
  EXPECT_EQ(device_->restore(graph_, {}, test::in_pages(cached_)).value()->export_cache(graph_).value(),
            cached_);
}

TEST_P(Restore, RejectsTruncatedCaches) {
  for (size_t bytes = 0; bytes < cached_.size(); ++bytes) {
    const auto restored = device_->restore(graph_, {}, test::in_pages(std::span(cached_).first(bytes)));
    ASSERT_FALSE(restored.ok()) << bytes;
    EXPECT_EQ(restored.error().code, Code::invalid_file);
  }
}

TEST_P(Restore, NeverCrashesOverFlippedBits) {
  for (size_t at = 0; at < cached_.size(); at += at < 200 ? 1 : 61) {
    Bytes flipped = cached_;
    flipped[at] ^= std::byte(1 << at % 8);
    auto restored = device_->restore(graph_, {}, test::in_pages(flipped));
    if (restored.ok()) {
      EXPECT_TRUE(run(*restored.value()).ok());
    } else {
      EXPECT_EQ(restored.error().code, Code::invalid_file);
    }
  }
}

TEST_P(Restore, RefusesTheModelOfAnotherGraph) {
  EXPECT_FALSE(device_->restore(network(GetParam() == 2 ? -1 : 2), {}, test::in_pages(cached_)).ok());
}

INSTANTIATE_TEST_SUITE_P(Batch, Restore, testing::Values(2, -1));

TEST(CpuModel, PacksWeightsBeforeTheFirstRun) {
  const size_t weights = (297 + 99 + 143) * sizeof(float);
  const GraphPtr graph = network(2);
  EXPECT_GE(cpu::make_device()->prepare(graph, {}).value()->export_cache(graph).value().size(), weights);
}

}  // namespace
}  // namespace nnrt::test
