#include "tools/nnrt/image/image.h"

#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

using import::Tensor;

Tensor tensor(OH_NN_DataType type, Shape shape, OH_NN_Format format = OH_NN_FORMAT_NHWC) {
  Tensor made;
  made.name = "x";
  made.type = type;
  made.format = format;
  made.shape = std::move(shape);
  return made;
}

const Image kPixel{1, 1, 3, {0, 51, 255}};

std::vector<double> values(const import::Tensor& target, const Normalization& normalization) {
  const auto made = to_tensor(kPixel, target, target.shape, false, normalization);
  if (!made.ok()) return {};
  std::vector<double> result;
  for (size_t i = 0; i < made.value().array.count(); ++i) result.push_back(made.value().array[i]);
  return result;
}

TEST(Image, FloatsGoFromMinusOneToOne) {
  const auto made = values(tensor(OH_NN_FLOAT32, {1, 1, 1, 3}), {});
  ASSERT_EQ(made.size(), 3u);
  EXPECT_FLOAT_EQ(float(made[0]), -1);
  EXPECT_FLOAT_EQ(float(made[1]), -0.6f);
  EXPECT_FLOAT_EQ(float(made[2]), 1);
}

TEST(Image, QuantizedCodesTakeAllOfTheirRange) {
  EXPECT_EQ(values(tensor(OH_NN_UINT8, {1, 1, 3}), {}), (std::vector<double>{0, 51, 255}));
  EXPECT_EQ(values(tensor(OH_NN_INT8, {1, 1, 3}), {}), (std::vector<double>{-128, -77, 127}));
}

TEST(Image, NormalizedNumbersAreQuantizedAsTheTensorIs) {
  import::Tensor target = tensor(OH_NN_INT8, {1, 1, 1, 3});
  target.quantization = {{0.5}, {3}};
  EXPECT_EQ(values(target, {{51}, {0.1}}), (std::vector<double>{-7, 3, 44}));  // (-5.1, 0, 20.4) / 0.5 + 3
}

TEST(Image, EachChannelHasItsMean) {
  EXPECT_EQ(values(tensor(OH_NN_FLOAT32, {1, 1, 1, 3}), {{1, 2, 3}, {2}}),
            (std::vector<double>{-2, 98, 504}));
  EXPECT_TRUE(values(tensor(OH_NN_FLOAT32, {1, 1, 1, 3}), {{1, 2}, {}}).empty());
}

TEST(Image, PlanarTensorsHoldChannelAfterChannel) {
  const Image two{2, 1, 3, {1, 2, 3, 4, 5, 6}};
  const auto made = to_tensor(two, tensor(OH_NN_UINT8, {1, 3, 1, 2}), {1, 3, 1, 2}, true, {}).value();
  EXPECT_EQ(made.array.bytes,
            (Bytes{std::byte{1}, std::byte{4}, std::byte{2}, std::byte{5}, std::byte{3}, std::byte{6}}));
}

TEST(Image, LayoutFollowsFormatAndShape) {
  EXPECT_FALSE(image_layout(tensor(OH_NN_FLOAT32, {1, 224, 192, 3})).value().planar);
  EXPECT_EQ(image_layout(tensor(OH_NN_FLOAT32, {1, 224, 192, 3})).value().width, 192);
  EXPECT_TRUE(image_layout(tensor(OH_NN_FLOAT32, {1, 3, 224, 192}, OH_NN_FORMAT_NONE)).value().planar);
  EXPECT_TRUE(image_layout(tensor(OH_NN_FLOAT32, {1, 3, 224, 3}, OH_NN_FORMAT_NCHW)).value().planar);
  EXPECT_EQ(image_layout(tensor(OH_NN_FLOAT32, {-1, -1, -1, 1})).value().height, -1);
  EXPECT_EQ(image_layout(tensor(OH_NN_FLOAT32, {8, 9})).value().channels, 1);
  EXPECT_FALSE(image_layout(tensor(OH_NN_FLOAT32, {2, 8, 8, 3})).ok());
  EXPECT_FALSE(image_layout(tensor(OH_NN_FLOAT32, {1, 8, 8, 5})).ok());
  EXPECT_FALSE(image_layout(tensor(OH_NN_FLOAT32, {8})).ok());
}

TEST(Image, ResizingIsLinearBetweenCenters) {
  const Image row{2, 1, 1, {0, 100}};
  EXPECT_EQ(resized(row, 4, 1).pixels, (std::vector<uint8_t>{0, 25, 75, 100}));
  EXPECT_EQ(resized(Image{4, 1, 1, {0, 40, 80, 120}}, 2, 1).pixels, (std::vector<uint8_t>{20, 100}));
}

TEST(Image, ReadsBitmapsAsRgb) {
  const tool_tests::Folder folder;
  tool_tests::write(folder.file("x.bmp"), tool_tests::bitmap(2, 1, 0x102030));
  const auto image = read_image(folder.file("x.bmp"), 3).value();
  EXPECT_EQ(image.pixels, (std::vector<uint8_t>{0x10, 0x20, 0x30, 0x10, 0x20, 0x30}));
}

}  // namespace
}  // namespace nnrt::tool
