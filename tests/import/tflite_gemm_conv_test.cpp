#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;
using format::Padding;

SetOptions convolution(Padding padding, int32_t stride = 1) {
  format::Conv2DOptionsT options;
  options.padding = padding;
  options.stride_h = options.stride_w = stride;
  return with(options);
}
SetOptions conv3d(Padding padding) {
  format::Conv3DOptionsT options;
  options.padding = padding;
  options.stride_d = options.stride_h = options.stride_w = 1;
  return with(options);
}
SetOptions depthwise() {
  format::DepthwiseConv2DOptionsT options;
  options.padding = Padding::VALID;
  options.stride_h = options.stride_w = 1;
  return with(options);
}
SetOptions transposed(Padding padding, int32_t stride) {
  format::TransposeConvOptionsT options;
  options.padding = padding;
  options.stride_h = options.stride_w = stride;
  return with(options);
}
// Of a size that the file does not tell.
Operand open(Operand operand) {
  operand.signature = Shape(operand.shape.size(), -1);
  return operand;
}
SetOptions keep_dimensions() { return with(&format::FullyConnectedOptionsT::keep_num_dims, true); }
SetOptions transpose_second() { return with(&format::BatchMatMulOptionsT::adj_y, true); }
SetOptions pool(Padding padding, int32_t height, int32_t width) {
  format::Pool2DOptionsT options;
  options.padding = padding;
  options.filter_height = options.stride_h = height;
  options.filter_width = options.stride_w = width;
  return with(options);
}
SetOptions half_pixels() { return with(&format::ResizeBilinearOptionsT::half_pixel_centers, true); }
SetOptions corners() { return with(&format::ResizeBilinearOptionsT::align_corners, true); }
SetOptions nearest(bool align_corners, bool half_pixel_centers) {
  format::ResizeNearestNeighborOptionsT options;
  options.align_corners = align_corners;
  options.half_pixel_centers = half_pixel_centers;
  return with(options);
}
SetOptions response(int32_t radius) {
  format::LocalResponseNormalizationOptionsT options;
  options.radius = radius;
  options.bias = options.alpha = 1;
  options.beta = 0.5f;
  return with(options);
}

// Per-channel quantized values along the first or another dimension.
Operand channels(Shape shape, std::vector<double> quantized, std::vector<float> scales, int32_t dimension) {
  Operand operand{TensorType::INT8, std::move(shape), std::move(quantized), std::move(scales), {}, dimension};
  operand.zero_points.assign(operand.scales.size(), 0);
  return operand;
}

const Operand kImage = floats({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});

