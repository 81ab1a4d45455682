#include "tests/unit/nnapi/operations/drawn_operands.h"

#include "nnapi/model/operand_types.h"

namespace nnrt::nnapi::test {
namespace {

int32_t first_of(uint16_t types) {
  for (int32_t code = 0; code < kOperandTypes; ++code) {
    if ((types & type_bit(code)) != 0) return code;
  }
  return -1;
}

int32_t type_for(const OperandForm& form, int32_t t) {
  const bool is_float = t == ANEURALNETWORKS_TENSOR_FLOAT32 || t == ANEURALNETWORKS_TENSOR_FLOAT16;
  switch (form.tie) {
    case Tie::none: return first_of(form.types);
    case Tie::scalar_of_t:
      return t == ANEURALNETWORKS_TENSOR_FLOAT16 ? ANEURALNETWORKS_FLOAT16 : ANEURALNETWORKS_FLOAT32;
    case Tie::bias_of_t: return is_float ? t : ANEURALNETWORKS_TENSOR_INT32;
    case Tie::t:
    case Tie::filter_of_t: break;
  }
  return t;
}

Operand operand_of(const OperandForm& form, int32_t t) {
  Operand operand;
  operand.type.code = type_for(form, t);
  return operand;
}

// One side per possible operand count; repeated operands occur once.
template <size_t kMax>
std::vector<std::vector<Operand>> sides_of(const Side<kMax>& side, int32_t t) {
  std::vector<std::vector<Operand>> sides;
  std::vector<Operand> operands;
  for (uint32_t i = 0; i <= side.count; ++i) {
    if ((side.may_end >> i & 1) != 0) sides.push_back(operands);
    if (i < side.count) operands.push_back(operand_of(side.operands[i], t));
  }
  return sides;
}

void add_examples(const OperationRow& row, const Form& form, int32_t t, std::vector<Example>& examples) {
  const auto inputs = sides_of(form.inputs, t), outputs = sides_of(form.outputs, t);
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t o = 0; o < outputs.size(); ++o) {
      const bool is_largest = i + 1 == inputs.size() && o + 1 == outputs.size();
      examples.push_back({&row, t, is_largest, {inputs[i], outputs[o]}});
    }
  }
}

std::vector<const Operand*> pointers(const std::vector<Operand>& operands) {
  std::vector<const Operand*> all;
  for (const Operand& operand : operands) all.push_back(&operand);
  return all;
}

}  // namespace

std::vector<Example> examples_of(const OperationRow& row) {
  std::vector<Example> examples;
  Form form;
  for (std::string_view rest = row.forms; !rest.empty();) {
    form = next_form(rest, form);
    bool has_t = false;
    for (const OperandForm& operand : form.inputs.operands) has_t = has_t || operand.tie == Tie::t;
    if (!has_t) add_examples(row, form, ANEURALNETWORKS_TENSOR_FLOAT32, examples);
    for (int32_t t = 0; has_t && t < kOperandTypes; ++t) {
      if ((form.types & type_bit(t)) != 0) add_examples(row, form, t, examples);
    }
  }
  return examples;
}

std::vector<Example> all_examples() {
  std::vector<Example> all;
  for (int32_t code = 0; code < 106; ++code) {
    for (Example& example : examples_of(*find_operation(code))) all.push_back(std::move(example));
  }
  return all;
}

Outcome check(const OperationRow& row, const Operands& operands) {
  return check_signature(row, pointers(operands.inputs), pointers(operands.outputs));
}

}  // namespace nnrt::nnapi::test
