// Shapes and errors of resampling operators, and of kernels over any number of dimensions.
#include "tests/unit/core/graph/node_tables.h"

namespace nnrt {
namespace {

using namespace testing_support;

Tensor like(const Tensor& input, size_t rank) {
  return in_format(input.format, floats(Shape(rank, kUnknown)));
}

Tensor nchw(Shape shape) { return in_format(Format::nchw, floats(std::move(shape))); }

OneNode pool(Tensor input, std::vector<int64_t> kernel, std::vector<Tensor> params = {}) {
  params.push_back(as_param(1043, i64s(kernel)));
  const Tensor output = like(input, input.shape.size());
  return {Op::max_pool_nd, {std::move(input)}, std::move(params), {output}};
}

OneNode conv3d(Tensor input, Shape weight, Shape bias, std::vector<Tensor> params = {}) {
  const Tensor output = like(input, 5);
  return {Op::conv3d,
          {std::move(input), floats(std::move(weight)), floats(std::move(bias))},
          std::move(params),
          {output}};
}

OneNode resize(Shape input, std::vector<int64_t> size, std::vector<Tensor> params = {}) {
  const size_t rank = input.size();
  return {
      Op::resize, {floats(std::move(input)), i64s(size)}, std::move(params), {floats(Shape(rank, kUnknown))}};
}

// Its size comes from the scales.
OneNode rescale(Shape input, const std::vector<float>& scales) {
  const size_t rank = input.size();
  std::vector<Tensor> params;
  if (!scales.empty())
    params.push_back(as_param(1026, constant(DType::f32, {int64_t(scales.size())}, scales)));
  return {Op::resize, {floats(std::move(input))}, std::move(params), {floats(Shape(rank, kUnknown))}};
}

OneNode grid_sample(Tensor input, Shape grid) {
  const Tensor output = like(input, input.shape.size());
  return {Op::grid_sample, {std::move(input), floats(std::move(grid))}, {}, {output}};
}

OneNode col2im(Shape input, std::vector<int64_t> size, std::vector<Tensor> params) {
  const size_t rank = 2 + size.size();
  return {
      Op::col2im, {floats(std::move(input)), i64s(size)}, std::move(params), {floats(Shape(rank, kUnknown))}};
}

OneNode roi_align(Shape input, Shape regions, Shape batch_indices, int64_t height = 2) {
  return {
      Op::roi_align,
      {floats(std::move(input)), floats(std::move(regions)), tensor(DType::i64, std::move(batch_indices))},
      {as_param(1048, i64s({height})), as_param(1049, i64s({3}))},
      {floats({-1, -1, -1, -1})}};
}

INSTANTIATE_TEST_SUITE_P(
    Sampling, NodeShapes,
    testing::Values(
        ShapeCase{"PoolOfUnknown", pool(nchw({-1, 3, -1, 7}), {3, 2}), {{-1, 3, -1, 6}}},
        ShapeCase{
            "ConvOfUnknown", conv3d(nchw({-1, 4, -1, 6, 7}), {8, 3, 2, 1, 4}, {8}), {{-1, 8, -1, 5, 7}}},
        ShapeCase{"Rescale", rescale({7, 31}, {11 / 7.0f, 1 / 31.0f}), {{11, 1}}},
        ShapeCase{"RescaleUnknown", rescale({-1, 3}, {2, 25 / 3.0f}), {{-1, 25}}},
        ShapeCase{"SampleOfUnknown", grid_sample(nchw({-1, 3, -1, 5}), {2, -1, 7, 2}), {{-1, 3, -1, 7}}},
        ShapeCase{"PictureOfUnknown",
                  col2im({-1, -1, 12}, {4, 5}, {as_param(1054, i64s({2, 2}))}),
                  {{-1, -1, 4, 5}}},
        ShapeCase{"RegionsOfUnknown", roi_align({2, 8, 9, -1}, {-1, 4}, {-1}), {{-1, 2, 3, -1}}}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    Sampling, NodeComplaints,
    testing::Values(Complaint{"ResizeScalar", resize({}, {}), "The input is a scalar."},
                    Complaint{
                        "RescaleToNothing", rescale({4}, {0.125f}),
                        "The new length (0) of dimension 0, 4 times 0.125, is outside [1, 2147483647]."}),
    kCaseName);

}  // namespace
}  // namespace nnrt
