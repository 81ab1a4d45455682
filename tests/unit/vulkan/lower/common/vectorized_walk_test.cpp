#include "backends/vulkan/lower/common/vectorized_walk.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

TEST(FormOfParameter, ReadsOnlyWholeVectors) {
  for (const int64_t count : {1, 2, 3, 5, 6, 7}) EXPECT_NE(form_of_parameter(count, 1, 4), Form::vectors);
  for (const int64_t count : {4, 8, 12}) EXPECT_EQ(form_of_parameter(count, 1, 4), Form::vectors);
  EXPECT_EQ(form_of_parameter(4, 1, 8), Form::elements);
}

TEST(FormOfParameter, IsScalarForVectorsWithinAChannel) {
  EXPECT_EQ(form_of_parameter(3, 8, 4), Form::splat);
  EXPECT_EQ(form_of_parameter(4, 6, 4), Form::elements);
}

TEST(FormOfParameter, IsSplatForOneElement) {
  for (const int64_t inner : {1, 3, 4, 7}) EXPECT_EQ(form_of_parameter(1, inner, 4), Form::splat);
}

TEST(InVectors, OneRowNeedNotDivide) {
  const VectorWalk walk = in_vectors({{7}, {{1}, {0}}}, 4);
  EXPECT_EQ(walk.shape, Shape{2});
  EXPECT_EQ(walk.forms, (std::vector{Form::vectors, Form::splat}));
}

TEST(InVectors, RowsOfSeveralMustDivide) {
  const VectorWalk walk = in_vectors({{3, 7}, {{7, 1}, {0, 1}}}, 4);
  EXPECT_FALSE(walk.by_vectors());
  EXPECT_EQ(walk.shape, (Shape{3, 7}));
}

TEST(InVectors, StridesCountVectorsExceptOfSplats) {
  const VectorWalk walk = in_vectors({{3, 8}, {{8, 1}, {1, 0}}}, 4);
  EXPECT_EQ(walk.shape, (Shape{3, 2}));
  EXPECT_EQ(walk.strides, (std::vector<Strides>{{2, 1}, {1, 0}}));
}

TEST(InVectors, NeighboursApartAreNoVector) {
  EXPECT_FALSE(in_vectors({{3, 8}, {{8, 1}, {1, 3}}}, 4).by_vectors());
}

TEST(InVectors, UnalignedRowsAreNotVectorized) {
  EXPECT_FALSE(in_vectors({{3, 8}, {{8, 1}, {9, 1}}}, 4).by_vectors());
}

}  // namespace
}  // namespace nnrt::vulkan
