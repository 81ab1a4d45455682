#include "core/base/text.h"
#include "tests/support/linear_algebra/case_maker.h"
#include "tests/support/linear_algebra/operands.h"

namespace nnrt::test {
namespace {

using Feed = CaseMaker::Feed;

struct Named {
  const char* name;
  Op op;
  eigen::Convolution c;
};

constexpr Op kConv = Op::conv2d, kDepthwise = Op::depthwise_conv2d_native, kTransposed = Op::conv2d_transpose;

const std::vector<Named>& convolutions() {
  static const std::vector<Named> kAll{
      {"pointwise", kConv, {{2, 5, 7, 3}, {11, 1, 1, 3}}},
      {"pointwise_wide", kConv, {{1, 9, 8, 20}, {36, 1, 1, 20}}},
      {"strided_pointwise", kConv, {{1, 5, 7, 3}, {5, 1, 1, 3}, {2, 3}}},
      {"padded", kConv, {{1, 7, 5, 3}, {37, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"winograd", kConv, {{2, 13, 10, 16}, {32, 3, 3, 16}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"uneven_padding", kConv, {{2, 9, 8, 5}, {7, 3, 3, 5}, {1, 1}, {1, 1}, {2, 0, 1, 3}}},
      {"strided", kConv, {{1, 12, 11, 8}, {12, 5, 3, 8}, {2, 2}, {1, 1}, {2, 2, 1, 1}}},
      {"dilated", kConv, {{1, 11, 13, 2}, {3, 3, 2, 2}, {2, 1}, {3, 5}, {2, 1, 3, 0}}},
      {"deep", kConv, {{1, 3, 3, 151}, {3, 3, 3, 151}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"grouped", kConv, {{1, 5, 5, 6}, {9, 3, 3, 2}, {1, 2}, {1, 1}, {1, 1, 1, 1}, 3}},
      {"plain", kDepthwise, {{2, 11, 13, 19}, {19, 3, 3, 1}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"strided", kDepthwise, {{1, 11, 13, 8}, {8, 5, 3, 1}, {2, 3}, {1, 2}, {2, 2, 1, 1}}},
      {"multiplied", kDepthwise, {{1, 7, 5, 3}, {6, 3, 3, 1}, {1, 1}, {1, 1}, {0, 1, 2, 0}}},
      {"plain", kTransposed, {{2, 3, 5, 3}, {7, 3, 3, 3}, {2, 2}, {1, 1}, {1, 0, 1, 1}}},
      {"grouped", kTransposed, {{1, 3, 5, 6}, {4, 2, 3, 3}, {3, 2}, {2, 1}, {1, 1, 0, 2}, 2, true, {2, 1}}},
      {"wide", kTransposed, {{2, 5, 4, 20}, {36, 4, 4, 20}, {2, 2}, {1, 1}, {1, 1, 1, 1}}},
      {"few_outputs", kTransposed, {{1, 7, 6, 24}, {2, 5, 3, 24}, {2, 3}, {1, 2}, {1, 2, 0, 1}}},
  };
  return kAll;
}

// The CPU device has kernels, or parts of them, for each.
const std::vector<Named>& convolutions_of_cpu() {
  static const std::vector<Named> kAll{
      {"overlapping_rows", kConv, {{1, 9, 37, 3}, {20, 7, 5, 3}, {2, 2}, {1, 1}, {3, 3, 2, 2}}},
      {"whole_steps", kConv, {{2, 7, 5, 20}, {71, 3, 3, 20}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"whole_steps_grouped", kConv, {{1, 5, 7, 24}, {34, 3, 2, 12}, {2, 1}, {1, 2}, {1, 1, 1, 1}, 2}},
      {"many_columns", kConv, {{1, 13, 11, 17}, {397, 1, 1, 17}}},
      {"same", kConv, {{1, 7, 6, 2}, {3, 3, 5, 2}, {2, 3}, {1, 1}, {1, 1, 1, 1}}},
      {"group_for_each_channel", kConv, {{1, 5, 5, 3}, {6, 3, 3, 1}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 3}},
      {"few_channels_dilated_strided",
       kDepthwise,
       {{1, 11, 13, 5}, {5, 5, 3, 1}, {2, 3}, {1, 2}, {2, 2, 2, 2}}},
      {"blocks", kDepthwise, {{1, 7, 5, 131}, {131, 5, 3, 1}, {1, 1}, {1, 1}, {2, 2, 1, 1}}},
      {"columns_5", kDepthwise, {{1, 9, 15, 70}, {70, 5, 5, 1}, {1, 1}, {1, 1}, {2, 2, 2, 2}}},
      {"columns_5_strided", kDepthwise, {{2, 9, 16, 129}, {129, 5, 5, 1}, {2, 2}, {1, 1}, {2, 2, 1, 2}}},
      {"columns_3_strided", kDepthwise, {{1, 9, 13, 64}, {64, 3, 3, 1}, {2, 2}, {1, 1}, {0, 1, 0, 1}}},
      {"flat", kDepthwise, {{1, 5, 11, 32}, {32, 3, 3, 1}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"flat_5", kDepthwise, {{2, 7, 9, 3}, {3, 5, 5, 1}, {1, 1}, {1, 1}, {3, 2, 4, 0}}},
      {"flat_strided", kDepthwise, {{2, 9, 14, 8}, {8, 3, 3, 1}, {2, 2}, {1, 1}, {0, 1, 1, 1}}},
      {"flat_5_strided", kDepthwise, {{1, 7, 12, 24}, {24, 5, 5, 1}, {1, 2}, {1, 1}, {2, 2, 2, 1}}},
      {"flat_outside", kDepthwise, {{1, 2, 1, 6}, {6, 5, 5, 1}, {2, 2}, {1, 1}, {4, 4, 4, 5}}},
      {"wide", kDepthwise, {{1, 19, 23, 3}, {3, 17, 19, 1}, {1, 1}, {1, 1}, {0, 0, 0, 0}}},
      {"columns_7", kDepthwise, {{1, 9, 19, 21}, {21, 7, 7, 1}, {1, 1}, {1, 1}, {3, 3, 3, 3}}},
      {"columns_7_strided", kDepthwise, {{1, 9, 22, 17}, {17, 7, 7, 1}, {2, 2}, {1, 1}, {3, 3, 3, 2}}},
      {"columns_7_blocks", kDepthwise, {{1, 9, 14, 70}, {70, 7, 7, 1}, {1, 1}, {1, 1}, {3, 3, 3, 3}}},
      {"columns_7_blocks_strided", kDepthwise, {{1, 8, 15, 70}, {70, 7, 7, 1}, {2, 2}, {1, 1}, {3, 2, 3, 3}}},
      {"few_channels", kDepthwise, {{2, 9, 41, 8}, {8, 3, 3, 1}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"few_channels_strided", kDepthwise, {{2, 11, 43, 3}, {3, 5, 5, 1}, {2, 2}, {1, 1}, {2, 2, 2, 1}}},
      {"few_channels_dilated", kDepthwise, {{1, 13, 57, 4}, {4, 3, 4, 1}, {1, 3}, {3, 4}, {2, 3, 5, 0}}},
      {"one_channel", kConv, {{2, 1, 90, 1}, {1, 1, 31, 1}, {1, 2}, {1, 1}, {0, 0, 15, 15}}},
      {"eight_outputs", kConv, {{2, 9, 11, 8}, {8, 5, 5, 8}, {1, 1}, {1, 1}, {2, 2, 2, 2}}},
      {"four_outputs_a_group", kConv, {{1, 9, 10, 16}, {16, 3, 3, 4}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 4}},
      {"shared_vectors", kConv, {{2, 7, 5, 24}, {24, 3, 2, 3}, {2, 1}, {1, 2}, {1, 1, 1, 0}, 8}},
      {"shared_vectors_of_three", kConv, {{1, 6, 7, 18}, {18, 3, 3, 3}, {1, 2}, {1, 1}, {1, 1, 1, 1}, 6}},
      {"shared_vectors_of_pairs", kConv, {{1, 3, 5, 12}, {30, 1, 3, 2}, {1, 1}, {1, 1}, {0, 0, 1, 1}, 6}},
      {"wide_groups", kConv, {{1, 3, 5, 34}, {74, 3, 3, 17}, {2, 1}, {1, 1}, {1, 1, 2, 1}, 2}},
      {"pointwise_groups", kConv, {{1, 6, 5, 12}, {30, 1, 1, 4}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 3}},
      {"few_outputs", kConv, {{1, 7, 9, 33}, {2, 3, 3, 33}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"few_outputs_line", kConv, {{2, 1, 50, 70}, {1, 1, 9, 70}, {1, 2}, {1, 1}, {0, 0, 4, 4}}},
      {"few_outputs_grouped", kConv, {{1, 5, 6, 96}, {6, 1, 3, 32}, {1, 1}, {1, 2}, {0, 0, 2, 1}, 3}},
      {"same", kTransposed, {{1, 5, 3, 2}, {3, 3, 4, 2}, {2, 3}, {1, 1}, {0, 1, 0, 1}, 1, true, {1, 2}}},
      {"panels", kTransposed, {{1, 4, 5, 20}, {37, 4, 4, 20}, {2, 2}, {1, 1}, {1, 1, 1, 1}}},
      {"dilated", kTransposed, {{1, 5, 4, 6}, {18, 3, 3, 6}, {2, 3}, {3, 2}, {2, 1, 0, 3}}},
      {"equal_steps", kTransposed, {{1, 5, 4, 6}, {17, 3, 4, 6}, {2, 4}, {2, 2}, {0, 0, 0, 0}}},
      {"one_output", kTransposed, {{2, 7, 6, 24}, {1, 4, 4, 24}, {2, 2}, {1, 1}, {1, 1, 1, 1}}},
      {"bands", kTransposed, {{1, 20, 61, 9}, {3, 5, 5, 9}, {3, 2}, {1, 2}, {1, 2, 0, 3}}},
      {"few_outputs_grouped",
       kTransposed,
       {{1, 7, 6, 48}, {6, 3, 3, 24}, {2, 1}, {2, 1}, {0, 1, 1, 0}, 2, true, {1, 0}}},
      {"line", kTransposed, {{2, 1, 50, 40}, {2, 1, 16, 40}, {1, 8}, {1, 1}, {0, 0, 4, 4}}},
      {"line_wide", kTransposed, {{1, 1, 9, 12}, {24, 1, 7, 12}, {1, 3}, {1, 1}, {0, 0, 0, 0}}},
      {"sparse", kTransposed, {{1, 3, 4, 5}, {17, 2, 1, 5}, {4, 3}, {1, 1}, {0, 0, 0, 0}, 1, true, {3, 2}}},
      {"unit_stride", kTransposed, {{1, 5, 6, 8}, {16, 3, 3, 8}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"cropped", kTransposed, {{1, 4, 4, 3}, {3, 5, 5, 3}, {2, 2}, {1, 1}, {4, 3, 4, 4}}},
      {"by_channel", kTransposed, {{2, 5, 6, 19}, {19, 4, 3, 1}, {2, 3}, {1, 1}, {1, 1, 1, 0}, 19, true}},
  };
  return kAll;
}

LinearAlgebraCase convolution_case(const Named& one, DType dtype) {
  eigen::Convolution c = one.c;
  c.transposed = one.op == kTransposed;
  if (one.op == kDepthwise) c.groups = c.x[3];
  CaseMaker make(cat(name(one.op), "_", one.name, "_", name(dtype)), one.op, dtype, Format::nhwc);
  const auto x = make.operand(c.x, Feed::input, left_quant(dtype));
  const auto w = make.operand(c.w, Feed::constant, channel_quant(dtype, c.w[0]));
  const auto bias = make.bias(c.w[0]);
  make.attribute(Attr::stride, c.stride);
  make.attribute(Attr::dilation, c.dilation);
  make.attribute(Attr::pad, c.pad);
  if (one.op != kDepthwise) make.attribute(Attr::group, {c.groups});
  if (c.transposed) make.attribute(Attr::output_padding, c.output_padding);
  eigen::Reals sums = eigen::convolution(c, x.values, w.values);
  eigen::Reals magnitudes = eigen::convolution(c, magnitudes_of(x.values), magnitudes_of(w.values));
  add_bias(sums, magnitudes, bias.values);
  return make.products(c.result(), sums, magnitudes, c.w[1] * c.w[2] * c.w[3] + 1);
}

std::vector<LinearAlgebraCase> cases_of(const std::vector<Named>& convolutions) {
  std::vector<LinearAlgebraCase> cases;
  for (const Named& one : convolutions)
    for (const DType dtype : {DType::f32, DType::f16, DType::i8})
      cases.push_back(convolution_case(one, dtype));
  return cases;
}

}  // namespace

std::vector<LinearAlgebraCase> convolution_cases() { return cases_of(convolutions()); }
std::vector<LinearAlgebraCase> cpu_convolution_cases() { return cases_of(convolutions_of_cpu()); }

}  // namespace nnrt::test
