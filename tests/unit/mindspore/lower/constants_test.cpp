#include "mindspore/lower/constants.h"

#include <gtest/gtest.h>

namespace nnrt::mindspore {
namespace {

TEST(AddedConstants, AreOnesOfFloatsOnly) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    GraphWriter graph;
    EXPECT_EQ(ones(graph, dtype, 3).shape, Shape{3});
    EXPECT_FALSE(graph.failed());
  }
  for (const DType dtype : {DType::i64, DType::f64, DType::i8}) {
    GraphWriter graph;
    ones(graph, dtype, 3);
    EXPECT_TRUE(graph.failed()) << name(dtype);
  }
}

TEST(AddedConstants, RejectInvalidCounts) {
  for (const int64_t count : {int64_t{-1}, int64_t{1} << 40}) {
    GraphWriter graph;
    zeros(graph, DType::f32, count);
    EXPECT_TRUE(graph.failed()) << count;
  }
}

}  // namespace
}  // namespace nnrt::mindspore
