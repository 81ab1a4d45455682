#include "backends/vulkan/lower/vectors.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

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

TEST(InVectors, RowsThatStartWithinAVectorAreNoVectors) {
  EXPECT_FALSE(in_vectors({{3, 8}, {{8, 1}, {9, 1}}}, 4).by_vectors());
}

}  // namespace
}  // namespace nnrt::vulkan
