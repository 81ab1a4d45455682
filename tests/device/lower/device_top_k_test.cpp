// Both TOP_K kernels agree with the CPU device, including the order of equal elements.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <limits>

namespace nnrt::test {
namespace {

enum : int { kSorted = 74, kAxis = 123 };  // OH_NN_TOP_K_SORTED and OH_NN_TOP_K_AXIS

class TopK : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string kernel = cat("+", GetParam());
    vulkan::DevicePlan plan = plan_with(kernel);
    gpu_ = shared_device(kernel, plan);
    plan.cores = 1;  // so that any number of lines fills the device
    small_gpu_ = shared_device(cat(kernel, " on one core"), plan);
  }

  // Few distinct values, hence many ties; some are NaN.
  Bytes values(int64_t count, DType dtype, uint32_t kinds) {
    Bytes bytes(size_t(count) * size_of(dtype));
    for (int64_t i = 0; i < count; ++i) {
      const int drawn = int(random_.below(kinds)) - int(kinds / 2);
      const float real = random_.one_in(40) ? std::numeric_limits<float>::quiet_NaN() : float(drawn) / 4;
      const Half half = to_half(real);
      const auto code = int8_t(drawn);
      const void* const from = dtype == DType::f32   ? (const void*)&real
                               : dtype == DType::f16 ? (const void*)&half
                               : dtype == DType::i8  ? (const void*)&code
                                                     : (const void*)&drawn;
      std::memcpy(bytes.data() + size_t(i) * size_of(dtype), from, size_of(dtype));
    }
    return bytes;
  }

  void expect_agreement(const Shape& shape, int64_t axis, int32_t k, DType dtype = DType::f32,
                        uint32_t kinds = 9, bool sorted = true) {
    SCOPED_TRACE(cat(to_string(shape), " along ", axis, ", ", k, " of ", name(dtype), " in ", kinds));
    Shape result = shape;
    result[size_t(axis)] = k;
    GraphMaker make;
    const TensorId x = make.input(shape, dtype);
    const TensorId y = make.tensor(result, dtype), places = make.tensor(result, DType::i32);
    const TensorId along = make.parameter<int64_t>(kAxis, DType::i64, {axis});
    const TensorId order = make.parameter<uint8_t>(kSorted, DType::boolean, {uint8_t(sorted)});
    const Status status = make.builder().add_operation(
        int(Op::top_k), std::vector{along, order}, std::vector{x, make.ints({k})}, std::vector{y, places});
    ASSERT_TRUE(status.ok()) << status.error().message;
    const GraphPtr graph = normalize(make.finish({y, places}));
    const std::vector<Bytes> fed{values(*element_count(shape), dtype, kinds)};
    const auto want = run_guarded(*cpu_, graph, fed, random_, false);
    ASSERT_TRUE(want.ok()) << want.error().message;
    for (Device* const gpu : {gpu_.get(), small_gpu_.get()}) {
      const auto got = run_guarded(*gpu, graph, fed, random_, false).value();
      const auto fault = difference(dtype, got[0], want.value()[0], kExact, 1);
      ASSERT_FALSE(fault) << *fault;
      const auto misplaced = difference(DType::i32, got[1], want.value()[1], kExact, 1);
      ASSERT_FALSE(misplaced) << *misplaced;
    }
  }

  Random random_{43};
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  std::shared_ptr<Device> gpu_, small_gpu_;
};

INSTANTIATE_TEST_SUITE_P(Ways, TopK, testing::Values("top_k_by_group", "top_k_by_element"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(TopK, FindsTheFirstOfEqualOnes) {
  for (const uint32_t kinds : {1u, 2u, 9u, 100000u}) {
    expect_agreement({3, 1000}, 1, 7, DType::f32, kinds);
    expect_agreement({2, 257, 3}, 1, 257, DType::f32, kinds);
    expect_agreement({1, 5000}, 1, 40, DType::f32, kinds);
    expect_agreement({1, 66000}, 1, 3, DType::f32, kinds);
  }
}

TEST_P(TopK, EndsAtTheEdgesOfWorkgroups) {
  for (const auto& [length, k] : std::initializer_list<std::pair<int64_t, int32_t>>{{1, 1},
                                                                                    {2, 1},
                                                                                    {31, 31},
                                                                                    {255, 64},
                                                                                    {256, 65},
                                                                                    {4099, 1},
                                                                                    {4099, 1000},
                                                                                    {2049, 2048},
                                                                                    {3000, 2500}})
    expect_agreement({2, length}, 1, k, DType::f32, 3000);
}

TEST_P(TopK, SelectsSmallest) {
  expect_agreement({3, 1000}, 1, 20, DType::f32, 5, false);
  expect_agreement({5000, 3}, 0, 33, DType::f32, 50000, false);
}

TEST_P(TopK, TakesOtherDtypes) {
  expect_agreement({3, 1001}, 1, 9, DType::f16, 30);
  expect_agreement({3, 999}, 1, 9, DType::i32, 2000000);
  expect_agreement({2, 301, 5}, 1, 9, DType::i8, 200);
}

}  // namespace
}  // namespace nnrt::test
