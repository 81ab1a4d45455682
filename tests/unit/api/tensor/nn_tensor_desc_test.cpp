#include "tests/unit/api/api_test_handles.h"

#include <limits>
#include <string>

using namespace api_tests;

TEST(TensorDesc, FreshOneIsEmpty) {
  const Desc desc(OH_NNTensorDesc_Create());
  const char* name = nullptr;
  OH_NN_DataType type = OH_NN_BOOL;
  OH_NN_Format format = OH_NN_FORMAT_ND;
  int32_t* shape = nullptr;
  size_t length = 7;
  EXPECT_EQ(OH_NNTensorDesc_GetName(desc.get(), &name), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNTensorDesc_GetDataType(desc.get(), &type), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNTensorDesc_GetFormat(desc.get(), &format), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNTensorDesc_GetShape(desc.get(), &shape, &length), OH_NN_SUCCESS);
  EXPECT_STREQ(name, "");
  EXPECT_EQ(type, OH_NN_UNKNOWN);
  EXPECT_EQ(format, OH_NN_FORMAT_NONE);
  EXPECT_EQ(shape, nullptr);
  EXPECT_EQ(length, 0u);
}

TEST(TensorDesc, DestroyNullsTheHandle) {
  NN_TensorDesc* desc = OH_NNTensorDesc_Create();
  EXPECT_EQ(OH_NNTensorDesc_Destroy(&desc), OH_NN_SUCCESS);
  EXPECT_EQ(desc, nullptr);
  EXPECT_EQ(OH_NNTensorDesc_Destroy(&desc), OH_NN_INVALID_PARAMETER);
}

TEST(TensorDesc, GetNameWantsNullOnEntry) {
  const Desc desc(OH_NNTensorDesc_Create());
  const char* name = "taken";
  EXPECT_EQ(OH_NNTensorDesc_GetName(desc.get(), &name), OH_NN_INVALID_PARAMETER);
  EXPECT_STREQ(name, "taken");
}

