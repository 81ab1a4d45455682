// Writes up to 8 words that are known when commands are recorded.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/words.glsl"

layout(push_constant) uniform Push {
  uint count;
  uint words[8];
};

WRITES(0, y);

void main() {
  const uint i = global_word();
  if (i < count) y.w[i] = words[i];
}
