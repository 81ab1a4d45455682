#include "tests/support/linear_algebra/case_maker.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/passes/normalize.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace nnrt::test {
namespace {

template <typename T>
void append(Bytes& bytes, T value) {
  const auto view = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

template <typename T>
T element(ByteView bytes, size_t i) {
  T value{};
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

double real(DType dtype, ByteView bytes, size_t i) {
  switch (dtype) {
    case DType::f16: return double(to_float(element<Half>(bytes, i)));
    case DType::f32: return double(element<float>(bytes, i));
    case DType::f64: return element<double>(bytes, i);
    default: return double(element<int8_t>(bytes, i));
  }
}

}  // namespace

CaseMaker::CaseMaker(std::string name, Op op, DType dtype, Format format)
    : format_(format), random_(uint32_t(std::hash<std::string>()(name))) {
  one_.name = std::move(name);
  one_.op = op;
  one_.dtype = dtype;
}

CaseMaker::Operand CaseMaker::operand(const Shape& shape, Feed feed, const Quant& quant) {
  Operand drawn{.id = 0, .values = {}, .quant = quant, .bytes = {}};
  const int64_t count = *element_count(shape), slice = shape.empty() ? 1 : count / shape[0];
  for (int64_t i = 0; i < count; ++i) {
    const float value = float(random_.real(-2, 2));
    switch (dtype()) {
      case DType::f16: append(drawn.bytes, to_half(value)); break;
      case DType::f32: append(drawn.bytes, value); break;
      case DType::f64: append(drawn.bytes, random_.real(-2, 2)); break;
      case DType::i32: append(drawn.bytes, int32_t(random_.bits())); break;
      case DType::i64: append(drawn.bytes, int64_t(random_.bits())); break;
      default: append(drawn.bytes, int8_t(random_.between(-128, 127)));
    }
    if (dtype() == DType::i32 || dtype() == DType::i64) continue;
    const bool per_channel = quant.zero_points.size() > 1;
    const int32_t zero = quant.empty() ? 0 : quant.zero_points[per_channel ? size_t(i / slice) : 0];
    drawn.values.push_back(real(dtype(), drawn.bytes, size_t(i)) - zero);
  }
  if (feed == Feed::input) {
    drawn.id = make_.input(shape, dtype(), format_);
    one_.inputs.push_back(drawn.bytes);
  } else {
    drawn.id = make_.constant_bytes(shape, dtype(), drawn.bytes);
  }
  EXPECT_TRUE(quant.empty() || make_.builder().set_quant(drawn.id, quant).ok());
  ids_.push_back(drawn.id);
  quants_.push_back(quant);
  return drawn;
}

CaseMaker::Operand CaseMaker::bias(int64_t channels) {
  if (dtype() != DType::i8) return operand({channels}, Feed::constant);
  Operand drawn;
  std::vector<int32_t> values;
  for (int64_t i = 0; i < channels; ++i) values.push_back(int32_t(random_.between(-20000, 20000)));
  drawn.values.assign(values.begin(), values.end());
  ids_.push_back(make_.ints(values));
  return drawn;
}

void CaseMaker::attribute(Attr attr, std::span<const int64_t> values) {
  const auto row = std::ranges::find(schema(one_.op).params, attr, &ParamRow::attr);
  ASSERT_NE(row, schema(one_.op).params.end()) << one_.name;
  if (row->dtypes.contains(DType::i64)) {
    parameters_.push_back(make_.parameter<int64_t>(row->type(), DType::i64, {values.begin(), values.end()}));
  } else {
    const DType dtype = row->dtypes.contains(DType::boolean) ? DType::boolean : DType::i8;
    parameters_.push_back(make_.parameter<int8_t>(row->type(), dtype, {int8_t(values[0])}));
  }
}

void CaseMaker::real_attribute(Attr attr, float value) {
  const auto row = std::ranges::find(schema(one_.op).params, attr, &ParamRow::attr);
  ASSERT_NE(row, schema(one_.op).params.end()) << one_.name;
  parameters_.push_back(make_.parameter<float>(row->type(), DType::f32, {value}));
}

double CaseMaker::storing(double value) const {
  if (dtype() == DType::f16) return 0x1p-11 * std::abs(value) + 0x1p-24;
  return roundoff() * std::abs(value);
}

LinearAlgebraCase CaseMaker::products(const Shape& result, const eigen::Reals& sums,
                                      const eigen::Reals& magnitudes, int64_t terms) {
  one_.want = sums;
  Quant quant;
  if (dtype() == DType::i8) {
    // Most results fit into INT8, some are clamped. The scale is rounded to float: its error is far below a
    // step, but it decides ties.
    quant = {{0.125 * 60 * std::sqrt(double(terms))}, {-3}};
    const std::vector<double>& scales = quants_[1].scales;
    for (size_t i = 0; i < sums.size(); ++i) {
      const double scale = scales[scales.size() == 1 ? 0 : i % scales.size()] * quants_[0].scales[0];
      one_.want[i] = std::clamp(sums[i] * scale / quant.scales[0] - 3, -128.0, 127.0);
    }
    one_.bound.assign(sums.size(), 0.5 + 0x1p-12);
  } else {
    // Rounding of each product and each addition, in whatever order.
    for (size_t i = 0; i < sums.size(); ++i)
      one_.bound.push_back(double(terms + 2) * roundoff() * magnitudes[i] + storing(sums[i]));
  }
  return finish(result, quant);
}

LinearAlgebraCase CaseMaker::reals(const Shape& result, eigen::Reals want, eigen::Reals bound) {
  one_.want = std::move(want);
  one_.bound = std::move(bound);
  for (size_t i = 0; i < one_.want.size(); ++i) one_.bound[i] += storing(one_.want[i]);
  return finish(result);
}

LinearAlgebraCase CaseMaker::integers(const Shape& result, Bytes exact) {
  one_.exact = std::move(exact);
  return finish(result);
}

LinearAlgebraCase CaseMaker::finish(const Shape& result, const Quant& quant) {
  const TensorId y = make_.op(one_.op, ids_, result, parameters_, dtype(), format_);
  EXPECT_TRUE(quant.empty() || make_.builder().set_quant(y, quant).ok());
  one_.graph = normalize(make_.finish({y}));
  return std::move(one_);
}

std::optional<std::string> mismatch(const LinearAlgebraCase& one, ByteView got) {
  if (!one.exact.empty()) {
    if (std::ranges::equal(got, one.exact)) return std::nullopt;
    return cat("The bytes of ", one.name, " differ.");
  }
  if (got.size() != one.want.size() * size_of(one.dtype)) return cat(got.size(), " bytes");
  for (size_t i = 0; i < one.want.size(); ++i) {
    const double value = real(one.dtype, got, i);
    if (std::abs(value - one.want[i]) <= one.bound[i]) continue;
    return cat("Element ", i, " of ", one.want.size(), " is ", value, ", not ", one.want[i], " +- ",
               one.bound[i], '.');
  }
  return std::nullopt;
}

}  // namespace nnrt::test
