// Converts between a float dtype and quantized INT8 or UINT8, or from quantized INT32. Element i belongs to
// channel (i / inner) % channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float_math.glsl"
#include "base/words.glsl"

layout(constant_id = 3) const bool TO_QUANTIZED = true;
layout(constant_id = 4) const uint QUANTIZED = 2;  // OH_NN_DataType
layout(push_constant) uniform Push { uint count, inner, channels; };

const uint INT32 = 4u, UINT8 = 6u;

READS4(0, x);
READS4(1, parameters);  // scale (for quantize()) and zero point per channel
WRITES4(2, y);

int code_of(uint i) {
  const uint c = i / inner % channels;
  const float scale = uintBitsToFloat(WORD(parameters, 2u * c));
  const int zero_point = int(WORD(parameters, 2u * c + 1u));
  const int shift = QUANTIZED == UINT8 ? 128 : 0;  // UINT8 is treated as INT8 with a shifted zero point
  return quantize(LOAD4(x, i), scale, zero_point - shift) + shift;
}

float real_of(uint i) {
  const uint c = i / inner % channels;
  const uint word = WORD(x, QUANTIZED == INT32 ? i : i / 4u);
  int code;
  switch (QUANTIZED) {
    case INT32: code = int(word); break;
    case UINT8: code = unsigned_byte(word, i % 4u); break;
    default: code = signed_byte(word, i % 4u);
  }
  return uintBitsToFloat(WORD(parameters, 2u * c)) * float(code - int(WORD(parameters, 2u * c + 1u)));
}

void main() {
  const uint word = global_word();
  // Elements beyond the last one repeat it.
#define AT(lane, lanes) min(word* lanes + lane, count - 1u)
  if (TO_QUANTIZED) {
    if (word * 4u < count) {
      WORD(y, word) = pack_bytes(
          ivec4(code_of(AT(0u, 4u)), code_of(AT(1u, 4u)), code_of(AT(2u, 4u)), code_of(AT(3u, 4u))));
    }
  } else if (word * LANES < count) {
#define DEQUANTIZED(lane) real_of(AT(lane, LANES))
    WORD(y, word) = pack(EACH_LANE(DEQUANTIZED));
  }
}