TEST(TensorDesc, GetShapeWantsNullOnEntry) {
  const Desc desc = desc_of({2, 3});
  int32_t taken = 0;
  int32_t* shape = &taken;
  size_t length = 9;
  EXPECT_EQ(OH_NNTensorDesc_GetShape(desc.get(), &shape, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(shape, &taken);
  EXPECT_EQ(length, 9u);
}

TEST(TensorDesc, CopiesTheName) {
  const Desc desc(OH_NNTensorDesc_Create());
  std::string given(1000, 'n');
  ASSERT_EQ(OH_NNTensorDesc_SetName(desc.get(), given.c_str()), OH_NN_SUCCESS);
  given[0] = 'x';
  EXPECT_EQ(name_of(desc.get()), std::string(1000, 'n'));
}

TEST(TensorDesc, TypesOutsideTheEnumerationAreRefused) {
  const Desc desc(OH_NNTensorDesc_Create());
  for (int type = 0; type <= 12; ++type) {
    EXPECT_EQ(OH_NNTensorDesc_SetDataType(desc.get(), any<OH_NN_DataType>(type)), OH_NN_SUCCESS);
  }
  for (const int type : {-1, 13, 1000}) {
    EXPECT_EQ(OH_NNTensorDesc_SetDataType(desc.get(), any<OH_NN_DataType>(type)), OH_NN_INVALID_PARAMETER);
  }
  OH_NN_DataType type = OH_NN_UNKNOWN;
  ASSERT_EQ(OH_NNTensorDesc_GetDataType(desc.get(), &type), OH_NN_SUCCESS);
  EXPECT_EQ(type, OH_NN_FLOAT64);
}

TEST(TensorDesc, FormatsOutsideTheEnumerationAreRefused) {
  const Desc desc(OH_NNTensorDesc_Create());
  EXPECT_EQ(OH_NNTensorDesc_SetFormat(desc.get(), OH_NN_FORMAT_ND), OH_NN_SUCCESS);
  for (const int format : {-1, 4}) {
    EXPECT_EQ(OH_NNTensorDesc_SetFormat(desc.get(), any<OH_NN_Format>(format)), OH_NN_INVALID_PARAMETER);
  }
}

TEST(TensorDesc, AcceptsOneToTenDimensions) {
  const Desc desc(OH_NNTensorDesc_Create());
  const std::vector<int32_t> shape = {1, -1, 0, -7, std::numeric_limits<int32_t>::max(), 2, 3, 5, 7, 11, 13};
  EXPECT_EQ(OH_NNTensorDesc_SetShape(desc.get(), shape.data(), 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNTensorDesc_SetShape(desc.get(), shape.data(), 11), OH_NN_INVALID_PARAMETER);
  EXPECT_TRUE(shape_of(desc.get()).empty());
  EXPECT_EQ(OH_NNTensorDesc_SetShape(desc.get(), shape.data(), 10), OH_NN_SUCCESS);
  EXPECT_EQ(shape_of(desc.get()), std::vector<int32_t>(shape.begin(), shape.begin() + 10));
}

TEST(TensorDesc, SetShapeTakesItsOwnShape) {
  const Desc desc = desc_of({2, 3, 5});
  int32_t* shape = nullptr;
  size_t length = 0;
  ASSERT_EQ(OH_NNTensorDesc_GetShape(desc.get(), &shape, &length), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNTensorDesc_SetShape(desc.get(), shape + 1, 2), OH_NN_SUCCESS);
  EXPECT_EQ(shape_of(desc.get()), (std::vector<int32_t>{3, 5}));
}

struct SizeCase {
  std::vector<int32_t> shape;
  OH_NN_DataType type;
  OH_NN_ReturnCode count_code;
  size_t count;
  OH_NN_ReturnCode bytes_code;
  size_t bytes;
};

TEST(TensorDesc, CountsElementsAndBytes) {
  constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
  const SizeCase cases[] = {
      {{2, 3, 5}, OH_NN_FLOAT32, OH_NN_SUCCESS, 30, OH_NN_SUCCESS, 120},
      {{7}, OH_NN_BOOL, OH_NN_SUCCESS, 7, OH_NN_SUCCESS, 7},
      {{7}, OH_NN_FLOAT16, OH_NN_SUCCESS, 7, OH_NN_SUCCESS, 14},
      {{7}, OH_NN_UINT64, OH_NN_SUCCESS, 7, OH_NN_SUCCESS, 56},
      {{}, OH_NN_FLOAT32, OH_NN_INVALID_PARAMETER, 0, OH_NN_INVALID_PARAMETER, 0},
      {{2, 3}, OH_NN_UNKNOWN, OH_NN_SUCCESS, 6, OH_NN_INVALID_PARAMETER, 0},
      {{2, -1}, OH_NN_FLOAT32, OH_NN_DYNAMIC_SHAPE, 0, OH_NN_DYNAMIC_SHAPE, 0},
      {{2, 0}, OH_NN_FLOAT32, OH_NN_DYNAMIC_SHAPE, 0, OH_NN_DYNAMIC_SHAPE, 0},
      {{kHuge, kHuge, kHuge, -3}, OH_NN_FLOAT32, OH_NN_DYNAMIC_SHAPE, 0, OH_NN_DYNAMIC_SHAPE, 0},
      {{kHuge, kHuge, kHuge}, OH_NN_INT8, OH_NN_INVALID_PARAMETER, 0, OH_NN_INVALID_PARAMETER, 0},
      {{1 << 30, 1 << 30, 2}, OH_NN_FLOAT64, OH_NN_SUCCESS, size_t{1} << 61, OH_NN_INVALID_PARAMETER, 0},
  };
  for (const SizeCase& one : cases) {
    const Desc desc = desc_of(one.shape, one.type);
    size_t count = 99, bytes = 99;
    EXPECT_EQ(OH_NNTensorDesc_GetElementCount(desc.get(), &count), one.count_code);
    EXPECT_EQ(OH_NNTensorDesc_GetByteSize(desc.get(), &bytes), one.bytes_code);
    EXPECT_EQ(count, one.count);
    EXPECT_EQ(bytes, one.bytes);
  }
}

TEST(TensorDesc, ByteSizeIsZeroOnEveryError) {
  size_t bytes = 99;
  EXPECT_EQ(OH_NNTensorDesc_GetByteSize(nullptr, &bytes), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(bytes, 0u);
}
