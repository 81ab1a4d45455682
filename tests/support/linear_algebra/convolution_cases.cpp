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

const std::vector<Named>& convolutions() {
  static const std::vector<Named> kAll{
      {"pointwise", Op::conv2d, {{2, 5, 7, 3}, {11, 1, 1, 3}}},
      {"pointwise_wide", Op::conv2d, {{1, 9, 8, 20}, {36, 1, 1, 20}}},
      {"strided_pointwise", Op::conv2d, {{1, 5, 7, 3}, {5, 1, 1, 3}, {2, 3}}},
      {"padded", Op::conv2d, {{1, 7, 5, 3}, {37, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"winograd", Op::conv2d, {{2, 13, 10, 16}, {32, 3, 3, 16}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"uneven_padding", Op::conv2d, {{2, 9, 8, 5}, {7, 3, 3, 5}, {1, 1}, {1, 1}, {2, 0, 1, 3}}},
      {"strided", Op::conv2d, {{1, 12, 11, 8}, {12, 5, 3, 8}, {2, 2}, {1, 1}, {2, 2, 1, 1}}},
      {"dilated", Op::conv2d, {{1, 11, 13, 2}, {3, 3, 2, 2}, {2, 1}, {3, 5}, {2, 1, 3, 0}}},
      {"deep", Op::conv2d, {{1, 3, 3, 151}, {3, 3, 3, 151}, {1, 1}, {1, 1}, {1, 1, 1, 1}}},
      {"grouped", Op::conv2d, {{1, 5, 5, 6}, {9, 3, 3, 2}, {1, 2}, {1, 1}, {1, 1, 1, 1}, 3}},
      {"depthwise",
       Op::depthwise_conv2d_native,
       {{2, 11, 13, 19}, {19, 3, 3, 1}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 19}},
      {"depthwise_strided",
       Op::depthwise_conv2d_native,
       {{1, 11, 13, 8}, {8, 5, 3, 1}, {2, 3}, {1, 2}, {2, 2, 1, 1}, 8}},
      {"depthwise_multiplied",
       Op::depthwise_conv2d_native,
       {{1, 7, 5, 3}, {6, 3, 3, 1}, {1, 1}, {1, 1}, {0, 1, 2, 0}, 3}},
      {"transposed",
       Op::conv2d_transpose,
       {{2, 3, 5, 3}, {7, 3, 3, 3}, {2, 2}, {1, 1}, {1, 0, 1, 1}, 1, true}},
      {"transposed_grouped",
       Op::conv2d_transpose,
       {{1, 3, 5, 6}, {4, 2, 3, 3}, {3, 2}, {2, 1}, {1, 1, 0, 2}, 2, true, {2, 1}}},
      {"transposed_wide",
       Op::conv2d_transpose,
       {{2, 5, 4, 20}, {36, 4, 4, 20}, {2, 2}, {1, 1}, {1, 1, 1, 1}, 1, true}},
      {"transposed_few_outputs",
       Op::conv2d_transpose,
       {{1, 7, 6, 24}, {2, 5, 3, 24}, {2, 3}, {1, 2}, {1, 2, 0, 1}, 1, true}},
  };
  return kAll;
}

LinearAlgebraCase convolution_case(const Named& one, DType dtype) {
  const eigen::Convolution& c = one.c;
  CaseMaker make(cat(one.name, "_", name(dtype)), one.op, dtype, Format::nhwc);
  const auto x = make.operand(c.x, Feed::input, left_quant(dtype));
  const auto w = make.operand(c.w, Feed::constant, channel_quant(dtype, c.w[0]));
  const auto bias = make.bias(c.w[0]);
  make.attribute(Attr::stride, c.stride);
  make.attribute(Attr::dilation, c.dilation);
  make.attribute(Attr::pad, c.pad);
  if (one.op != Op::depthwise_conv2d_native) make.attribute(Attr::group, {c.groups});
  if (c.transposed) make.attribute(Attr::output_padding, c.output_padding);
  eigen::Reals sums = eigen::convolution(c, x.values, w.values);
  eigen::Reals magnitudes = eigen::convolution(c, magnitudes_of(x.values), magnitudes_of(w.values));
  add_bias(sums, magnitudes, bias.values);
  return make.products(c.result(), sums, magnitudes, c.w[1] * c.w[2] * c.w[3] + 1);
}

}  // namespace

std::vector<LinearAlgebraCase> convolution_cases() {
  std::vector<LinearAlgebraCase> cases;
  for (const Named& one : convolutions())
    for (const DType dtype : {DType::f32, DType::f16, DType::i8})
      cases.push_back(convolution_case(one, dtype));
  return cases;
}

}  // namespace nnrt::test
