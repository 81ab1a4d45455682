#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "tests/support/linear_algebra/case_maker.h"
#include "tests/support/linear_algebra/operands.h"

#include <algorithm>

namespace nnrt::test {
namespace {

using eigen::Dims;
using eigen::Norm;
using eigen::Reals;
using Feed = CaseMaker::Feed;

constexpr float kEpsilon = 0.01f;

struct NormCase {
  const char* name;
  Op op;
  Norm norm;
  Shape shape;
  Dims dims;  // the same elements as the oracle sees them
  Attr axis;
  std::vector<int64_t> axes;
  Format format = Format::none;
};

const std::vector<NormCase>& norms() {
  static const std::vector<NormCase> kAll{
      {"layer_norm", Op::layer_norm, Norm::layer, {7, 37}, {7, 1, 1, 37}, Attr::begin_norm_axis, {1}},
      {"layer_norm_planes",
       Op::layer_norm,
       Norm::layer,
       {3, 4, 20},
       {3, 1, 1, 80},
       Attr::begin_norm_axis,
       {1}},
      {"rms_norm", Op::rms_norm, Norm::rms, {2, 5, 64}, {10, 1, 1, 64}, Attr::begin_norm_axis, {-1}},
      {"l2_rows", Op::l2_normalize, Norm::l2, {6, 33}, {6, 1, 1, 33}, Attr::axes, {1}},
      {"l2_columns", Op::l2_normalize, Norm::l2, {3, 8, 5}, {3, 8, 5, 1}, Attr::axes, {1}},
      {"instance_norm",
       Op::instance_norm,
       Norm::layer,
       {2, 3, 5, 7},
       {2, 1, 3, 35},
       Attr::axes,
       {},
       Format::nchw},
      {"instance_norm_nhwc",
       Op::instance_norm,
       Norm::layer,
       {2, 5, 7, 4},
       {2, 35, 4, 1},
       Attr::axes,
       {},
       Format::nhwc},
      {"group_norm",
       Op::group_norm,
       Norm::layer,
       {2, 6, 4, 5},
       {2, 1, 3, 40},
       Attr::group,
       {3},
       Format::nchw},
      {"group_norm_nhwc",
       Op::group_norm,
       Norm::layer,
       {2, 4, 5, 8},
       {2, 20, 2, 4},
       Attr::group,
       {2},
       Format::nhwc},
  };
  return kAll;
}

// The index of the scale of element i.
size_t scale_index(const NormCase& one, size_t i, size_t scales) {
  if (one.format != Format::nchw) return i % scales;
  return i / size_t(one.shape[2] * one.shape[3]) % scales;
}

LinearAlgebraCase norm_case(const NormCase& one, DType dtype) {
  CaseMaker make(cat(one.name, "_", name(dtype)), one.op, dtype, one.format);
  const auto x = make.operand(one.shape, Feed::input);
  Reals want = eigen::normalized(one.norm, one.dims, x.values, double(kEpsilon));
  Reals bound = magnitudes_of(want);
  if (one.norm != Norm::l2) {
    Shape scales{one.format == Format::nhwc ? one.shape[3] : one.shape[1]};
    if (one.axis == Attr::begin_norm_axis)
      scales.assign(one.axes[0] < 0 ? one.shape.end() - 1 : one.shape.begin() + 1, one.shape.end());
    const auto scale = make.operand(scales, Feed::constant);
    const auto shift =
        one.norm == Norm::layer
            ? make.operand(scales, Feed::constant)
            : CaseMaker::Operand{.id = 0, .values = Reals(scale.values.size()), .quant = {}, .bytes = {}};
    for (size_t i = 0; i < want.size(); ++i) {
      const size_t at = scale_index(one, i, scale.values.size());
      want[i] = want[i] * scale.values[at] + shift.values[at];
      bound[i] = bound[i] * std::abs(scale.values[at]) + std::abs(shift.values[at]);
    }
  }
  // Mean and variance are within a few roundings of values up to 2, in sums that devices order as they like.
  for (double& value : bound) value = 0x1p-19 * (value + 1);
  if (!one.axes.empty()) make.attribute(one.axis, one.axes);
  make.real_attribute(Attr::epsilon, kEpsilon);
  return make.reals(one.shape, std::move(want), std::move(bound));
}

constexpr std::pair<Op, eigen::Reduction> kReductions[] = {{Op::reduce_sum, eigen::Reduction::sum},
                                                           {Op::reduce_mean, eigen::Reduction::mean},
                                                           {Op::reduce_prod, eigen::Reduction::product},
                                                           {Op::reduce_l2, eigen::Reduction::l2}};
// Rows, columns, and both.
constexpr Dims kReduced[] = {{6, 1, 4, 35}, {5, 9, 7, 1}, {3, 4, 5, 6}};

template <typename Unsigned>
Bytes wrapped_bytes(eigen::Reduction reduction, const Dims& dims, const Bytes& x) {
  std::vector<Unsigned> values(x.size() / sizeof(Unsigned));
  std::memcpy(values.data(), x.data(), x.size());
  const std::vector<Unsigned> result = eigen::wrapped(reduction, dims, values);
  return bytes_of(result);
}

LinearAlgebraCase reduction_case(Op op, eigen::Reduction reduction, const Dims& dims, DType dtype) {
  CaseMaker make(cat(name(op), "_", name(dtype), "_", dims[1], "x", dims[3]), op, dtype);
  const auto x = make.operand({dims.begin(), dims.end()}, Feed::input);
  make.ints({1, 3});
  const Shape shape{dims[0], dims[2]};
  if (dtype == DType::i32) return make.integers(shape, wrapped_bytes<uint32_t>(reduction, dims, x.bytes));
  if (dtype == DType::i64) return make.integers(shape, wrapped_bytes<uint64_t>(reduction, dims, x.bytes));
  Reals want = eigen::reduced(reduction, dims, x.values);
  Reals bound = reduction == eigen::Reduction::sum || reduction == eigen::Reduction::mean
                    ? eigen::reduced(reduction, dims, magnitudes_of(x.values))
                    : magnitudes_of(want);
  for (double& value : bound) value *= double(dims[1] * dims[3] + 2) * make.roundoff();
  return make.reals(shape, std::move(want), std::move(bound));
}

}  // namespace

std::vector<LinearAlgebraCase> norm_cases() {
  std::vector<LinearAlgebraCase> cases;
  for (const NormCase& one : norms())
    for (const DType dtype : {DType::f32, DType::f16}) cases.push_back(norm_case(one, dtype));
  for (const auto& [op, reduction] : kReductions) {
    for (const Dims& dims : kReduced) {
      for (const DType dtype : {DType::f32, DType::f16, DType::f64})
        cases.push_back(reduction_case(op, reduction, dims, dtype));
      if (op != Op::reduce_sum && op != Op::reduce_prod) continue;
      for (const DType dtype : {DType::i32, DType::i64})
        cases.push_back(reduction_case(op, reduction, dims, dtype));
    }
  }
  return cases;
}

}  // namespace nnrt::test
