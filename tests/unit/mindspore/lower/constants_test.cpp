#include "mindspore/lower/constants.h"

#include <gtest/gtest.h>

namespace nnrt::mindspore {
namespace {

TEST(AddedConstants, AreOnesOfFloatsOnly) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    GraphWriter graph;
    EXPECT_EQ(ones(graph, dtype, 3).shape, Shape{3});
  }
  for (const DType dtype : {DType::i64, DType::f64, DType::i8}) {
    GraphWriter graph;
    EXPECT_THROW(ones(graph, dtype, 3), ConversionError) << name(dtype);
  }
}

TEST(AddedConstants, RejectInvalidCounts) {
  for (const int64_t count : {int64_t{-1}, int64_t{1} << 40}) {
    GraphWriter graph;
    EXPECT_THROW(zeros(graph, DType::f32, count), ConversionError) << count;
  }
}

}  // namespace
}  // namespace nnrt::mindspore
