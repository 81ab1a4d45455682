// INT8 pools of quantized values give the same bits as those of floats, and agree with the CPU device.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <cstring>

namespace nnrt::test {
namespace {

// OH_NN_AVG_POOL_* and OH_NN_MAX_POOL_*.
struct Roles {
  int kernel, stride, pad;
};
constexpr Roles kAverage{2, 3, 5}, kMaximum{36, 37, 39};

struct Pool {
  int64_t height, width, channels;
  std::vector<int64_t> kernel, stride{1, 1};
  std::vector<int64_t> pad{0, 0, 0, 0};  // top, bottom, left, right

  Shape in() const { return {2, height, width, channels}; }
  Shape out() const {
    return {2, (height + pad[0] + pad[1] - kernel[0]) / stride[0] + 1,
            (width + pad[2] + pad[3] - kernel[1]) / stride[1] + 1, channels};
  }
};

// Parameter: the name of a kernel.
class Int8Pools : public testing::TestWithParam<const char*> {
 protected:
  static std::shared_ptr<Device> forcing(std::string_view name) {
    return shared_device(cat("-dequantize,+", name));
  }

  void expect_same(const Pool& pool, bool is_maximum, const Quant& from, const Quant& to) {
    SCOPED_TRACE(cat(to_string(pool.in()), " to ", to_string(pool.out()), is_maximum ? " maximum" : " mean"));
    const Roles& roles = is_maximum ? kMaximum : kAverage;
    GraphMaker make;
    const TensorId x = make.input(pool.in(), DType::i8, Format::nhwc);
    const TensorId y = make.op(is_maximum ? Op::max_pool : Op::avg_pool, {x}, pool.out(),
                               {make.parameter<int64_t>(roles.kernel, DType::i64, pool.kernel),
                                make.parameter<int64_t>(roles.stride, DType::i64, pool.stride),
                                make.parameter<int64_t>(roles.pad, DType::i64, pool.pad)},
                               DType::i8, Format::nhwc);
    EXPECT_TRUE(make.builder().set_quant(x, from).ok() && make.builder().set_quant(y, to).ok());
    const GraphPtr graph = normalize(make.finish({y}));
    Bytes codes(size_t(*element_count(pool.in())));
    for (std::byte& code : codes) code = std::byte(random_.below(256));
    for (const OperationKernels& operation : prepare(*device_, graph)->kernels(graph).operations)
      for (const KernelChoice& choice : operation.kernels) taken_ += choice.name == GetParam();
    const auto want = run_guarded(*cpu_, graph, {codes}, random_, false);
    const auto floats = run_guarded(*floats_, graph, {codes}, random_, false);
    const auto got = run_guarded(*device_, graph, {codes}, random_, false);
    ASSERT_TRUE(want.ok() && floats.ok() && got.ok()) << (got.ok() ? "" : got.error().message);
    EXPECT_EQ(got.value()[0], floats.value()[0]);
    const Tolerance tolerance = is_maximum ? kExact : tolerance_of(DType::i8);
    const auto fault = difference(DType::i8, got.value()[0], want.value()[0], tolerance, 1);
    EXPECT_FALSE(fault) << *fault;
  }

  Random random_{31};
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  const std::shared_ptr<Device> floats_ = forcing("float_pool"), device_ = forcing(GetParam());
  size_t taken_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ways, Int8Pools, testing::Values("int8_pool", "int8_pool_by_group"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(Int8Pools, GiveTheBitsOfFloatPools) {
  const Pool pools[] = {
      {9, 11, 12, {2, 2}, {2, 2}},
      {9, 11, 4, {3, 3}, {1, 1}, {1, 1, 1, 1}},
      {8, 13, 20, {3, 2}, {2, 1}, {2, 0, 0, 1}},
      {1, 17, 8, {1, 5}, {1, 3}},
      {7, 7, 36, {7, 7}},
      {13, 13, 1000, {13, 13}},
      {19, 6, 8, {17, 1}, {2, 1}, {0, 5, 0, 0}},
      {5, 41, 4, {4, 33}, {1, 2}, {3, 1, 7, 32}},
  };
  const Quant alike{{0.5}, {3}}, wider{{0.83}, {-11}}, narrower{{0.031}, {90}};
  Quant even = wider;
  even.ties_to_even = true;
  for (const Pool& pool : pools) {
    for (const bool is_maximum : {false, true}) {
      for (const Quant& to : {alike, wider, narrower, even}) expect_same(pool, is_maximum, alike, to);
    }
  }
  EXPECT_EQ(taken_, std::size(pools) * 8);
}

}  // namespace
}  // namespace nnrt::test
