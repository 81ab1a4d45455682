// Bin borders select the same cells as on the CPU, for every width.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"

#include <cmath>

namespace nnrt::test {
namespace {

constexpr int64_t kLength = 260, kWidths = 256;

// Values that distinguish each cell from its neighbours.
std::vector<float> image() {
  std::vector<float> values(kLength);
  for (size_t i = 0; i < values.size(); ++i) values[i] = float((i * 7919) % 1009) + float(i) / 1024;
  return values;
}

struct Regions {
  Op op = Op::roi_pooling;
  int64_t bins = 1;
  float stride = 1;
  std::vector<float> boxes;  // x1, y1, x2, y2

  GraphPtr graph() const {
    const bool pools = op == Op::roi_pooling;
    GraphMaker make;
    const TensorId x = make.input({1, 1, kLength, 1}, DType::f32, Format::nhwc);
    const int64_t count = int64_t(boxes.size()) / 4;
    const TensorId regions = make.floats({count, 4}, boxes);
    const TensorId batch_indices = make.ints(std::vector<int32_t>(size_t(count)));
    const auto integer = [&](int role, int64_t value) {
      return make.parameter<int64_t>(role, DType::i64, {value});
    };
    const std::vector<TensorId> parameters{integer(pools ? 1090 : 1048, 1),
                                           integer(pools ? 1091 : 1049, bins),
                                           make.parameter<float>(pools ? 1092 : 1086, DType::f32, {stride}),
                                           make.parameter<uint8_t>(pools ? 1115 : 1087, DType::boolean, {0})};
    return normalize(make.finish({make.op(op, {x, regions, batch_indices}, {count, 1, bins, 1}, parameters,
                                          DType::f32, Format::nhwc)}));
  }
};

// `may_be_off`: tolerance for results that read the same cells.
void expect_the_same(Device& device, const Regions& regions, float may_be_off) {
  SCOPED_TRACE(cat(name(regions.op), ' ', regions.bins, " bins, stride ", regions.stride));
  const GraphPtr graph = regions.graph();
  ASSERT_FALSE(first_refusal(device, *graph));
  const TensorView x = view_of<float>({1, 1, kLength, 1}, image());
  const auto got = floats_of(*device.prepare(graph, {}).value(), {x});
  const auto want = floats_of(*cpu::make_device()->prepare(graph, {}).value(), {x});
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], may_be_off)
        << "region " << int64_t(i) / regions.bins << ", bin " << int64_t(i) % regions.bins;
}

// The widths 1 to 256, scaled by the stride.
std::vector<float> all_widths(float stride) {
  std::vector<float> boxes;
  for (int64_t width = 1; width <= kWidths; ++width)
    boxes.insert(boxes.end(), {0, 0, float(width - 1) * stride, 0});
  return boxes;
}

TEST(Regions, OneCellPerBinAtEveryWidth) {
  const auto device = make_device();
  for (int64_t width = 1; width <= kWidths; ++width)
    expect_the_same(*device, {Op::roi_pooling, width, 1, {0, 0, float(width - 1), 0}}, 0);
}

TEST(Regions, OfEachWidthReadTheSameCells) {
  const auto device = make_device();
  for (const float stride : {1.0f, 3.0f, 16.0f, 0.3f})
    for (const int64_t bins : {1, 2, 3, 7, 11, 49, 55})
      expect_the_same(*device, {Op::roi_pooling, bins, stride, all_widths(stride)}, 0);
}

// The bin size determines the default number of points.
TEST(Regions, OfEachWidthHaveTheSamePoints) {
  const auto device = make_device();
  for (const float stride : {1.0f, 3.0f, 7.0f})
    for (const int64_t bins : {1, 3, 7, 55})
      expect_the_same(*device, {Op::roi_align, bins, stride, all_widths(stride)}, 2e-2f);
}

// Grid points exactly between cells, on cells, and as far outside as reflection goes.
TEST(Regions, OfMirroredGridsReadTheSameCells) {
  const auto device = make_device();
  for (const int64_t length : {3, 55, 107, 110, 250}) {
    GraphMaker make;
    std::vector<float> points;
    for (int64_t i = -6 * length; i < 6 * length; ++i)
      points.insert(points.end(), {float(2 * i + 1) / float(length) - 1, 0});
    const auto count = int64_t(points.size() / 2);
    const std::vector<TensorId> parameters{make.parameter<int8_t>(1029, DType::i8, {1}),
                                           make.parameter<int8_t>(1030, DType::i8, {2})};
    const TensorId x = make.input({1, 1, length, 1}, DType::f32, Format::nhwc);
    const TensorId grid = make.floats({1, 1, count, 2}, points);
    const GraphPtr graph = normalize(make.finish(
        {make.op(Op::grid_sample, {x, grid}, {1, 1, count, 1}, parameters, DType::f32, Format::nhwc)}));
    ASSERT_FALSE(first_refusal(*device, *graph));
    std::vector<float> values = image();
    values.resize(size_t(length));
    const TensorView fed = view_of<float>({1, 1, length, 1}, values);
    const auto got = floats_of(*device->prepare(graph, {}).value(), {fed});
    const auto want = floats_of(*cpu::make_device()->prepare(graph, {}).value(), {fed});
    EXPECT_EQ(got, want) << length;
  }
}

}  // namespace
}  // namespace nnrt::test
