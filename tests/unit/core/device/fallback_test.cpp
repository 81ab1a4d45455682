// The fallback runs what the chosen device has no memory for, or cannot handle after all.
#include "backends/cpu/engine/cpu_device.h"
#include "core/platform/log.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

const Error kBeyond{Code::unsupported, "A grid is larger than the device's limit."};
const Error kNoMemory{Code::memory, "The device has no memory left."};

// Computes like the CPU, and fails on demand.
class PoorDevice final : public test::PartialDevice {
 public:
  class Model final : public PreparedModel {
   public:
    Model(PoorDevice& device, std::unique_ptr<PreparedModel> model)
        : device_(device), model_(std::move(model)) {}
    Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
               Deadline deadline) override {
      ++device_.runs;
      if (device_.run_error) return *device_.run_error;
      return model_->run(inputs, outputs, deadline);
    }
    Result<Bytes> export_cache(const GraphPtr&) const override { return Bytes(7); }

   private:
    PoorDevice& device_;
    std::unique_ptr<PreparedModel> model_;
  };

  PoorDevice() : PartialDevice(cpu::make_device(), [](const Node& node) { return node.op != Op::exp; }) {
    info_.name = "Poor";
    type_ = DeviceType::gpu;
  }

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    if (prepare_error) return *prepare_error;
    NNRT_ASSIGN(auto model, PartialDevice::prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>(*this, std::move(model)));
  }

  std::optional<Error> prepare_error, run_error;
  int runs = 0;
};

// y = exp(-x); the limited device refuses exp.
class FallbackTest : public testing::Test {
 protected:
  FallbackTest() {
    set_log_sink([this](LogLevel level, std::string_view line) {
      if (level <= LogLevel::warning) lines_.emplace_back(line);
    });
  }
  ~FallbackTest() override { set_log_sink({}); }

  auto compile_for(Device* fallback, const Shape& shape = {3}) {
    test::GraphMaker make;
    const TensorId x = make.input(shape);
    const TensorId negative = make.op(Op::neg, {x}, shape);
    return compile(make.finish({make.op(Op::exp, {negative}, shape)}), poor_, fallback, {});
  }
  Status run(const std::shared_ptr<const CompiledModel>& model) {
    std::vector<TensorView> inputs{test::view_of<float>({3}, {0, 0, 0})};
    std::vector<OutputSlot> outputs{{test::view_of<float>({3}, {0, 0, 0})}};
    const Status status = Execution(model).run(inputs, outputs, {});
    values_ = test::values_of<float>(outputs[0].view);
    return status;
  }

  PoorDevice poor_;
  std::shared_ptr<Device> cpu_ = cpu::make_device();
  std::vector<std::string> lines_;
  std::vector<float> values_;
};

TEST_F(FallbackTest, PartitionOutOfMemoryGoesToTheCpu) {
  poor_.prepare_error = kNoMemory;
  const auto model = compile_for(cpu_.get()).value();
  ASSERT_TRUE(run(model).ok());
  EXPECT_EQ(values_, (std::vector<float>{1, 1, 1}));
  EXPECT_TRUE(model->short_of_memory);
  EXPECT_EQ(model->placement[0].device, cpu_->info().name);
  EXPECT_EQ(model->placement[0].reason,
            "The device has no memory left. While preparing 1 operation on Poor.");
  EXPECT_EQ(lines_, (std::vector<std::string>{
                        "The device has no memory left. While preparing 1 operation on Poor. They run on " +
                        cpu_->info().name + " instead."}));
}

TEST_F(FallbackTest, PartitionRefusedInPrepareGoesToTheCpu) {
  poor_.prepare_error = kBeyond;
  const auto model = compile_for(cpu_.get()).value();
  ASSERT_TRUE(run(model).ok());
  EXPECT_EQ(values_, (std::vector<float>{1, 1, 1}));
  EXPECT_FALSE(model->short_of_memory);  // the result is the same next time
  EXPECT_EQ(model->placement[0].reason,
            "A grid is larger than the device's limit. While preparing 1 operation on Poor.");
  EXPECT_EQ(lines_.size(), 1u);
}

TEST_F(FallbackTest, UnsupportedDynamicShapesRunOnTheCpu) {
  const auto model = compile_for(cpu_.get(), {kUnknown}).value();
  poor_.run_error = kBeyond;
  ASSERT_TRUE(run(model).ok());
  EXPECT_EQ(values_, (std::vector<float>{1, 1, 1}));
}

// A driver's error (NOT_SUPPORT) is reported to the client.
TEST_F(FallbackTest, UnsupportedRunOfStaticShapesFails) {
  const auto model = compile_for(cpu_.get()).value();
  poor_.run_error = kBeyond;
  EXPECT_EQ(run(model).error().code, Code::unsupported);
}

TEST_F(FallbackTest, OtherErrorsOfADeviceAreTheResult) {
  poor_.prepare_error = Error{Code::failed, "It fails."};
  EXPECT_EQ(compile_for(cpu_.get()).error().code, Code::failed);
}

TEST_F(FallbackTest, RunsOnCpuWhenOutOfMemory) {
  const auto model = compile_for(cpu_.get()).value();
  poor_.run_error = kNoMemory;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run(model).ok());
    EXPECT_EQ(values_, (std::vector<float>{1, 1, 1}));
  }
  EXPECT_EQ(lines_, (std::vector<std::string>{
                        "The device has no memory left. While running 1 operation on Poor. They run on " +
                        cpu_->info().name + " instead."}));
}

TEST_F(FallbackTest, UnsupportedPartIsNotOutOfMemory) {
  EXPECT_FALSE(compile_for(cpu_.get()).value()->short_of_memory);
}

TEST_F(FallbackTest, RetriesTheDevice) {
  const auto model = compile_for(cpu_.get()).value();
  poor_.run_error = kNoMemory;
  ASSERT_TRUE(run(model).ok());
  poor_.run_error.reset();
  ASSERT_TRUE(run(model).ok());
  EXPECT_EQ(poor_.runs, 2);
}

TEST_F(FallbackTest, ReportsOutOfMemoryWithoutFallback) {
  test::GraphMaker make;
  const TensorId x = make.input({3});
  const GraphPtr graph = make.finish({make.op(Op::neg, {x}, {3})});
  const auto model = compile(graph, poor_, nullptr, {}).value();
  poor_.run_error = kNoMemory;
  EXPECT_EQ(run(model).error().code, Code::memory);
  poor_.prepare_error = kNoMemory;
  EXPECT_EQ(compile(graph, poor_, nullptr, {}).error().code, Code::memory);
}

TEST_F(FallbackTest, ALostDeviceIsNotReplaced) {
  const auto model = compile_for(cpu_.get()).value();
  poor_.run_error = Error{Code::unavailable_device, "The device is lost."};
  EXPECT_EQ(run(model).error().code, Code::unavailable_device);
  poor_.prepare_error = poor_.run_error;
  EXPECT_EQ(compile_for(cpu_.get()).error().code, Code::unavailable_device);
}

TEST_F(FallbackTest, CachesForItsDevice) {
  const auto model = compile_for(cpu_.get()).value();
  EXPECT_EQ(model->partitions[0].model->export_cache(model->lowered).value(), Bytes(7));
}

}  // namespace
}  // namespace nnrt
