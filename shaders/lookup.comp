// Any function of one byte: y = table[x]. Quantized operators, requantization, BOOL.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "words.glsl"

layout(push_constant) uniform Push { uint words; };

READS(0, x);
READS(1, table);
WRITES(2, y);

void main() {
  const uint word = global_word();
  if (word >= words) return;
  ivec4 e;
  for (uint lane = 0u; lane < 4u; ++lane) {
    const uint code = uint(unsigned_byte(x.w[word], lane));
    e[lane] = unsigned_byte(table.w[code / 4u], code % 4u);
  }
  y.w[word] = pack_bytes(e);
}
