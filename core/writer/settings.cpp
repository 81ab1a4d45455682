#include "core/writer/settings.h"

#include "core/base/text.h"
#include "core/schema/validate.h"

#include <algorithm>

namespace nnrt {
namespace {

struct AttrWriter {
  const ParamRow& row;

  DType dtype(std::initializer_list<DType> choices) const {
    for (const DType dtype : choices) {
      if (row.dtypes.contains(dtype)) return dtype;
    }
    return DType::unknown;
  }
  AttrValue operator()(const std::vector<int64_t>& integers) const {
    const DType integer = dtype({DType::i64, DType::i32, DType::i8, DType::boolean});
    if (integer == DType::unknown) return (*this)(std::vector<double>(integers.begin(), integers.end()));
    return {.dtype = integer, .integers = integers, .floats = {}};
  }
  // Rounds to float32, as a client's parameter would be.
  AttrValue operator()(std::vector<double> floats) const {
    for (double& x : floats) x = double(float(x));
    return {.dtype = dtype({DType::f32, DType::f16}), .integers = {}, .floats = std::move(floats)};
  }
  AttrValue operator()(int64_t x) const { return (*this)(std::vector{x}); }
  AttrValue operator()(double x) const { return (*this)(std::vector{x}); }
  AttrValue operator()(const AttrValue& x) const { return x; }
};

// A parameter with alternative dtypes has one row for each.
const ParamRow* find_row(Op op, const AttrSetting& setting) {
  if (const auto* typed = std::get_if<AttrValue>(&setting.value))
    return find_param(op, setting.attr, typed->dtype);
  const bool is_real = std::holds_alternative<double>(setting.value) ||
                       std::holds_alternative<std::vector<double>>(setting.value);
  const std::vector<ParamRow>& rows = schema(op).params;
  const auto found = std::ranges::find_if(rows, [&](const ParamRow& row) {
    return row.attr == setting.attr && row.dtypes.contains(DType::f32) >= is_real;
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

const ParamRow* find_param(Op op, Attr attr, DType dtype) {
  const auto is_meant = [&](const ParamRow& row) { return row.attr == attr && row.dtypes.contains(dtype); };
  const std::vector<ParamRow>& rows = schema(op).params;
  const auto found = std::ranges::find_if(rows, is_meant);
  if (found != rows.end()) return &*found;
  return schema(op).rounds() && is_meant(ties_param()) ? &ties_param() : nullptr;
}

Result<Attrs> attrs_of(Op op, const Settings& settings) {
  Attrs attrs;
  for (const AttrSetting& setting : settings) {
    const ParamRow* param = find_row(op, setting);
    if (param == nullptr) return invalid(short_name(op), " has no parameter (", int(setting.attr), ").");
    attrs.set(setting.attr, std::visit(AttrWriter{*param}, setting.value));
  }
  return attrs;
}

Attrs with_defaults(Op op, const Attrs& given) {
  Attrs attrs = default_attrs(schema(op));
  for (const auto& [attr, value] : given.all()) attrs.set(attr, value);
  return attrs;
}

}  // namespace nnrt
