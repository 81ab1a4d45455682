#include "mindspore/model/primitive.h"
#include "mindspore/schema/enumerations.h"

#include <gtest/gtest.h>

#include <set>

namespace nnrt::mindspore {
namespace {

TEST(PrimitiveTable, HasARowForEachNumber) {
  std::set<std::string_view> names;
  for (int number = 1; number <= kPrimitiveCount; ++number) {
    const PrimitiveRow* row = find_primitive(number);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->number, number);
    EXPECT_TRUE(names.insert(row->name).second) << row->name;
    std::set<std::string_view> fields;
    for (const FieldRow& field : row->fields) EXPECT_TRUE(fields.insert(field.name).second) << row->name;
  }
  EXPECT_EQ(find_primitive(0), nullptr);
  EXPECT_EQ(find_primitive(kPrimitiveCount + 1), nullptr);
}

TEST(PrimitiveTable, HasTheNumbersOfFiles) {
  const std::pair<PrimitiveType, std::string_view> known[] = {
      {PrimitiveType::abs, "Abs"},        {PrimitiveType::conv2d_fusion, "Conv2DFusion"},
      {PrimitiveType::lstm, "LSTM"},      {PrimitiveType::reduce_fusion, "ReduceFusion"},
      {PrimitiveType::custom, "Custom"},  {PrimitiveType::gru, "GRU"},
      {PrimitiveType::fill_v2, "FillV2"}, {PrimitiveType::transpose, "Transpose"}};
  for (const auto& [type, name] : known) EXPECT_EQ(row_of(type).name, name);
}

TEST(Primitive, HasDefaultsForAbsentFields) {
  Primitive exp(PrimitiveType::exp_fusion);
  EXPECT_EQ(exp.real("base"), -1);
  EXPECT_EQ(exp.real("scale"), 1);
  EXPECT_FALSE(exp.has("base"));
  exp.set("base", 2.0f);
  EXPECT_EQ(exp.real("base"), 2);
  EXPECT_TRUE(Primitive(PrimitiveType::top_k_fusion).flag("sorted"));
  EXPECT_THROW(static_cast<void>(exp.integer("no_such_field")), std::logic_error);
}

TEST(TypeId, HasADtypeBothWays) {
  for (int dtype = 1; dtype < kDTypeCount; ++dtype)
    EXPECT_EQ(dtype_of(type_id_of(DType(dtype))), DType(dtype));
  EXPECT_EQ(dtype_of(12), DType::unknown);
  EXPECT_EQ(dtype_of(45), DType::unknown);
}

}  // namespace
}  // namespace nnrt::mindspore
