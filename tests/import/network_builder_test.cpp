#include "tools/import/network/network_builder.h"

#include "tests/import/inference_session.h"
#include "tools/import/model_builder.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using import::Tensor;

Tensor floats(std::string name, import::Shape shape) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.type = OH_NN_FLOAT32;
  tensor.shape = std::move(shape);
  return tensor;
}

TEST(NetworkBuilder, TransposesConstants) {
  import::NetworkBuilder build;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto id = build.transposed(build.constant({1, 2, 3}, std::span<const float>(values)), {2, 0, 1});
  EXPECT_EQ(build.tensor(id).shape, (import::Shape{3, 1, 2}));
  EXPECT_EQ(*build.floats(id), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(NetworkBuilder, DequantizesAlongAnyDimension) {
  import::NetworkBuilder build;
  const import::Bytes quantized{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const auto id = build.constant(OH_NN_INT8, {2, 2}, quantized, {{0.5, 2}, {0, 1}});
  EXPECT_EQ(*build.floats(id, 0), (std::vector<float>{0.5, 1, 4, 6}));
  EXPECT_EQ(*build.floats(id, 1), (std::vector<float>{0.5, 2, 1.5, 6}));
}

TEST(NetworkBuilder, DropsUnusedTensors) {
  import::NetworkBuilder build;
  build.scalar(7.0f);
  const auto x = build.add(floats("x", {2})), y = build.add(floats("y", {2}));
  build.operation(Op::abs, {x}, {y});
  const import::Network network = std::move(build).finish({x}, {y});
  EXPECT_EQ(network.tensors.size(), 2u);
  EXPECT_TRUE(import::check(network).ok());
}

// They must not be read as zeros.
TEST(ModelBuilder, RefusesReleasedConstants) {
  import::NetworkBuilder build;
  const auto x = build.add(floats("x", {2000})), y = build.add(floats("y", {2000}));
  const std::vector<float> values(2000, 3);
  build.operation(Op::add, {x, build.constant({2000}, std::span<const float>(values))}, {y});
  import::Network network = std::move(build).finish({x}, {y});
  EXPECT_TRUE(import::make_model(network).ok());
  import::release_constants(network);
  const auto model = import::make_model(network);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().message, "The constants of the model have been released.");
  // Asks devices what they support, not what they compute.
  EXPECT_EQ(import::explain({Code::failed, "It failed."}, network).message, "It failed.");
}

TEST(NetworkCheck, RejectsUseBeforeDefinition) {
  import::NetworkBuilder build;
  const auto x = build.add(floats("x", {2})), y = build.add(floats("y", {2})),
             z = build.add(floats("z", {2}));
  build.set_origin("second");
  build.operation(Op::abs, {y}, {z});
  build.set_origin("first");
  build.operation(Op::abs, {x}, {y});
  const Status status = import::check(std::move(build).finish({x}, {z}));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "second reads a tensor before it is written.");
}

TEST(MakeModel, NamesRejectedOperation) {
  import::NetworkBuilder build;
  const auto x = build.add(floats("x", {2})), y = build.add(floats("y", {2}));
  build.set_origin("Concat (operator 3)");
  build.operation(Op::concat, {x}, {y});
  const auto model = import::make_model(std::move(build).finish({x}, {y}));
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, Code::invalid_parameter);
  EXPECT_NE(model.error().message.find("While adding Concat (operator 3)."), std::string::npos);
}

TEST(Explain, NamesUnsupportedOperation) {
  import::NetworkBuilder build;
  const auto x = build.add(floats("x", {2})), y = build.add(floats("y", {2})),
             z = build.add(floats("z", {3}));
  build.set_origin("Abs (operator 0)");
  build.operation(Op::abs, {x}, {y});
  build.set_origin("Neg (operator 1)");
  build.operation(Op::neg, {y}, {z});
  const auto session = Session::open(std::move(build).finish({x}, {z}), OH_NN_CPU);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().message,
            "OH_NNCompilation_Build returns 2. No device supports Neg (operator 1).");
}

}  // namespace
}  // namespace nnrt::test
