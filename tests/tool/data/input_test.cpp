#include "tools/nnrt/data/input.h"

#include "tests/support/temporary_folder.h"
#include "tools/nnrt/data/npy.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

// Passes a one-element array to an input of another type; returns the error message if it is refused.
std::string given(OH_NN_DataType from, double value, OH_NN_DataType to) {
  const test::TemporaryFolder folder;
  Array array = make_array(from, {1}).value();
  array.set(0, value);
  if (!write_npy(folder.file("x.npy"), array).ok()) return "not written";
  import::Tensor tensor;
  tensor.name = "x";
  tensor.type = to;
  tensor.shape = {1};
  InputOptions options;
  options.inputs = {folder.file("x.npy")};
  const auto inputs = make_inputs(std::span(&tensor, 1), options);
  if (!inputs.ok()) return inputs.error().message;
  const Array& made = inputs.value()[0].array;
  return made.type == to && made[0] == value ? "" : "another value";
}

TEST(MakeInputs, ConvertsLosslessly) {
  EXPECT_EQ(given(OH_NN_INT64, 7, OH_NN_INT32), "");
  EXPECT_EQ(given(OH_NN_INT64, 7, OH_NN_FLOAT32), "");
  EXPECT_EQ(given(OH_NN_UINT8, 255, OH_NN_UINT64), "");
  EXPECT_EQ(given(OH_NN_FLOAT32, 0.5, OH_NN_FLOAT16), "");
  EXPECT_EQ(given(OH_NN_FLOAT16, 0.5, OH_NN_FLOAT64), "");
}

TEST(MakeInputs, RejectsLossyConversion) {
  EXPECT_NE(given(OH_NN_INT64, -1, OH_NN_UINT8).find("(-1) is not a valid UINT8, the type of input x."),
            std::string::npos);
  EXPECT_NE(given(OH_NN_INT32, 16777217, OH_NN_FLOAT32).find("is not a valid FLOAT32"), std::string::npos);
  EXPECT_NE(given(OH_NN_FLOAT32, 1, OH_NN_INT32).find("is FLOAT32 [1], but input x is INT32 [1]."),
            std::string::npos);
}

TEST(MakeInputs, ReadsAnArchiveOnce) {
  const test::TemporaryFolder folder;
  const Array array = make_array(OH_NN_FLOAT32, {2, 3}).value();
  const std::vector<NamedArray> arrays{{"x", &array}};
  ASSERT_TRUE(write_npz(folder.file("x.npz"), arrays).ok());
  InputOptions options;
  options.inputs = {folder.file("x.npz")};
  EXPECT_EQ(shapes_of_arrays(options).at("x"), (Shape{2, 3}));
  std::filesystem::remove(folder.file("x.npz"));
  import::Tensor tensor;
  tensor.name = "x";
  tensor.type = OH_NN_FLOAT32;
  tensor.shape = {2, 3};
  EXPECT_TRUE(make_inputs(std::span(&tensor, 1), options).ok());
}

}  // namespace
}  // namespace nnrt::tool
