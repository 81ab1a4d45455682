#include "nnapi/operations/operand_form.h"

#include <gtest/gtest.h>

#include <bit>
#include <string_view>

namespace nnrt::nnapi {
namespace {

Form form_of(std::string_view text) { return next_form(text, Form()); }

TEST(Notation, ReadsTypesInputsAndOutputs) {
  const Form form = form_of("fl i32: T[2..4] q/pc8[1] FLT INT*2 -> T");
  ASSERT_TRUE(form.valid);
  EXPECT_EQ(form.types, type_bit(ANEURALNETWORKS_TENSOR_FLOAT32) | type_bit(ANEURALNETWORKS_TENSOR_FLOAT16) |
                            type_bit(ANEURALNETWORKS_TENSOR_INT32));
  ASSERT_EQ(form.inputs.count, 5u);
  EXPECT_EQ(form.inputs.operands[0].tie, Tie::t);
  EXPECT_EQ(form.inputs.operands[0].min_rank, 2);
  EXPECT_EQ(form.inputs.operands[0].max_rank, 4);
  EXPECT_EQ(std::popcount(form.inputs.operands[1].types), 3);
  EXPECT_EQ(form.inputs.operands[1].min_rank, 1);
  EXPECT_EQ(form.inputs.operands[1].max_rank, 1);
  EXPECT_EQ(form.inputs.operands[2].tie, Tie::scalar_of_t);
  EXPECT_EQ(form.inputs.operands[4].types, type_bit(ANEURALNETWORKS_INT32));
  EXPECT_EQ(form.outputs.count, 1u);
}

TEST(Notation, ParsesOptionalOperands) {
  const Form form = form_of("fl: T BOOL? (INT INT)? -> T T?");
  ASSERT_TRUE(form.valid);
  EXPECT_EQ(form.inputs.may_end, 0b10110u);
  EXPECT_EQ(form.outputs.may_end, 0b110u);
}

TEST(Notation, ParsesRepeatedOperands) {
  const Form form = form_of("fl: T T... INT -> T");
  ASSERT_TRUE(form.valid);
  EXPECT_EQ(form.inputs.repeated, 1);
  EXPECT_EQ(form.outputs.repeated, -1);
}

TEST(Notation, LaterFormsHaveTheTypesOfTheFirst) {
  std::string_view text = "fl: T -> T | T INT -> T | q: T -> T";
  const Form first = next_form(text, Form()), second = next_form(text, first),
             third = next_form(text, second);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(second.types, first.types);
  EXPECT_NE(third.types, first.types);
}

TEST(Notation, RejectsSyntaxErrors) {
  for (const char* text : {"", "T", "T ->", "-> T", "fl: X -> T", "T[a] -> T", "T[4 -> T", "(T INT -> T",
                           "T INT)? -> T", "T... T... -> T", "T*x -> T", "T: T -> T", "fl/: -> "}) {
    EXPECT_FALSE(form_of(text).valid) << text;
  }
}

}  // namespace
}  // namespace nnrt::nnapi
