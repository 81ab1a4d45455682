// A function of one byte: y = table[x]. For quantized operators, requantization and BOOL.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/words.glsl"

layout(push_constant) uniform Push { uint vectors; };

READS4(0, x);
READS4(1, table);
WRITES4(2, y);

int looked_up(uint word, uint lane) {
  const uint code = uint(unsigned_byte(word, lane));
  return unsigned_byte(WORD(table, code / 4u), code % 4u);
}

uint mapped(uint word) {
  return pack_bytes(
      ivec4(looked_up(word, 0u), looked_up(word, 1u), looked_up(word, 2u), looked_up(word, 3u)));
}

void main() {
  const uint i = global_word();
  if (i < vectors) {
    const uvec4 words = x.v[i];
    y.v[i] = uvec4(mapped(words.x), mapped(words.y), mapped(words.z), mapped(words.w));
  }
}
