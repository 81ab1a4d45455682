// Tensors kept on a device, whose copy is a vector here.
#include "core/device/residence.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using test::GraphMaker;
using test::values_of;
using test::view_of;

using Values = std::vector<float>;

struct FakeCopy final : Residence::Copy {
  FakeCopy(const void* of, const TensorView& tensor) : owner(of), values(values_of<float>(tensor)) {}
  bool is_of(const void* other) const override { return owner == other; }
  Status read_back(const TensorView& tensor) const override {
    if (is_lost) return Error{Code::unavailable_device, "The device is lost."};
    std::memcpy(tensor.data(), values.data(), values.size() * sizeof(float));
    return {};
  }

  const void* owner;
  Values values;
  bool is_lost = false;
};

TensorView resident(const Values& values) {
  TensorView view = view_of({int32_t(values.size())}, values);
  view.residence = std::make_shared<Residence>(view);
  return view;
}

std::shared_ptr<FakeCopy> copy_of(const TensorView& view, const void* owner) {
  const auto make = [&](const TensorView& tensor) -> Result<Residence::CopyPtr> {
    return Residence::CopyPtr(std::make_shared<FakeCopy>(owner, tensor));
  };
  auto copy = view.residence->copy_of(owner, make);
  if (!copy.ok()) return nullptr;
  return std::const_pointer_cast<FakeCopy>(std::static_pointer_cast<const FakeCopy>(copy.value()));
}

constexpr char kOwners[2] = {};

TEST(Residence, CrossesToTheHostOnlyWhenAsked) {
  const TensorView view = resident({1, 2});
  const auto copy = copy_of(view, &kOwners[0]);
  EXPECT_EQ(copy->values, (Values{1, 2}));
  copy->values = {3, 4};
  EXPECT_EQ(copy_of(view, &kOwners[0]), copy);
  EXPECT_EQ(values_of<float>(view), (Values{1, 2}));
  EXPECT_TRUE(view.residence->read_back().ok());
  EXPECT_EQ(values_of<float>(view), (Values{3, 4}));
  EXPECT_EQ(copy_of(view, &kOwners[0]), copy);
}

TEST(Residence, UploadsAgainAfterForget) {
  const TensorView view = resident({1, 2});
  copy_of(view, &kOwners[0])->values = {3, 4};
  view.residence->forget();
  EXPECT_EQ(copy_of(view, &kOwners[0])->values, (Values{1, 2}));
}

TEST(Residence, MovesFromOneOwnerToAnother) {
  const TensorView view = resident({1, 2});
  const auto first = copy_of(view, &kOwners[0]);
  first->values = {3, 4};
  EXPECT_EQ(copy_of(view, &kOwners[1])->values, (Values{3, 4}));
  EXPECT_NE(copy_of(view, &kOwners[0]), first);
}

TEST(Residence, ReportsALostDeviceUntilItForgets) {
  const TensorView view = resident({1, 2});
  copy_of(view, &kOwners[0])->is_lost = true;
  EXPECT_EQ(view.residence->read_back().error().code, Code::unavailable_device);
  EXPECT_EQ(copy_of(view, &kOwners[1]), nullptr);
  view.residence->forget();
  EXPECT_EQ(copy_of(view, &kOwners[1])->values, (Values{1, 2}));
}

// y = -x on the CPU.
Execution negation(Device& cpu) {
  GraphMaker make;
  const TensorId x = make.input({2});
  const GraphPtr graph = make.finish({make.op(Op::neg, {x}, {2})});
  return Execution(compile(graph, cpu, nullptr, CompileOptions()).value());
}

TEST(Residence, ZeroCopyDeviceUsesHostMemory) {
  const auto cpu = cpu::make_device();
  Execution execution = negation(*cpu);
  const std::vector inputs{resident({1, 2})};
  std::vector<OutputSlot> outputs{{resident({0, 0})}};
  copy_of(inputs[0], &kOwners[0])->values = {3, 4};
  copy_of(outputs[0].view, &kOwners[0])->values = {5, 6};
  const std::shared_ptr<Residence> residence = outputs[0].view.residence;
  const Status status = execution.run(inputs, outputs, {});
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(values_of<float>(outputs[0].view), (Values{-3, -4}));
  EXPECT_TRUE(residence->read_back().ok());
  EXPECT_EQ(values_of<float>(outputs[0].view), (Values{-3, -4})) << "an old copy was written over a result";
}

TEST(Residence, MemoryMustBeResidentOnBothSides) {
  const auto cpu = cpu::make_device();
  Execution execution = negation(*cpu);
  const std::vector inputs{resident({1, 2})};
  std::vector<OutputSlot> outputs{{inputs[0]}};
  outputs[0].view.residence = nullptr;
  const Status status = execution.run(inputs, outputs, {});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("one of them stays on the device"), std::string::npos);
  outputs[0].view.residence = inputs[0].residence;
  EXPECT_TRUE(execution.run(inputs, outputs, {}).ok());
}

}  // namespace
}  // namespace nnrt
