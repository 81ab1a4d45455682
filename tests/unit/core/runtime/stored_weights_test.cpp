// Weights that have not been transposed never reach a device that does not take them.
#include "core/device/cache_traits.h"
#include "core/runtime/compile.h"
#include "core/runtime/operation_refusals.h"
#include "tests/support/graph_maker.h"
#include "tests/support/stub_device.h"

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <algorithm>

namespace nnrt::test {
namespace {

bool has_unread(const Graph& graph) {
  return std::ranges::any_of(graph.tensors, [](const Tensor& tensor) { return is_deferred(tensor.data); });
}

// Supports everything; remembers whether it was ever given a constant that is not read.
class Watching : public StubDevice {
 public:
  Watching() : StubDevice("Watching", DeviceType::accelerator) {}

  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override {
    got_unread |= has_unread(graph);
    return StubDevice::supports(graph, options);
  }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    got_unread |= has_unread(*graph);
    return StubDevice::prepare(std::move(graph), options);
  }

  mutable bool got_unread = false;
};

class Taking final : public Watching, public StoredOrderReader {};

// A convolution, and a sum of weights that are stored like it if `adds`.
GraphPtr network(bool adds) {
  GraphMaker maker;
  const TensorId x = maker.input({1, 4, 4, 3}, DType::f32, Format::nhwc);
  const TensorId w = maker.tensor({5, 3, 3, 3});
  constexpr uint32_t kOrder[]{0, 2, 3, 1};
  const auto data = std::make_shared<const Bytes>(5 * 27 * sizeof(float));
  EXPECT_TRUE(maker.builder().lend_transposed(w, data, kOrder).ok());
  const TensorId bias = maker.floats({5}, std::vector<float>(5));
  const TensorId pad = maker.parameter<int8_t>(OH_NN_CONV2D_PAD_MODE, DType::i8, {0});
  std::vector<TensorId> outputs{
      maker.op(Op::conv2d, {x, w, bias}, {1, 4, 4, 5}, {pad}, DType::f32, Format::nhwc)};
  if (adds) outputs.push_back(maker.op(Op::add, {w, w}, {5, 3, 3, 3}));
  return maker.finish(outputs);
}

TEST(StoredWeights, IsOnlyForConvolutions) {
  EXPECT_TRUE(has_unread(*network(false)));
  EXPECT_FALSE(has_unread(*network(true)));
}

TEST(StoredWeights, IsTransposedForOtherDevices) {
  Watching device;
  EXPECT_TRUE(supported_operations(network(false), device).ok());
  EXPECT_TRUE(compile(network(false), device, nullptr, {}).ok());
  EXPECT_FALSE(device.got_unread);
}

TEST(StoredWeights, AreLeftUnreadForSupportingDevices) {
  Taking device;
  EXPECT_TRUE(compile(network(false), device, nullptr, {}).ok());
  EXPECT_TRUE(device.got_unread);
}

}  // namespace
}  // namespace nnrt::test
