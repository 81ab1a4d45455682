#include "core/base/text.h"
#include "tests/support/linear_algebra/case_maker.h"
#include "tests/support/linear_algebra/operands.h"

namespace nnrt::test {
namespace {

using Feed = CaseMaker::Feed;

Shape matrix_shape(const std::array<int64_t, 2>& batch, int64_t rows, int64_t columns, bool transposed) {
  Shape shape;
  if (batch[0] * batch[1] > 1) shape.assign(batch.begin(), batch.end());
  shape.push_back(transposed ? columns : rows);
  shape.push_back(transposed ? rows : columns);
  return shape;
}

std::string text_of(const eigen::Gemm& gemm, DType dtype, Feed right) {
  return cat("matmul_", name(dtype), "_", gemm.rows, "x", gemm.inner, "x", gemm.columns,
             gemm.transpose_a ? "_ta" : "", gemm.transpose_b ? "_tb" : "", "_batches_", gemm.batch_a[0],
             gemm.batch_a[1], "_", gemm.batch_b[0], gemm.batch_b[1],
             right == Feed::constant ? "_constant" : "");
}

LinearAlgebraCase matmul_case(const eigen::Gemm& gemm, DType dtype, Feed right) {
  CaseMaker make(text_of(gemm, dtype, right), Op::matmul, dtype);
  const auto a = make.operand(matrix_shape(gemm.batch_a, gemm.rows, gemm.inner, gemm.transpose_a),
                              Feed::input, left_quant(dtype));
  const auto b = make.operand(matrix_shape(gemm.batch_b, gemm.inner, gemm.columns, gemm.transpose_b), right,
                              right_quant(dtype));
  make.attribute(Attr::transpose_a, {gemm.transpose_a});
  make.attribute(Attr::transpose_b, {gemm.transpose_b});
  const std::array<int64_t, 2> batch{std::max(gemm.batch_a[0], gemm.batch_b[0]),
                                     std::max(gemm.batch_a[1], gemm.batch_b[1])};
  return make.products(matrix_shape(batch, gemm.rows, gemm.columns, false),
                       eigen::gemm(gemm, a.values, b.values),
                       eigen::gemm(gemm, magnitudes_of(a.values), magnitudes_of(b.values)), gemm.inner);
}

LinearAlgebraCase full_connection_case(const eigen::Gemm& gemm, DType dtype) {
  CaseMaker make(cat("full_connection_", name(dtype), "_", gemm.rows, "x", gemm.inner, "x", gemm.columns),
                 Op::full_connection, dtype);
  const auto x = make.operand({gemm.rows, gemm.inner}, Feed::input, left_quant(dtype));
  const auto w = make.operand({gemm.columns, gemm.inner}, Feed::constant, channel_quant(dtype, gemm.columns));
  const auto bias = make.bias(gemm.columns);
  eigen::Reals sums = eigen::gemm(gemm, x.values, w.values);
  eigen::Reals magnitudes = eigen::gemm(gemm, magnitudes_of(x.values), magnitudes_of(w.values));
  add_bias(sums, magnitudes, bias.values);
  return make.products({gemm.rows, gemm.columns}, sums, magnitudes, gemm.inner + 1);
}

}  // namespace

std::vector<LinearAlgebraCase> gemm_cases() {
  constexpr eigen::Gemm kSizes[] = {{1, 67, 31}, {5, 3, 7}, {33, 24, 40}, {67, 130, 41}};
  constexpr std::array<std::array<int64_t, 2>, 2> kBatches[] = {
      {{{2, 3}, {1, 1}}}, {{{1, 1}, {3, 2}}}, {{{2, 1}, {1, 3}}}, {{{1, 3}, {2, 3}}}};
  std::vector<LinearAlgebraCase> cases;
  for (const DType dtype : {DType::f32, DType::f16, DType::i8}) {
    for (eigen::Gemm gemm : kSizes) {
      for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
          gemm.transpose_a = transpose_a;
          gemm.transpose_b = transpose_b;
          cases.push_back(matmul_case(gemm, dtype, Feed::input));
          cases.push_back(matmul_case(gemm, dtype, Feed::constant));
        }
      }
      gemm.transpose_a = false;
      cases.push_back(full_connection_case(gemm, dtype));
    }
    for (const auto& [batch_a, batch_b] : kBatches) {
      for (const bool transposed : {false, true}) {
        const eigen::Gemm gemm{9, 12, 20, transposed, transposed, batch_a, batch_b};
        cases.push_back(matmul_case(gemm, dtype, Feed::input));
        cases.push_back(matmul_case(gemm, dtype, Feed::constant));
      }
    }
  }
  return cases;
}

std::vector<LinearAlgebraCase> cpu_gemm_cases() {
  constexpr eigen::Gemm kSizes[] = {{1, 1, 1},    {311, 97, 13},  {4, 601, 37},  {2, 290, 24},
                                    {3, 5, 2053}, {37, 53, 2053}, {530, 1, 768}, {8, 1, 67},
                                    {6, 21, 601}, {7, 37, 44},    {1, 7, 361},   {17, 6145, 70}};
  std::vector<LinearAlgebraCase> cases;
  for (const DType dtype : {DType::f32, DType::f16, DType::i8})
    for (eigen::Gemm gemm : kSizes)
      for (const bool transposed : {false, true}) {
        gemm.transpose_b = transposed;
        cases.push_back(matmul_case(gemm, dtype, Feed::input));
        cases.push_back(matmul_case(gemm, dtype, Feed::constant));
      }
  return cases;
}

}  // namespace nnrt::test
