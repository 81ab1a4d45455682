#include "nnapi/model/operand_types.h"
#include "nnapi/operations/operand_form.h"
#include "nnapi/operations/operation_row.h"

#include <optional>
#include <string>

namespace nnrt::nnapi {
namespace {

using Operands = std::span<const Operand* const>;

// How well operands match a form, and the first mismatch.
struct FormMatch {
  bool has_count = false;  // the form takes that many operands
  size_t fitting = 0;
  std::string mismatch;  // empty: it matches

  bool is_closer_than(const FormMatch& other) const {
    return has_count == other.has_count ? fitting > other.fitting : has_count;
  }
};

// The form's operand for operand `index` of `count`.
template <size_t kMax>
size_t place_of(const Side<kMax>& side, size_t index, size_t count) {
  if (side.repeated < 0) return index;
  const auto repeated = static_cast<size_t>(side.repeated);
  if (index < repeated) return index;
  const size_t behind = side.count - repeated - 1;  // operands of the form after the repeated one
  return index >= count - behind ? index + side.count - count : repeated;
}

template <size_t kMax>
bool may_have(const Side<kMax>& side, size_t count) {
  if (side.repeated >= 0) return count + 1 >= side.count;
  return count <= side.count && (side.may_end >> count & 1) != 0;
}

// `any` also accepts OEM types.
bool is_among(uint16_t types, int32_t code) {
  if (code >= kOperandTypes) return types == form_text::kAny;
  return (types & type_bit(code)) != 0;
}

uint16_t allowed_types(const OperandForm& operand, const Form& form, std::optional<int32_t> t) {
  if (operand.tie == Tie::none) return operand.types;
  if (!t) return form.types;
  const bool half = *t == ANEURALNETWORKS_TENSOR_FLOAT16;
  const bool is_float = half || *t == ANEURALNETWORKS_TENSOR_FLOAT32;
  switch (operand.tie) {
    case Tie::scalar_of_t: return type_bit(half ? ANEURALNETWORKS_FLOAT16 : ANEURALNETWORKS_FLOAT32);
    case Tie::filter_of_t:
      if (!is_float) return type_bit(*t) | type_bit(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL);
      break;
    case Tie::bias_of_t:
      if (!is_float) return type_bit(ANEURALNETWORKS_TENSOR_INT32);
      break;
    default: break;
  }
  return type_bit(*t);
}

// "TENSOR_FLOAT32 or TENSOR_FLOAT16".
std::string names_of(uint16_t types) {
  std::string names;
  for (int32_t code = 0; code < kOperandTypes; ++code) {
    if ((types & type_bit(code)) == 0) continue;
    names.append(names.empty() ? "" : " or ").append(type_name(code));
  }
  return names;
}

template <size_t kMax>
void fit_side(const Form& form, const Side<kMax>& side, Operands operands, std::string_view what,
              std::optional<int32_t>& t, FormMatch& fit) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandForm& expected = side.operands[place_of(side, i, operands.size())];
    const Operand& given = *operands[i];
    const uint16_t types = allowed_types(expected, form, t);
    if (!is_among(types, given.type.code)) {
      fit.mismatch =
          cat(what, " ", i, " is a ", type_name(given.type.code), " instead of a ", names_of(types), ".");
      return;
    }
    if (expected.tie == Tie::t) t = given.type.code;
    const size_t rank = given.type.dimensions.size();
    if (given.source != Source::omitted && rank != 0 &&
        (rank < expected.min_rank || rank > expected.max_rank)) {
      fit.mismatch = cat(what, " ", i, " has rank ", rank, ", which is outside [", int{expected.min_rank},
                         ", ", int{expected.max_rank}, "].");
      return;
    }
    ++fit.fitting;
  }
}

FormMatch fit_form(const Form& form, Operands inputs, Operands outputs) {
  FormMatch fit;
  if (!may_have(form.inputs, inputs.size()) || !may_have(form.outputs, outputs.size())) {
    fit.mismatch = cat("It does not take ", inputs.size(), " inputs and ", outputs.size(), " outputs.");
    return fit;
  }
  fit.has_count = true;
  std::optional<int32_t> t;
  fit_side(form, form.inputs, inputs, "Input", t, fit);
  if (fit.mismatch.empty()) fit_side(form, form.outputs, outputs, "Output", t, fit);
  return fit;
}

}  // namespace

Outcome check_signature(const OperationRow& row, Operands inputs, Operands outputs) {
  FormMatch best;
  Form form;
  for (std::string_view rest = row.forms; !rest.empty();) {
    form = next_form(rest, form);
    FormMatch fit = fit_form(form, inputs, outputs);
    if (fit.mismatch.empty()) return {};
    if (best.mismatch.empty() || fit.is_closer_than(best)) best = std::move(fit);
  }
  return bad_data(best.mismatch, " While adding ", row.name, ".");
}

}  // namespace nnrt::nnapi
