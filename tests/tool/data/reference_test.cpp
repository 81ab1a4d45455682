#include "tools/nnrt/data/reference.h"

#include "tests/tool/run_tool.h"
#include "tools/nnrt/data/npy.h"
#include "tools/nnrt/data/npz.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

Array array(OH_NN_DataType type, Shape shape, const std::vector<double>& values) {
  Array made = make_array(type, std::move(shape)).value();
  for (size_t i = 0; i < values.size(); ++i) made.set(i, values[i]);
  return made;
}

nnrt::import::Tensor tensor(const char* name) {
  import::Tensor made;
  made.name = name;
  return made;
}

const Array kOne = array(OH_NN_FLOAT32, {1}, {1}), kTwo = array(OH_NN_FLOAT32, {1}, {2});

class References : public testing::Test {
 protected:
  std::string npy(const std::string& name, const Array& array) {
    EXPECT_TRUE(write_npy(folder_.file(name), array).ok());
    return folder_.file(name);
  }
  std::string npz(const std::vector<std::pair<std::string, Array>>& arrays) {
    std::vector<NamedArray> named;
    for (const auto& [name, array] : arrays) named.emplace_back(name, &array);
    EXPECT_TRUE(write_npz(folder_.file("x.npz"), named).ok());
    return folder_.file("x.npz");
  }
  // The first values, and "-" for outputs without any; or the error.
  static std::string read(const std::vector<std::string>& texts, const std::vector<import::Tensor>& outputs) {
    const auto reference = read_reference(texts, outputs);
    if (!reference.ok()) return reference.error().message;
    std::string text;
    for (const auto& array : reference.value()) text += array ? std::to_string(int((*array)[0])) : "-";
    return text;
  }

  const tool_tests::Folder folder_;
  const std::vector<import::Tensor> both_{tensor("y"), tensor("a=b")};
};

TEST_F(References, AreFilesAndFoldersWithAPath) {
  EXPECT_TRUE(is_reference("y.npz") && is_reference("y=y.npy") && is_reference(folder_.path()));
  EXPECT_FALSE(is_reference("cpu") || is_reference("no/folder"));
}

TEST_F(References, OfArchivesBelongToOutputsByNameOrPosition) {
  EXPECT_EQ(read({npz({{"a=b", kTwo}, {"y", kOne}})}, both_), "12");
  EXPECT_EQ(read({npz({{"arr_0", kOne}, {"arr_1", kTwo}})}, both_), "12");
  EXPECT_EQ(read({npz({{"y", kOne}})}, both_), "1-");
  EXPECT_EQ(read({npz({{"anything", kTwo}})}, {tensor("y")}), "2");
  EXPECT_TRUE(tool_tests::has(read({npz({{"y", kOne}, {"z", kTwo}})}, both_),
                              " is not an output of the model: y, a=b."));
}

TEST_F(References, OfArraysAndFoldersBelongToOutputsByName) {
  const std::string one = npy("y.npy", kOne), two = npy("1_a_b.npy", kTwo);
  EXPECT_EQ(read({"a=b=" + two, "y=" + one}, both_), "12");
  EXPECT_EQ(read({one}, {tensor("y")}), "1");
  EXPECT_EQ(read({folder_.path()}, both_), "12");
  EXPECT_TRUE(tool_tests::has(read({one}, both_), ") does not name an output; the model has 2: y, a=b."));
  EXPECT_EQ(read({"y=" + one, "y=" + two}, both_), "The reference of output y is given twice.");
  const tool_tests::Folder empty;
  EXPECT_TRUE(
      tool_tests::has(read({empty.path()}, both_), ") has no array for any output, such as 0_y.npy."));
}

Result<OutputDifference> compared(const Array& got, const Array& want,
                                  import::Quantization quantization = {}) {
  import::Tensor output = tensor("y");
  output.quantization = std::move(quantization);
  return compare_with_reference(output, got, want, {});
}

TEST(CompareWithReference, TakesOtherTypesOfTheSameValues) {
  const Array got = array(OH_NN_FLOAT32, {1, 2}, {1, 2.5});
  EXPECT_EQ(compared(got, array(OH_NN_FLOAT64, {2}, {1, 2})).value().difference.largest, 0.5);
  const Array indices = array(OH_NN_INT32, {2}, {1, 2});
  EXPECT_EQ(compared(indices, array(OH_NN_INT64, {2}, {1, 4})).value().difference.largest, 2);
  EXPECT_EQ(compared(indices, array(OH_NN_FLOAT64, {2}, {1, 2.5})).error().message,
            "Element [1] of the reference of output y (2.5) is not a value of the output's type.");
}

TEST(CompareWithReference, TakesTheRealValuesOfQuantizedOutputs) {
  const OutputDifference output =
      compared(array(OH_NN_INT8, {2}, {10, 20}), array(OH_NN_FLOAT32, {2}, {5, 11}), {{0.5}, {0}}).value();
  EXPECT_DOUBLE_EQ(output.difference.largest, 1);
  EXPECT_DOUBLE_EQ(output.tolerance, 1);  // two steps
  EXPECT_FALSE(output.differs());
}

TEST(CompareWithReference, RefusesOtherShapes) {
  EXPECT_EQ(compared(array(OH_NN_FLOAT32, {2, 1}, {}), array(OH_NN_FLOAT32, {3}, {})).error().message,
            "Output y is FLOAT32 [2, 1], but its reference is FLOAT32 [3].");
}

}  // namespace
}  // namespace nnrt::tool