class Linear : public testing::TestWithParam<OperatorCase> {};
TEST_P(Linear, MatchesTensorFlowLite) { check_case(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Convolution, Linear,
    testing::Values(
        op_case("Valid", CONV_2D,
                {kImage, constant(floats({1, 2, 2, 1}, {1, 1, 1, 1})), constant(floats({1}, {1}))},
                {floats({1, 2, 2, 1}, {13, 17, 25, 29})}, convolution(Padding::VALID)),
        op_case("SameWithoutBias", CONV_2D, {kImage, constant(floats({1, 1, 1, 1}, {2}))},
                {floats({1, 2, 2, 1}, {2, 6, 14, 18})}, convolution(Padding::SAME, 2)),
        op_case("FloatsWithQuantizedFilters", CONV_2D,
                {kImage, constant(int8({1, 3, 3, 1}, {0, 0, 0, 0, 4, 0, 0, 0, 2}, 0.5f, 0))},
                {floats({1, 1, 1, 1}, {19})}, convolution(Padding::VALID)),
        op_case("Bytes", CONV_2D,
                {uint8({1, 1, 2, 1}, {130, 140}, 1, 128), constant(uint8({1, 1, 1, 1}, {104}, 0.5f, 100)),
                 constant(ints({1}, {2}))},
                {uint8({1, 1, 2, 1}, {15, 55}, 0.5f, 5)}, convolution(Padding::VALID)),
        op_case("ScaleForEachChannel", CONV_2D,
                {int8({1, 1, 1, 1}, {10}, 0.5f, 0),
                 constant(channels({2, 1, 1, 1}, {4, 4}, {0.5f, 0.25f}, 0)), constant(ints({2}, {0, 8}))},
                {int8({1, 1, 1, 2}, {10, 6}, 1, 0)}, convolution(Padding::VALID)),
        op_case("Groups", CONV_2D,
                {floats({1, 1, 1, 4}, {1, 2, 3, 4}), constant(floats({2, 1, 1, 2}, {1, 1, 1, 10}))},
                {floats({1, 1, 1, 2}, {3, 43})}, convolution(Padding::VALID)),
        op_case("Depthwise", DEPTHWISE_CONV_2D,
                {floats({1, 1, 2, 2}, {1, 2, 3, 4}),
                 constant(floats({1, 1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40}))},
                {floats({1, 1, 1, 4}, {31, 62, 126, 168})}, depthwise()),
        op_case("DepthwiseWithAScaleForEachChannel", DEPTHWISE_CONV_2D,
                {int8({1, 1, 1, 2}, {10, 10}, 1, 0), constant(channels({1, 1, 1, 2}, {1, 1}, {2, 0.5f}, 3))},
                {int8({1, 1, 1, 2}, {20, 5}, 1, 0)}, depthwise()),
        op_case("DepthwiseFloatsWithQuantizedFilters", DEPTHWISE_CONV_2D,
                {floats({1, 1, 1, 2}, {10, 10}), constant(channels({1, 1, 1, 2}, {1, 1}, {2, 0.5f}, 3))},
                {floats({1, 1, 1, 2}, {20, 5})}, depthwise()),
        op_case("Transposed", TRANSPOSE_CONV,
                {constant(ints({4}, {1, 1, 4, 1})), constant(floats({1, 1, 3, 1}, {1, 10, 100})),
                 floats({1, 1, 2, 1}, {1, 2})},
                {floats({1, 1, 4, 1}, {1, 10, 102, 20})}, transposed(Padding::SAME, 2)),
        op_case("TransposedToASizeOfARun", TRANSPOSE_CONV,
                {ints({4}, {1, 1, 4, 1}), constant(floats({1, 1, 3, 1}, {1, 10, 100})),
                 floats({1, 1, 2, 1}, {1, 2})},
                {floats({1, 1, 4, 1}, {1, 10, 102, 20})}, transposed(Padding::SAME, 2)),
        op_case("TransposedToAnUnknownSize", TRANSPOSE_CONV,
                {ints({4}, {1, 1, 4, 1}), constant(floats({1, 1, 4, 1}, {1, 10, 100, 1000})),
                 floats({1, 1, 2, 1}, {1, 2})},
                {open(floats({1, 1, 4, 1}, {10, 102, 1020, 200}))}, transposed(Padding::SAME, 2)),
        op_case(
            "TransposedBeyondTheFilters", TRANSPOSE_CONV,
            {ints({4}, {1, 3, 7, 1}), constant(floats({1, 1, 2, 1}, {1, 10})), floats({1, 1, 2, 1}, {1, 2})},
            {open(floats({1, 3, 7, 1}, {1, 10, 0, 2, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))},
            transposed(Padding::VALID, 3)),
        op_case("TransposedInInt8ToAnUnknownSize", TRANSPOSE_CONV,
                {ints({4}, {1, 1, 4, 1}), constant(int8({1, 1, 3, 1}, {1, 2, 3}, 1, 0)),
                 int8({1, 1, 2, 1}, {3, 4}, 0.5f, 1)},
                {open(int8({1, 1, 4, 1}, {6, 8, 13, 10}, 0.5f, 4))}, transposed(Padding::SAME, 2))),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Product, Linear,
    testing::Values(
        op_case("Conv3D", CONV_3D,
                {floats({1, 2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
                 constant(floats({1, 2, 2, 1, 1}, {1, 2, 3, 4})), constant(floats({1}, {1}))},
                {floats({1, 2, 1, 1, 1}, {31, 71})}, conv3d(Padding::VALID)),
        op_case("Conv3DPadsAtTheEnd", CONV_3D,
                {floats({1, 2, 1, 1, 1}, {1, 2}), constant(floats({2, 1, 1, 1, 2}, {1, 10, 2, 20}))},
                {floats({1, 2, 1, 1, 2}, {5, 50, 2, 20})}, conv3d(Padding::SAME)),
        op_case("FullyConnected", FULLY_CONNECTED,
                {floats({1, 2, 1}, {1, 2}), constant(floats({3, 2}, {1, 0, 0, 1, 1, 1})),
                 constant(floats({3}, {0, 0, 7}))},
                {floats({1, 3}, {1, 2, 10})}),
        op_case("FullyConnectedKeepsDimensions", FULLY_CONNECTED,
                {floats({1, 2, 2}, {1, 2, 3, 4}), constant(floats({1, 2}, {1, 10}))},
                {floats({1, 2, 1}, {21, 43})}, keep_dimensions()),
        op_case("FullyConnectedOfBytes", FULLY_CONNECTED,
                {uint8({1, 2}, {2, 4}, 1, 0), constant(uint8({1, 2}, {130, 126}, 1, 128)),
                 constant(ints({1}, {9}))},
                {uint8({1, 1}, {5}, 1, 0)}),
        op_case("BatchMatMul", BATCH_MATMUL, {floats({1, 1, 2}, {1, 2}), floats({1, 2, 2}, {1, 10, 3, 30})},
                {floats({1, 1, 2}, {21, 63})}, transpose_second())),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    SpatialParams, Linear,
    testing::Values(
        op_case("AveragePool", AVERAGE_POOL_2D, {kImage}, {floats({1, 2, 2, 1}, {3, 4.5, 7.5, 9})},
                pool(Padding::SAME, 2, 2)),
        op_case("MaxPool", MAX_POOL_2D, {kImage}, {floats({1, 1, 1, 1}, {6})}, pool(Padding::VALID, 2, 3)),
        op_case("L2Pool", L2_POOL_2D, {floats({1, 1, 2, 1}, {3, 4})}, {floats({1, 1, 1, 1}, {3.535534})},
                pool(Padding::VALID, 1, 2)),
        op_case("ResizeBilinear", RESIZE_BILINEAR,
                {floats({1, 1, 2, 1}, {1, 3}), constant(ints({2}, {1, 3}))},
                {floats({1, 1, 3, 1}, {1, 2, 3})}, corners()),
        op_case("ResizeBilinearToARow", RESIZE_BILINEAR,
                {floats({1, 3, 2, 1}, {1, 2, 5, 7, 8, 9}), constant(ints({2}, {1, 2}))},
                {floats({1, 1, 2, 1}, {5, 7})}, half_pixels()),
        op_case("ResizeBilinearToAPixel", RESIZE_BILINEAR,
                {floats({1, 2, 2, 1}, {1, 2, 3, 4}), constant(ints({2}, {1, 1}))},
                {floats({1, 1, 1, 1}, {2.5})}, half_pixels()),
        op_case("ResizeNearest", RESIZE_NEAREST_NEIGHBOR,
                {floats({1, 2, 2, 1}, {1, 2, 3, 4}), constant(ints({2}, {2, 5}))},
                {floats({1, 2, 5, 1}, {1, 1, 1, 2, 2, 3, 3, 3, 4, 4})}, nearest(false, false)),
        op_case("ResizeNearestWithHalfPixels", RESIZE_NEAREST_NEIGHBOR,
                {floats({1, 1, 4, 1}, {1, 2, 3, 4}), constant(ints({2}, {1, 2}))},
                {floats({1, 1, 2, 1}, {2, 4})}, nearest(false, true)),
        op_case("ResizeNearestWithCorners", RESIZE_NEAREST_NEIGHBOR,
                {int8({1, 1, 3, 1}, {1, 2, 3}, 1, 0), constant(ints({2}, {1, 2}))},
                {int8({1, 1, 2, 1}, {1, 3}, 1, 0)}, nearest(true, false)),
        op_case("LocalResponseNormalization", LOCAL_RESPONSE_NORMALIZATION, {floats({1, 1, 1, 2}, {1, 2})},
                {floats({1, 1, 1, 2}, {0.408248, 0.816497})}, response(1))),
    case_name);

}  // namespace
}  // namespace nnrt::test
