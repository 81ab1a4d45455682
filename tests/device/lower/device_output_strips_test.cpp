// Pools and depthwise convolutions with small strips, as on GPUs, give the same bits as with tall strips, and
// agree with the CPU device.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/eighths.h"
#include "tests/support/random/random.h"

namespace nnrt::test {
namespace {

// OH_NN_AVG_POOL_*, OH_NN_DEPTHWISE_CONV2D_NATIVE_* and OH_NN_MAX_POOL_*.
enum : int {
  kAvgKernel = 2,
  kAvgStride = 3,
  kAvgPad = 5,
  kStrides = 24,
  kPad = 25,
  kMaxKernel = 36,
  kMaxStride = 37,
  kMaxPad = 39
};

struct Spatial {
  int64_t kernel, stride, height, width, channels;
  int64_t out(int64_t in) const { return (in + 2 * pad() - kernel) / stride + 1; }
  int64_t pad() const { return (kernel - 1) / 2; }
  Shape in_shape() const { return {2, height, width, channels}; }
  Shape out_shape() const { return {2, out(height), out(width), channels}; }
};

TensorId pair(GraphMaker& make, int role, int64_t value) {
  return make.parameter<int64_t>(role, DType::i64, {value, value});
}
TensorId pads(GraphMaker& make, int role, int64_t value) {
  return make.parameter<int64_t>(role, DType::i64, {value, value, value, value});
}

GraphPtr convolved(const Spatial& spatial) {
  GraphMaker make;
  const TensorId x = make.input(spatial.in_shape(), DType::f32, Format::nhwc);
  const Shape kernel{spatial.channels, spatial.kernel, spatial.kernel, 1}, bias{spatial.channels};
  const TensorId w = make.floats(kernel, eighths(kernel, 1));
  const TensorId b = make.floats(bias, eighths(bias, 2));
  const TensorId y = make.op(Op::depthwise_conv2d_native, {x, w, b}, spatial.out_shape(),
                             {pair(make, kStrides, spatial.stride), pads(make, kPad, spatial.pad())},
                             DType::f32, Format::nhwc);
  return normalize(make.finish({y}));
}

GraphPtr pooled(const Spatial& spatial, bool maximum) {
  GraphMaker make;
  const TensorId x = make.input(spatial.in_shape(), DType::f32, Format::nhwc);
  const TensorId y = make.op(maximum ? Op::max_pool : Op::avg_pool, {x}, spatial.out_shape(),
                             {pair(make, maximum ? kMaxKernel : kAvgKernel, spatial.kernel),
                              pair(make, maximum ? kMaxStride : kAvgStride, spatial.stride),
                              pads(make, maximum ? kMaxPad : kAvgPad, spatial.pad())},
                             DType::f32, Format::nhwc);
  return normalize(make.finish({y}));
}

// Parameter: the name of a strip.
class OutputStrips : public testing::TestWithParam<const char*> {
 protected:
  static std::shared_ptr<Device> forcing(const char* strip) {
    return shared_device(cat("+depthwise,+sliding_window,+pool_strips,+", strip));
  }

  void expect_same(const GraphPtr& graph, const Shape& shape) {
    std::vector<float> values;
    for (int64_t i = 0; i < *element_count(shape); ++i)
      values.push_back(float(int(random_.below(4001)) - 2000) / 500.0F);
    const std::vector<Bytes> fed{bytes_of(values)};
    for (const OperationKernels& operation : prepare(*device_, graph)->kernels(graph).operations)
      for (const KernelChoice& choice : operation.kernels) taken_ += choice.name == GetParam();
    const auto want = run_guarded(*cpu_, graph, fed, random_, false);
    const auto tall = run_guarded(*tall_, graph, fed, random_, false);
    const auto got = run_guarded(*device_, graph, fed, random_, false);
    ASSERT_TRUE(want.ok() && tall.ok() && got.ok()) << (got.ok() ? "" : got.error().message);
    const auto fault = difference(DType::f32, got.value()[0], want.value()[0], tolerance_of(DType::f32), 10);
    EXPECT_FALSE(fault) << *fault;
    const auto change = difference(DType::f32, got.value()[0], tall.value()[0], kExact, 1);
    EXPECT_FALSE(change) << *change;
  }

  Random random_{23};
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  const std::shared_ptr<Device> tall_ = forcing("tall_strip"), device_ = forcing(GetParam());
  size_t taken_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ways, OutputStrips, testing::Values("strip_of_4", "strip_of_2", "single_output"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(OutputStrips, ComputeDepthwiseConvolutions) {
  for (const int64_t kernel : {3, 5}) {
    for (const int64_t stride : {1, 2}) {
      for (const Spatial& spatial : {Spatial{kernel, stride, 9, 11, 12}, Spatial{kernel, stride, 6, 5, 7}}) {
        SCOPED_TRACE(cat(kernel, " by ", stride, ", ", to_string(spatial.in_shape())));
        expect_same(convolved(spatial), spatial.in_shape());
      }
    }
  }
  EXPECT_EQ(taken_, 8u);
}

TEST_P(OutputStrips, ComputePools) {
  for (const int64_t kernel : {2, 3}) {
    for (const int64_t stride : {1, 2}) {
      for (const bool maximum : {false, true}) {
        const Spatial spatial{kernel, stride, 9, 11, 12};
        SCOPED_TRACE(cat(kernel, " by ", stride, ", ", maximum));
        expect_same(pooled(spatial, maximum), spatial.in_shape());
      }
    }
  }
  EXPECT_EQ(taken_, 8u);
}

}  // namespace
}  // namespace nnrt::test
