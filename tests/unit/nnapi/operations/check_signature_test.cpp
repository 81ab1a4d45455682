// Like Android's suite: replaces the type of each operand, adds operands, and changes ranks; all of this must
// be refused except for the cases listed here.
#include "nnapi/model/operand_types.h"
#include "nnapi/operations/operand_form.h"
#include "nnapi/operations/operation_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nnrt::nnapi {
namespace {

struct Operands {
  std::vector<Operand> inputs, outputs;
};

struct Example {
  const OperationRow* row = nullptr;
  int32_t t = 0;            // the type chosen for T
  bool is_largest = false;  // nothing is omitted
  Operands operands;
};

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

// For every type of T and every operand count.
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

std::string name_of(const Example& example) {
  return cat(example.row->name, " of ", type_name(example.t), " with ", example.operands.inputs.size(),
             " inputs");
}

constexpr int32_t kF32 = ANEURALNETWORKS_TENSOR_FLOAT32, kF16 = ANEURALNETWORKS_TENSOR_FLOAT16,
                  kI32 = ANEURALNETWORKS_TENSOR_INT32, kU8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                  kS8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, kQ8 = ANEURALNETWORKS_TENSOR_QUANT8_SYMM,
                  kPc8 = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;

// Types that can replace each other in one operand.
std::set<int32_t> alternatives(const Example& example, bool is_input, size_t index) {
  const std::string_view name = example.row->name;
  const bool is_quantized = example.t == kU8 || example.t == kS8;
  if (name.ends_with("CONV_2D") && is_input && index == 1 && is_quantized) return {example.t, kPc8};
  // Two forms of this length differ only in one operand: a stride, or the layout.
  const size_t inputs = example.operands.inputs.size();
  if (is_input && ((name == "CONV_2D" && inputs == 10 && index == 7) ||
                   (name == "DEPTHWISE_CONV_2D" && inputs == 11 && index == 8)))
    return {ANEURALNETWORKS_INT32, ANEURALNETWORKS_BOOL};
  if (name == "CAST") {
    const int32_t code = example.operands.inputs[0].type.code;
    return std::set{kF16, kF32, kI32, kU8}.contains(code) ? std::set{kF16, kF32, kI32, kU8}
                                                          : std::set<int32_t>();
  }
  if (name == "QUANTIZE") return is_input ? std::set{kF32, kF16} : std::set{kU8, kS8};
  if (name == "DEQUANTIZE") return is_input ? std::set{kU8, kS8, kQ8, kPc8} : std::set{kF32, kF16};
  if ((name == "ARGMAX" || name == "ARGMIN") && is_input && index == 0) return {kF32, kF16, kI32, kU8, kS8};
  if (name == "RANDOM_MULTINOMIAL" && is_input && index == 0) return {kF32, kF16};
  if (name == "AXIS_ALIGNED_BBOX_TRANSFORM" && is_input && index == 1 &&
      example.operands.inputs[0].type.code == ANEURALNETWORKS_TENSOR_QUANT16_ASYMM)
    return {kU8, kS8};
  std::set<int32_t> any, tensors;
  for (int32_t code = 0; code < kOperandTypes; ++code) {
    if (code != ANEURALNETWORKS_MODEL) any.insert(code);
    if (is_tensor(code)) tensors.insert(code);
  }
  if (name == "RANK" && is_input) return tensors;
  if (name == "LSH_PROJECTION" && is_input && index == 1) return any;
  if ((name == "IF" && (!is_input || index >= 3)) || (name == "WHILE" && (!is_input || index >= 2)))
    return any;
  return {};
}

TEST(CheckSignature, TakesEveryFormOfEveryOperation) {
  const auto examples = all_examples();
  EXPECT_GT(examples.size(), 400u);
  for (const Example& example : examples) {
    const Outcome outcome = check(*example.row, example.operands);
    EXPECT_TRUE(outcome.ok()) << name_of(example) << ": " << outcome.error().message;
  }
}

void replace_each_type(const Example& example, bool is_input, size_t& refused) {
  Operands operands = example.operands;
  std::vector<Operand>& side = is_input ? operands.inputs : operands.outputs;
  for (size_t i = 0; i < side.size(); ++i) {
    const int32_t right = side[i].type.code;
    const std::set<int32_t> good = alternatives(example, is_input, i);
    for (int32_t code = 0; code < kOperandTypes; ++code) {
      if (code == right) continue;
      side[i].type.code = code;
      const Outcome outcome = check(*example.row, operands);
      EXPECT_EQ(outcome.ok(), good.contains(code))
          << name_of(example) << (is_input ? ": input " : ": output ") << i << " as " << type_name(code);
      if (outcome.ok()) continue;
      EXPECT_EQ(outcome.code(), ANEURALNETWORKS_BAD_DATA);
      ++refused;
    }
    side[i].type.code = right;
  }
}

TEST(CheckSignature, RefusesOtherTypes) {
  size_t refused = 0;
  for (const Example& example : all_examples()) {
    replace_each_type(example, true, refused);
    replace_each_type(example, false, refused);
  }
  EXPECT_GT(refused, 30'000u);
}

// The type that may be repeated after the last operand; -1: none.
int32_t repeated_at_end(const Example& example, bool is_input) {
  const std::string_view name = example.row->name;
  if (name == "PACK" && is_input) return example.t;
  if (name == "SPLIT" && !is_input) return example.t;
  return -1;
}

TEST(CheckSignature, RefusesMoreOperands) {
  for (const Example& example : all_examples()) {
    if (!example.is_largest || example.row->name == "IF" || example.row->name == "WHILE") continue;
    for (const bool is_input : {true, false}) {
      for (int32_t code = 0; code < kOperandTypes; ++code) {
        Operands operands = example.operands;
        std::vector<Operand>& side = is_input ? operands.inputs : operands.outputs;
        for (int added = 1; added <= (is_input ? 5 : 6); ++added) {
          side.emplace_back().type.code = code;
          EXPECT_EQ(check(*example.row, operands).ok(), code == repeated_at_end(example, is_input))
              << name_of(example) << ": " << added << " more " << type_name(code);
        }
      }
    }
  }
}

TEST(CheckSignature, RefusesFewerOperandsThanTheSmallestForm) {
  for (int32_t code = 0; code < 106; ++code) {
    const auto examples = examples_of(*find_operation(code));
    size_t inputs = examples[0].operands.inputs.size(), outputs = examples[0].operands.outputs.size();
    for (const Example& example : examples) {
      inputs = std::min(inputs, example.operands.inputs.size());
      outputs = std::min(outputs, example.operands.outputs.size());
    }
    for (const Example& example : examples) {
      if (example.row->forms.find("...") != std::string_view::npos) continue;
      Operands few = example.operands;
      few.inputs.resize(inputs - 1);
      EXPECT_FALSE(check(*example.row, few).ok()) << name_of(example);
      few = example.operands;
      few.outputs.resize(outputs - 1);
      EXPECT_FALSE(check(*example.row, few).ok()) << name_of(example);
    }
  }
}

TEST(CheckSignature, AcceptsVariadicOperands) {
  Operands operands;
  for (const int32_t code : {kF32, kF32, kF32, int32_t{ANEURALNETWORKS_INT32}})
    operands.inputs.emplace_back().type.code = code;
  operands.outputs.emplace_back().type.code = kF32;
  const OperationRow& row = *find_operation(ANEURALNETWORKS_CONCATENATION);
  EXPECT_TRUE(check(row, operands).ok());
  std::swap(operands.inputs[1], operands.inputs[3]);
  EXPECT_FALSE(check(row, operands).ok());
  operands.inputs = {operands.inputs[1]};
  EXPECT_FALSE(check(row, operands).ok());
}

// Allowed ranks of each input, if known.
struct Ranks {
  std::set<std::string_view> operations;
  size_t input;
  size_t smallest, largest;
};

const std::vector<Ranks>& ranks() {
  static const std::vector<Ranks> all{
      {{"ADD", "SUB", "MUL", "DIV"}, 0, 1, 4},
      {{"ADD", "SUB", "MUL", "DIV"}, 1, 1, 4},
      {{"RELU", "RELU1", "RELU6", "LOGISTIC", "TANH", "FLOOR", "DEQUANTIZE", "CONCATENATION"}, 0, 1, 4},
      {{"L2_NORMALIZATION", "LOCAL_RESPONSE_NORMALIZATION", "SOFTMAX"}, 0, 1, 4},
      {{"MEAN", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_SUM"},
       0,
       1,
       4},
      {{"RESHAPE", "SQUEEZE", "STRIDED_SLICE", "TRANSPOSE", "PAD", "PAD_V2", "CHANNEL_SHUFFLE"}, 0, 1, 4},
      {{"DEPTH_TO_SPACE", "SPACE_TO_DEPTH", "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND"}, 0, 1, 4},
      {{"CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D", "TRANSPOSE_CONV_2D"}, 0, 4, 4},
      {{"CONV_2D", "DEPTHWISE_CONV_2D", "GROUPED_CONV_2D", "TRANSPOSE_CONV_2D"}, 1, 4, 4},
      {{"AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"}, 0, 4, 4},
      {{"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"}, 0, 4, 4},
      {{"FULLY_CONNECTED"}, 0, 2, 4},
      {{"FULLY_CONNECTED"}, 1, 2, 2},
      {{"FULLY_CONNECTED"}, 2, 1, 1},
      {{"BATCH_MATMUL"}, 0, 2, 4},
      {{"BATCH_MATMUL"}, 1, 2, 4},
      {{"REVERSE"}, 0, 1, 8},
      {{"REVERSE"}, 1, 1, 1},
      {{"MIRROR_PAD"}, 1, 2, 2},
  };
  return all;
}

TEST(CheckSignature, RejectsUnsupportedRanks) {
  for (const Example& example : all_examples()) {
    for (size_t i = 0; i < example.operands.inputs.size(); ++i) {
      if (!is_tensor(example.operands.inputs[i].type.code)) continue;
      const auto limit = std::ranges::find_if(ranks(), [&](const Ranks& row) {
        return row.operations.contains(example.row->name) && row.input == i;
      });
      for (size_t rank = 0; rank <= 9; ++rank) {
        Operands operands = example.operands;
        operands.inputs[i].type.dimensions.assign(rank, 2);
        const bool may =
            rank == 0 || limit == ranks().end() || (rank >= limit->smallest && rank <= limit->largest);
        if (example.row->name == "CONCATENATION" && i == 1) continue;  // as its first input
        EXPECT_EQ(check(*example.row, operands).ok(), may)
            << name_of(example) << ": input " << i << " of rank " << rank;
      }
    }
  }
}

TEST(CheckSignature, IgnoresRankOfOmittedOperands) {
  Example example = examples_of(*find_operation(ANEURALNETWORKS_FULLY_CONNECTED))[0];
  example.operands.inputs[2].type.dimensions = {1, 1, 1};
  EXPECT_FALSE(check(*example.row, example.operands).ok());
  example.operands.inputs[2].source = Source::omitted;
  EXPECT_TRUE(check(*example.row, example.operands).ok());
}

TEST(CheckSignature, ExplainsMismatch) {
  Example example = examples_of(*find_operation(ANEURALNETWORKS_ADD))[0];
  example.operands.inputs[2].type.code = ANEURALNETWORKS_BOOL;
  EXPECT_EQ(check(*example.row, example.operands).error().message,
            "Input 2 is a BOOL instead of a INT32. While adding ADD.");
  Example conv = examples_of(*find_operation(ANEURALNETWORKS_CONV_2D)).back();
  while (conv.operands.inputs.size() > 7) conv.operands.inputs.pop_back();  // padding is a single number
  conv.operands.inputs[0].type.code = ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
  EXPECT_EQ(check(*conv.row, conv.operands).error().message,
            "Input 0 is a TENSOR_QUANT16_SYMM instead of a TENSOR_FLOAT32 or TENSOR_QUANT8_ASYMM or "
            "TENSOR_FLOAT16 or TENSOR_QUANT8_ASYMM_SIGNED. While adding CONV_2D.");
  example.operands.inputs.pop_back();
  EXPECT_EQ(check(*example.row, example.operands).error().message,
            "It does not take 2 inputs and 1 outputs. While adding ADD.");
}

}  // namespace
}  // namespace nnrt::nnapi
