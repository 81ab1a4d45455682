// Spatial parameters of convolutions and pooling (R17) that golden cases do not show.
#include "core/schema/geometry.h"
#include "tests/unit/core/graph/node_tables.h"

namespace nnrt {
namespace {

using namespace testing_support;
using Pair = std::array<int64_t, 2>;

OneNode pool(Shape input, std::vector<Tensor> params) {
  return {Op::max_pool, {floats(std::move(input))}, std::move(params), {floats({-1, -1, -1, -1})}};
}
Tensor kernel(int64_t h, int64_t w) { return as_param(36, i64s({h, w})); }
Tensor stride(int64_t h, int64_t w) { return as_param(37, i64s({h, w})); }
Tensor pad(const std::vector<int64_t>& list) { return as_param(39, i64s(list)); }
const Tensor kSame = as_param(38, i8(0));
const Tensor kCeil = as_param(114, i32s({1}));

OneNode conv(Shape input, Shape weight, std::vector<Tensor> params) {
  return {Op::conv2d,
          {floats(std::move(input)), floats(std::move(weight)), floats({2})},
          std::move(params),
          {floats({-1, -1, -1, -1})}};
}

struct SpatialCase {
  const char* name;
  OneNode node;
  Pair before, after, out;
};

class SpatialParamsTest : public testing::TestWithParam<SpatialCase> {};

TEST_P(SpatialParamsTest, AreAsWorkedOutByHand) {
  const auto spatial = GetParam().node.with_view(spatial_params).value();
  EXPECT_EQ(spatial.before, GetParam().before);
  EXPECT_EQ(spatial.after, GetParam().after);
  EXPECT_EQ(spatial.out, GetParam().out);
}

const SpatialCase kSpatialCases[] = {
    {"SameNeverCrops", pool({1, 7, 7, 2}, {kernel(1, 2), stride(3, 5), kSame}), {0, 0}, {0, 0}, {3, 2}},
    {"SameIgnoresCeil", pool({1, 5, 5, 2}, {kernel(2, 2), stride(2, 2), kSame, kCeil}), {}, {1, 1}, {3, 3}},
    {"UnknownInputLeavesUnknown",
     pool({1, -1, 7, 2}, {kernel(3, 3), pad({1, 1, 0, 0})}),
     {1, 0},
     {1, 0},
     {-1, 5}},
    {"UnknownInputLeavesSamePaddingUnknown",
     pool({1, -1, 7, 2}, {kernel(3, 3), kSame}),
     {-1, 1},
     {-1, 1},
     {-1, 7}},
    {"PadModeAcceptsAList",
     conv({1, 5, 7, 3}, {2, 3, 3, 3}, {as_param(14, i64s({1, 0, 0, 2}))}),
     {1, 0},
     {0, 2},
     {4, 7}},
    {"UnknownWeightLeavesUnknown", conv({1, 5, 7, 3}, {2, -1, 3, 3}, {}), {}, {}, {-1, 5}},
};

INSTANTIATE_TEST_SUITE_P(Table, SpatialParamsTest, testing::ValuesIn(kSpatialCases), kCaseName);

OneNode transposed(std::vector<Tensor> params) {
  OneNode node = conv({1, 3, 3, 3}, {2, 1, 1, 3}, std::move(params));
  node.op = Op::conv2d_transpose;
  return node;
}

TEST(TransposedSpatialParams, SameGrowsByOutputPadding) {
  OneNode node = transposed({as_param(17, i64s({2, 2})), as_param(21, i8(0)), as_param(20, i64s({1}))});
  node.inputs[1].shape = {2, 5, 5, 3};
  const auto spatial = node.with_view(transposed_spatial_params).value();
  EXPECT_EQ(spatial.before, (Pair{1, 1}));
  EXPECT_EQ(spatial.out, (Pair{7, 7}));
}

const Complaint kComplaints[] = {
    {"KernelAbsent", pool({1, 5, 5, 2}, {}), "The kernel size of a pool that is not global is absent."},
    {"KernelZero", pool({1, 5, 5, 2}, {kernel(0, 2)}), "Kernel size (0) is outside [1, 2147483647]."},
    {"StrideZero", pool({1, 5, 5, 2}, {kernel(2, 2), stride(1, 0)}),
     "Stride (0) is outside [1, 2147483647]."},
    {"PaddingNegative", pool({1, 5, 5, 2}, {kernel(2, 2), pad({0, -1, 0, 0})}),
     "Padding (-1) is outside [0, 2147483647]."},
    {"PaddingBeyondSizes", pool({1, 5, 5, 2}, {kernel(2, 2), pad({0, 0, INT64_MAX, 0})}),
     "Padding (9223372036854775807) is outside [0, 2147483647]."},
    {"WindowTooLarge", pool({1, 5, 5, 2}, {kernel(2, 9), pad({0, 0, 2, 1})}),
     "Width of the kernel (9) is larger than the padded input (8)."},
    {"FirstWindowInPadding", pool({1, 5, 5, 2}, {kernel(2, 2), pad({2, 0, 0, 0})}),
     "Height padding (2, 0) leaves a kernel of 2 without any cell of the input."},
    {"LastWindowInPadding", pool({1, 5, 5, 2}, {kernel(2, 2), pad({0, 0, 0, 2})}),
     "Width padding (0, 2) leaves a kernel of 2 without any cell of the input."},
    {"PoolRank", pool({5, 5, 2}, {kernel(2, 2)}), "The rank of the input (3) is not 4."},
    {"DilationZero", conv({1, 5, 5, 3}, {2, 1, 1, 3}, {as_param(13, i64s({0, 1}))}),
     "Dilation (0) is outside [1, 2147483647]."},
    {"OutputPaddingIsTheStride", transposed({as_param(17, i64s({2, 2})), as_param(20, i64s({1, 2}))}),
     "Output padding (2) is outside [0, 2)."},
    {"TransposedLeavesNothing", transposed({as_param(18, i64s({0, 0, 2, 1}))}),
     "Width of the output (0) is below 1."},
};
INSTANTIATE_TEST_SUITE_P(SpatialGeometry, NodeComplaints, testing::ValuesIn(kComplaints), kCaseName);

}  // namespace
}  // namespace nnrt
