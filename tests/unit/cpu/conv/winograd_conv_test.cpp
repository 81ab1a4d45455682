// Winograd convolutions against direct ones, which dynamic shapes select.
#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace nnrt::test {
namespace {

std::vector<float> values(int64_t count, int seed) {
  std::vector<float> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = float(int((i * 37 + i / 11 * 5 + size_t(seed) * 17) % 101) - 50) / 50;
  return result;
}

struct Sizes {
  const char* name;
  int64_t height, width, in, out;
  bool same = true;

  int64_t lost() const { return same ? 0 : 2; }
  Shape result(int64_t batch) const { return {batch, height - lost(), width - lost(), out}; }
};
std::ostream& operator<<(std::ostream& out, const Sizes& sizes) { return out << sizes.name; }

constexpr int64_t kBatch = 2;

// relu(convolution(x) + y).
GraphPtr network(const Sizes& sizes, int64_t batch) {
  GraphMaker maker;
  const TensorId x = maker.input({batch, sizes.height, sizes.width, sizes.in}, DType::f32, Format::nhwc);
  const TensorId y = maker.input(sizes.result(batch), DType::f32, Format::nhwc);
  const TensorId pad_mode = maker.parameter<int8_t>(14, DType::i8, {int8_t(sizes.same ? 0 : 1)});
  const TensorId weights = maker.floats({sizes.out, 3, 3, sizes.in}, values(sizes.out * 9 * sizes.in, 1));
  const TensorId conv = maker.op(Op::conv2d, {x, weights, maker.floats({sizes.out}, values(sizes.out, 2))},
                                 sizes.result(batch), {pad_mode}, DType::f32, Format::nhwc);
  const TensorId sum = maker.op(Op::add, {conv, y}, sizes.result(batch), {}, DType::f32, Format::nhwc);
  return normalize(
      maker.finish({maker.op(Op::relu, {sum}, sizes.result(batch), {}, DType::f32, Format::nhwc)}));
}

TensorView view_of(const Shape& shape, int seed) {
  const std::vector<float> data = values(*element_count(shape), seed);
  const size_t bytes = data.size() * sizeof(float);
  TensorView view{SharedMemory::create(bytes).value(), 0, bytes, shape};
  std::memcpy(view.data(), data.data(), bytes);
  return view;
}

std::vector<float> run(const Sizes& sizes, int64_t batch) {
  const auto model = cpu::make_device()->prepare(network(sizes, batch), {}).value();
  const TensorView inputs[] = {view_of({kBatch, sizes.height, sizes.width, sizes.in}, 3),
                               view_of(sizes.result(kBatch), 4)};
  std::vector<OutputSlot> outputs{{{}, true}};
  EXPECT_TRUE(model->run(inputs, outputs, {}).ok());
  std::vector<float> results(size_t(*element_count(sizes.result(kBatch))));
  std::memcpy(results.data(), outputs[0].view.data(), results.size() * sizeof(float));
  return results;
}

class Winograd : public testing::TestWithParam<Sizes> {};

TEST_P(Winograd, AgreesWithTheDirectConvolution) {
  const std::vector<float> got = run(GetParam(), kBatch), want = run(GetParam(), -1);
  ASSERT_EQ(got.size(), want.size());
  // Rounding error of sums whose terms' magnitudes add up to about a quarter of their number.
  const float max = 2e-6f * float(GetParam().in * 9);
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], max) << i;
}

INSTANTIATE_TEST_SUITE_P(Sizes, Winograd,
                         testing::Values(Sizes{"whole_tiles", 16, 12, 16, 32},
                                         Sizes{"cut_tiles", 13, 18, 20, 37},
                                         Sizes{"without_padding", 17, 15, 33, 16, false},
                                         Sizes{"many_weights", 14, 14, 101, 99},
                                         Sizes{"many_tiles", 67, 61, 17, 19}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace nnrt::test
