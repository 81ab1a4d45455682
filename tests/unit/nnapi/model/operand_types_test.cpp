#include "nnapi/model/operand_types.h"

#include <android/NeuralNetworksOEM.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nnrt::nnapi {
namespace {

bool is_valid(int32_t code, Dimensions dimensions, float scale = 0, int32_t zero_point = 0) {
  OperandType made;
  const ANeuralNetworksOperandType given{code, static_cast<uint32_t>(dimensions.size()),
                                         dimensions.empty() ? nullptr : dimensions.data(), scale, zero_point};
  return operand_type_from(given, made).ok();
}

TEST(OperandTypes, ScalarsHaveNoDimensionsAndNoScale) {
  for (const int32_t code : {ANEURALNETWORKS_FLOAT32, ANEURALNETWORKS_INT32, ANEURALNETWORKS_UINT32,
                             ANEURALNETWORKS_BOOL, ANEURALNETWORKS_FLOAT16, ANEURALNETWORKS_MODEL}) {
    EXPECT_TRUE(is_valid(code, {})) << type_name(code);
    EXPECT_FALSE(is_valid(code, {1}));
    EXPECT_FALSE(is_valid(code, {}, 1));
    EXPECT_FALSE(is_valid(code, {}, 0, 1));
    EXPECT_FALSE(is_tensor(code));
  }
}

TEST(OperandTypes, ThoseOfMakersMayHaveAnyScale) {
  for (const float scale : {0.0f, 0.5f, -1.0f}) {
    EXPECT_TRUE(is_valid(ANEURALNETWORKS_OEM_SCALAR, {}, scale, 300));
    EXPECT_FALSE(is_valid(ANEURALNETWORKS_OEM_SCALAR, {1}, scale, 300));
    EXPECT_TRUE(is_valid(ANEURALNETWORKS_TENSOR_OEM_BYTE, {2, 0}, scale, 300));
    EXPECT_TRUE(check_finished_type({ANEURALNETWORKS_TENSOR_OEM_BYTE, {2}, scale, 300}).ok());
  }
  EXPECT_TRUE(is_tensor(ANEURALNETWORKS_TENSOR_OEM_BYTE));
  EXPECT_FALSE(is_tensor(ANEURALNETWORKS_OEM_SCALAR));
  EXPECT_FALSE(is_valid(9999, {}));
  EXPECT_FALSE(is_valid(10002, {}));
}

TEST(OperandTypes, FloatTensorsHaveNoScale) {
  for (const int32_t code : {ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT16,
                             ANEURALNETWORKS_TENSOR_BOOL8, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL}) {
    EXPECT_TRUE(is_valid(code, {2, 0}));
    EXPECT_TRUE(is_valid(code, {})) << "the rank is not known";
    EXPECT_FALSE(is_valid(code, {2}, 1));
    EXPECT_FALSE(is_valid(code, {2}, 0, 1));
  }
}

TEST(OperandTypes, CheckQuantizationParameters) {
  struct Row {
    int32_t code, smallest, largest;
  };
  for (const auto& [code, smallest, largest] :
       {Row{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0, 255},
        Row{ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, -128, 127},
        Row{ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 0, 0}, Row{ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 0, 0},
        Row{ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, 0, 65535}}) {
    EXPECT_TRUE(is_valid(code, {2}, 0.5f, smallest));
    EXPECT_TRUE(is_valid(code, {2}, 0.5f, largest));
    EXPECT_FALSE(is_valid(code, {2}, 0.5f, smallest - 1));
    EXPECT_FALSE(is_valid(code, {2}, 0.5f, largest + 1));
    for (const float scale : {0.0f, -1.0f, NAN, INFINITY}) EXPECT_FALSE(is_valid(code, {2}, scale, smallest));
  }
}

TEST(OperandTypes, IntegersAreCheckedAtTheEnd) {
  EXPECT_TRUE(is_valid(ANEURALNETWORKS_TENSOR_INT32, {2}, -1, 7));
  const auto finished = [](float scale, int32_t zero_point) {
    return check_finished_type({ANEURALNETWORKS_TENSOR_INT32, {2}, scale, zero_point}).ok();
  };
  EXPECT_TRUE(finished(0, 0));
  EXPECT_TRUE(finished(0.5f, 0));
  EXPECT_FALSE(finished(-1, 0));
  EXPECT_FALSE(finished(NAN, 0));
  EXPECT_FALSE(finished(1, 1));
}

TEST(OperandTypes, SizesEndAtFourGigabytes) {
  EXPECT_TRUE(is_valid(ANEURALNETWORKS_TENSOR_BOOL8, {std::numeric_limits<uint32_t>::max()}));
  EXPECT_FALSE(is_valid(ANEURALNETWORKS_TENSOR_BOOL8, {65536, 65536}));
  EXPECT_FALSE(is_valid(ANEURALNETWORKS_TENSOR_FLOAT32, {1u << 30}));
  EXPECT_TRUE(is_valid(ANEURALNETWORKS_TENSOR_FLOAT32, {(1u << 30) - 1}));
  EXPECT_EQ(bytes_of(ANEURALNETWORKS_TENSOR_FLOAT16, {2, 3}), 12u);
  EXPECT_EQ(bytes_of(ANEURALNETWORKS_TENSOR_FLOAT16, {65536, 65536}), std::nullopt);
}

TEST(OperandTypes, DimensionsCombine) {
  EXPECT_EQ(combined({}, {2, 0}), (Dimensions{2, 0}));
  EXPECT_EQ(combined({2, 0}, {}), (Dimensions{2, 0}));
  EXPECT_EQ(combined({2, 0}, {0, 3}), (Dimensions{2, 3}));
  EXPECT_EQ(combined({2, 0}, {2, 0}), (Dimensions{2, 0}));
  EXPECT_EQ(combined({2}, {3}), std::nullopt);
  EXPECT_EQ(combined({2}, {2, 1}), std::nullopt);
}

TEST(OperandTypes, ArePrintable) {
  EXPECT_EQ(text_of({2, 0}), "[2, ?]");
  EXPECT_EQ(text_of({}), "[]");
  EXPECT_EQ(type_name(ANEURALNETWORKS_TENSOR_QUANT16_SYMM), "TENSOR_QUANT16_SYMM");
  EXPECT_EQ(type_name(16), "unknown type");
}

}  // namespace
}  // namespace nnrt::nnapi
