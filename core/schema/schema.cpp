#include "core/schema/schema.h"

#include <algorithm>
#include <array>
#include <memory>

namespace nnrt {
namespace {

struct FamilyRows {
  Family family;
  std::vector<OpSchema> (*rows)();
};

constexpr FamilyRows kFamilies[] = {
    {Family::unary, unary_rows},
    {Family::binary, binary_rows},
    {Family::affine, affine_rows},
    {Family::reduce, reduce_rows},
    {Family::norm, norm_rows},
    {Family::cast, cast_rows},
    {Family::creation, creation_rows},
    {Family::data_movement, data_movement_rows},
    {Family::gemm_conv, gemm_conv_rows},
    {Family::pooling, pooling_rows},
    {Family::index, index_rows},
    {Family::special, special_rows},
    {Family::index, element_index_rows},
    {Family::pooling, sampling_rows},
    {Family::gemm_conv, recurrent_rows},
    {Family::gemm_conv, transformer_rows},
    {Family::special, detection_rows},
    {Family::special, lookup_rows},
    {Family::gemm_conv, quantized_lstm_rows},
};

// OpenHarmony's operators and parameters came in two levels of its API.
constexpr int kFirstApi = 9, kLastApi = 12;

DTypeSet output_dtypes(const OpSchema& row, const OutputRow& output) {
  if (output.rule == DTypeRule::same_as) return row.inputs[size_t(output.same_as)].dtypes;
  DTypeSet all;
  for (const InputRow& input : row.inputs) all = all | input.dtypes;
  return all;
}

// Fills in what follows from the rest of the row.
void complete(OpSchema& row, Family family) {
  row.name = short_name(row.op);
  row.family = family;
  for (InputRow& input : row.inputs) {
    if (input.dtypes == DTypeSet()) input.dtypes = row.inputs[size_t(input.same_as)].dtypes;
  }
  for (OutputRow& output : row.outputs) {
    if (output.dtypes == DTypeSet()) output.dtypes = output_dtypes(row, output);
  }
}

std::vector<OpSchema> gather() {
  std::vector<OpSchema> all;
  for (const FamilyRows& family : kFamilies) {
    for (OpSchema& row : family.rows()) {
      complete(row, family.family);
      all.push_back(std::move(row));
    }
  }
  std::sort(all.begin(), all.end(), [](const OpSchema& a, const OpSchema& b) { return a.op < b.op; });
  return all;
}

}  // namespace

std::string_view name(Family family) {
  constexpr std::array<std::string_view, 12> kNames = {"unary",  "binary",   "affine",    "data_movement",
                                                       "reduce", "norm",     "gemm_conv", "pooling",
                                                       "index",  "creation", "cast",      "special"};
  return kNames[size_t(family)];
}

int api_level(Op op) { return op <= Op::gelu ? kFirstApi : kLastApi; }

int api_level(Param param) {
  const bool reduces = param >= Param::reduce_mean_reduce_to_end && param <= Param::reduce_all_coeff;
  return param <= Param::unsqueeze_axis || reduces ? kFirstApi : kLastApi;
}

const ParamRow* OpSchema::param(int tensor_type) const {
  const auto row =
      std::find_if(params.begin(), params.end(), [&](const ParamRow& p) { return p.type() == tensor_type; });
  if (row != params.end()) return &*row;
  return rounds() && tensor_type == ties_param().type() ? &ties_param() : nullptr;
}

size_t OpSchema::min_inputs() const {
  size_t min = 0;
  for (const InputRow& input : inputs) min += input.many ? 2 : input.optional ? 0 : 1;
  return min;
}

size_t OpSchema::max_inputs() const { return inputs.back().many ? kManyElements : inputs.size(); }

bool is_default(const ParamRow& param, const AttrValue& value) {
  if (is_float(value.dtype)) return value.floats == param.default_value;
  return std::ranges::equal(value.integers, param.default_value);
}

const ParamRow& ties_param() {
  static const auto& row = *std::make_unique<const ParamRow>(ParamRow{.param = Param::quantized_ties_to_even,
                                                                      .attr = Attr::ties_to_even,
                                                                      .dtypes = DType::boolean})
                                .release();
  return row;
}

const OpSchema& schema(Op op) { return all_schemas()[index_of(op)]; }

bool only_reshapes(Op op) {
  return op == Op::reshape || op == Op::flatten || op == Op::squeeze || op == Op::unsqueeze ||
         op == Op::expand_dims;
}

std::span<const OpSchema> all_schemas() {
  // Never destroyed: runs may be in progress while the process exits.
  static const auto& all = *std::make_unique<const std::vector<OpSchema>>(gather()).release();
  return all;
}

}  // namespace nnrt
