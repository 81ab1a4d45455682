// Each kernel, forced and forbidden by name, agrees with the CPU device, and the report says whether it was
// used.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "tests/device/device_fixture.h"
#include "tests/support/eighths.h"

#include <algorithm>
#include <set>
#include <string>

namespace nnrt::test {
namespace {

// One operation per kernel list.
class AllLists {
 public:
  AllLists() {
    const TensorId same = make_.parameter<int8_t>(14, DType::i8, {0});
    const TensorId x = input({1, 8, 8, 16}, Format::nhwc);
    const TensorId conv = make_.op(Op::conv2d, {x, constant({16, 3, 3, 16}), constant({16})}, {1, 8, 8, 16},
                                   {same}, DType::f32, Format::nhwc);
    const TensorId same_depthwise = make_.parameter<int8_t>(27, DType::i8, {0});
    const TensorId depthwise =
        make_.op(Op::depthwise_conv2d_native, {x, constant({16, 3, 3, 1}), constant({16})}, {1, 8, 8, 16},
                 {same_depthwise}, DType::f32, Format::nhwc);
    const TensorId connected =
        make_.op(Op::full_connection, {input({6, 24}), constant({12, 24}), constant({12})}, {6, 12});
    const TensorId product = make_.op(Op::matmul, {input({3, 7, 12}), input({3, 12, 8})}, {3, 7, 8});
    const TensorId sum = make_.op(Op::reduce_sum, {input({5, 6, 8}), make_.ints({-1})}, {5, 6});
    graph_ = normalize(make_.finish({conv, depthwise, connected, product, sum}));
  }

  const GraphPtr& graph() const { return graph_; }

  std::vector<std::vector<float>> run(PreparedModel& model) const {
    std::vector<TensorView> inputs;
    for (const Shape& shape : shapes_) inputs.push_back(view_of<float>(shape, eighths(shape, inputs.size())));
    std::vector<OutputSlot> outputs(graph_->outputs.size(), OutputSlot{{}, true});
    const Status status = model.run(inputs, outputs, {});
    EXPECT_TRUE(status.ok()) << status.error().message;
    std::vector<std::vector<float>> results;
    for (const OutputSlot& output : outputs) results.push_back(values_of<float>(output.view));
    return results;
  }

 private:
  TensorId input(const Shape& shape, Format format = Format::none) {
    shapes_.push_back(shape);
    return make_.input(shape, DType::f32, format);
  }
  TensorId constant(const Shape& shape) { return make_.floats(shape, eighths(shape, shape.size())); }

  GraphMaker make_;
  std::vector<Shape> shapes_;
  GraphPtr graph_;
};

struct Report {
  std::set<std::string> taken, declined;
};

Report report_of(const PreparedModel& model, const GraphPtr& graph) {
  Report report;
  for (const OperationKernels& operation : model.kernels(graph).operations) {
    EXPECT_FALSE(operation.kernels.empty()) << operation.operation;
    for (const KernelChoice& choice : operation.kernels) {
      report.taken.insert(choice.name);
      for (const DeclinedKernel& declined : choice.declined) {
        EXPECT_NE(declined.why, "") << declined.name;
        report.declined.insert(declined.name);
      }
    }
  }
  return report;
}

class DeviceKernels : public testing::Test {
 protected:
  // Null if no kernel remains.
  std::unique_ptr<PreparedModel> prepared(const KernelSwitch& kernels) {
    auto plan = vulkan::plan(vulkan::take_snapshot(first_physical_device()), kernels);
    EXPECT_TRUE(plan.ok());
    plan.value().shaders = vulkan::Shaders::optimized;
    auto model = make_device(plan.value())->prepare(lists_.graph(), {});
    if (model.ok()) return std::move(model).value();
    EXPECT_NE(model.error().message.find("NNRT_VULKAN_KERNELS forbids every kernel"), std::string::npos)
        << model.error().message;
    return nullptr;
  }

  void expect_results(PreparedModel& model) {
    const auto got = lists_.run(model);
    ASSERT_EQ(got.size(), want_.size());
    for (size_t output = 0; output < got.size(); ++output) {
      ASSERT_EQ(got[output].size(), want_[output].size()) << output;
      for (size_t i = 0; i < got[output].size(); ++i)
        ASSERT_NEAR(got[output][i], want_[output][i], 1e-3) << "output " << output << ", element " << i;
    }
  }

  const AllLists lists_;
  const std::vector<std::vector<float>> want_ =
      lists_.run(*cpu::make_device()->prepare(lists_.graph(), {}).value());
  const Report unforced_ = report_of(*prepared({}), lists_.graph());
};

TEST_F(DeviceKernels, ForcesByName) {
  size_t newly_taken = 0;
  for (const std::string_view name : vulkan::kernel_names()) {
    SCOPED_TRACE(name);
    KernelSwitch kernels;
    kernels.force(name);
    const auto model = prepared(kernels);
    ASSERT_NE(model, nullptr);
    const Report report = report_of(*model, lists_.graph());
    expect_results(*model);
    newly_taken += report.taken.contains(std::string(name)) && !unforced_.taken.contains(std::string(name));
  }
  EXPECT_GE(newly_taken, 6u);
}

TEST_F(DeviceKernels, SkipsForbidden) {
  for (const std::string& name : unforced_.taken) {
    SCOPED_TRACE(name);
    KernelSwitch kernels;
    kernels.forbid(name);
    const auto model = prepared(kernels);
    if (model == nullptr) continue;
    EXPECT_FALSE(report_of(*model, lists_.graph()).taken.contains(name));
    expect_results(*model);
  }
}

TEST_F(DeviceKernels, AreReportedForEachOperation) {
  EXPECT_EQ(prepared({})->kernels(lists_.graph()).operations.size(), 5u);
  EXPECT_FALSE(unforced_.declined.empty());
  const bool has_direct = unforced_.taken.contains("direct") || unforced_.taken.contains("sliding_window");
  EXPECT_TRUE(has_direct) << "the depthwise convolution";
}

}  // namespace
}  // namespace nnrt::test
