#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;
using format::Activation;

SetOptions fake_quant(float min, float max, int32_t bits, bool is_narrow) {
  format::FakeQuantOptionsT options;
  options.min = min;
  options.max = max;
  options.num_bits = bits;
  options.narrow_range = is_narrow;
  return with(options);
}
SetOptions add(Activation activation) { return with(&format::AddOptionsT::activation, activation); }
SetOptions sub(Activation activation) { return with(&format::SubOptionsT::activation, activation); }
SetOptions leaky(float alpha) { return with(&format::LeakyReluOptionsT::alpha, alpha); }

class Elementwise : public testing::TestWithParam<OperatorCase> {};
TEST_P(Elementwise, MatchesTensorFlowLite) { check_case(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Unary, Elementwise,
    testing::Values(
        op_case("Abs", ABS, {floats({3}, {-2, 0, 3})}, {floats({3}, {2, 0, 3})}),
        op_case("ExpOfCodes", EXP, {int8({2}, {0, 2}, 0.5f, 0)}, {int8({2}, {-120, -106}, 0.125f, -128)}),
        op_case("Logistic", LOGISTIC, {floats({2}, {0, 100})}, {floats({2}, {0.5, 1})}),
        op_case("LogisticOfBytes", LOGISTIC, {uint8({2}, {128, 255}, 1, 128)},
                {uint8({2}, {128, 255}, 1 / 256.0f, 0)}),
        op_case("LeakyRelu", LEAKY_RELU, {floats({2}, {-4, 2})}, {floats({2}, {-1, 2})}, leaky(0.25f)),
        op_case("Gelu", GELU, {floats({2}, {0, 1})}, {floats({2}, {0, 0.841345})}),
        op_case("Sign", SIGN, {floats({3}, {-2, 0, 0.5})}, {floats({3}, {-1, 0, 1})}),
        op_case("Elu", ELU, {floats({2}, {-1, 2})}, {floats({2}, {-0.632121, 2})}),
        op_case("EluOfCodes", ELU, {int8({2}, {-2, 4}, 0.5f, 0)}, {int8({2}, {-3, 8}, 0.25f, 0)}),
        op_case("ReluToOne", RELU_N1_TO_1, {floats({3}, {-4, 0.5, 2})}, {floats({3}, {-1, 0.5, 1})}),
        op_case("ReluToOneOfCodes", RELU_N1_TO_1, {int8({3}, {-8, 1, 8}, 0.5f, 0)},
                {int8({3}, {-2, 1, 2}, 0.5f, 0)}),
        op_case("ReluFromZeroToOne", RELU_0_TO_1, {floats({3}, {-4, 0.5, 2})}, {floats({3}, {0, 0.5, 1})}),
        op_case("RoundSendsHalvesToEven", ROUND, {floats({7}, {0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.6})},
                {floats({7}, {0, 2, 2, 0, -2, 2, -3})})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Binary, Elementwise,
    testing::Values(
        op_case("AddWithRelu", ADD, {floats({1, 2}, {1, -5}), floats({1}, {2})}, {floats({1, 2}, {3, 0})},
                add(Activation::RELU)),
        op_case("AddWithReluToOne", ADD, {floats({3}, {0.25, -3, 2}), constant(floats({3}, {0, 0, 0}))},
                {floats({3}, {0.25, -1, 1})}, add(Activation::RELU_N1_TO_1)),
        op_case("AddOfCodesWithReluToOne", ADD, {int8({3}, {1, -6, 6}, 0.5f, 0), int8({3}, {0, 0, 0}, 1, 0)},
                {int8({3}, {1, -2, 2}, 0.5f, 0)}, add(Activation::RELU_N1_TO_1)),
        op_case("SubWithTanh", SUB, {floats({1}, {1}), floats({1}, {0})}, {floats({1}, {0.761594})},
                sub(Activation::TANH)),
        op_case("MulOfIntegers", MUL, {ints({2}, {3, -4}), ints({2}, {5, 6})}, {ints({2}, {15, -24})}),
        op_case("DivOfCodes", DIV, {int8({2}, {6, -4}, 0.5f, 0), int8({2}, {2, 4}, 0.5f, 0)},
                {int8({2}, {12, -4}, 0.25f, 0)}),
        op_case("EqualOfBytesByValue", EQUAL, {uint8({2}, {10, 12}, 1, 10), uint8({2}, {0, 2}, 0.5f, 0)},
                {bools({2}, {1, 0})}),
        op_case("FloorDivOfIntegers", FLOOR_DIV, {ints({5}, {7, -7, 7, -7, 6}), ints({5}, {2, 2, -2, -2, 3})},
                {ints({5}, {3, -4, -4, 3, 2})}),
        op_case("FloorDivOfFloats", FLOOR_DIV, {floats({2}, {7, -7}), floats({1}, {2})},
                {floats({2}, {3, -4})}),
        op_case("FloorModTakesTheSignOfTheDivisor", FLOOR_MOD,
                {ints({5}, {7, -7, 7, -7, 6}), ints({5}, {2, 2, -2, -2, 3})}, {ints({5}, {1, 1, -1, -1, 0})}),
        op_case("FloorModBroadcasts", FLOOR_MOD, {floats({2}, {5.5, -5.5}), floats({1}, {2})},
                {floats({2}, {1.5, 0.5})}),
        op_case("BitwiseXor", BITWISE_XOR, {ints({3}, {5, -1, 12}), ints({1}, {6})},
                {ints({3}, {3, -7, 10})}),
        op_case("RightShift", RIGHT_SHIFT, {ints({3}, {40, -7, 1}), ints({3}, {3, 1, 31})},
                {ints({3}, {5, -4, 0})}),
        op_case("PreluOfChannels", PRELU,
                {floats({1, 1, 2, 2}, {-1, -2, 3, -4}), constant(floats({1, 1, 2}, {0.5, 0.25}))},
                {floats({1, 1, 2, 2}, {-0.5, -0.5, 3, -1})}),
        op_case("PreluOfElements", PRELU,
                {floats({1, 2, 2}, {-1, -2, 3, -4}), constant(floats({2, 2}, {0.5, 0.25, 1, 2}))},
                {floats({1, 2, 2}, {-0.5, -0.5, 3, -8})}),
        op_case("AddN", ADD_N, {floats({2}, {1, 2}), floats({2}, {3, 4}), floats({2}, {5, 6})},
                {floats({2}, {9, 12})}),
        op_case("FakeQuantRoundsToItsGrid", FAKE_QUANT, {floats({4}, {0.5, 2, -3, 0})},
                {floats({4}, {128.0 / 255, 254.0 / 255, -256.0 / 255, 0})}, fake_quant(-1, 1, 8, false)),
        op_case("FakeQuantOfANarrowRange", FAKE_QUANT, {floats({4}, {3.4, 3.6, -9, -7})},
                {floats({4}, {3, 4, -7, -7})}, fake_quant(-7, 7, 4, true)),
        op_case("SelectChoosesRows", SELECT,
                {bools({2}, {1, 0}), floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {5, 6, 7, 8})},
                {floats({2, 2}, {1, 2, 7, 8})}),
        op_case("SelectV2Broadcasts", SELECT_V2,
                {bools({2}, {1, 0}), floats({2, 2}, {1, 2, 3, 4}), floats({1}, {9})},
                {floats({2, 2}, {1, 9, 3, 9})})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Convert, Elementwise,
    testing::Values(
        op_case("CastTruncates", CAST, {floats({2}, {1.75, -1.75})}, {ints({2}, {1, -1})}),
        op_case("CastOfQuantizedBytesTakesTheCodes", CAST, {uint8({2}, {3, 200}, 0.5f, 7)},
                {floats({2}, {3, 200})}),
        op_case("Dequantize", DEQUANTIZE, {int8({2}, {3, -4}, 0.5f, 1)}, {floats({2}, {1, -2.5})}),
        op_case("DequantizeBytes", DEQUANTIZE, {uint8({2}, {0, 255}, 0.5f, 128)}, {floats({2}, {-64, 63.5})}),
        op_case("Quantize", QUANTIZE, {floats({3}, {0.26, -100, 100})}, {int8({3}, {1, -128, 127}, 0.5f, 0)}),
        op_case("QuantizeBytesToCodes", QUANTIZE, {uint8({2}, {0, 200}, 0.5f, 128)},
                {int8({2}, {-128, 72}, 0.5f, 0)}),
        op_case("RequantizeCodes", QUANTIZE, {int8({2}, {4, -6}, 0.5f, 0)}, {int8({2}, {3, -2}, 1, 1)})),
    case_name);

Operand codes(TensorType type, std::vector<double> values, float scale, int64_t zero_point) {
  const auto count = static_cast<int32_t>(values.size());
  return {type, {count}, std::move(values), {scale}, {zero_point}};
}

INSTANTIATE_TEST_SUITE_P(
    ConvertInt32, Elementwise,
    testing::Values(
        op_case("QuantizeInt16", QUANTIZE, {codes(TensorType::INT16, {-32768, 1, 32767}, 0.5f, -4)},
                {codes(TensorType::INT32, {-65518, 20, 65552}, 0.25f, 10)}),
        op_case("QuantizeBytes", QUANTIZE, {uint8({3}, {0, 255, 129}, 0.5f, 128)},
                {codes(TensorType::INT32, {-64, 64, 1}, 1, 0)}),
        op_case("QuantizeFloats", QUANTIZE, {floats({4}, {1e9, -3e9, -0.5, 16777216})},
                {codes(TensorType::INT32, {1000000001, -2147483648, 0, 16777217}, 1, 1)}),
        op_case("QuantizeInt32", QUANTIZE, {codes(TensorType::INT32, {1000001, -30, 2000000000}, 0.001f, 1)},
                {int8({3}, {100, 0, 127}, 10, 0)}),
        op_case("RescaleInt32", QUANTIZE, {codes(TensorType::INT32, {16777217, 2000000000, -5}, 1, 0)},
                {codes(TensorType::INT32, {33554434, 2147483647, -10}, 0.5f, 0)}),
        op_case("DequantizeInt32", DEQUANTIZE, {codes(TensorType::INT32, {16777217, -3}, 0.5f, 1)},
                {floats({2}, {8388608, -2})})),
    case_name);

}  // namespace
}  // namespace nnrt::test
