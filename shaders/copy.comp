// One region of a movement operator (core/regions.h): elements of 1, 2 or 4 bytes, untouched. Words count
// elements, one an invocation, if elements are words. Else they are the output words the region lies in, and
// of each the lanes that are not the region's keep what they are.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "bits.glsl"
#include "words.glsl"

layout(push_constant) uniform Push {
  uint words, rank;
  int from_offset, to_offset;
  int dims[9], from_strides[9], to_strides[9];  // in falling order of to_strides
};

READS(0, x);
layout(std430, set = 0, binding = 1) buffer y_block { uint w[]; }
y;

void copy_element(uint i) {
  int from = from_offset, to = to_offset;
  int rest = int(i);
  for (int d = int(rank) - 1; d > 0; --d) {
    const int quotient = rest / dims[d];
    const int digit = rest - quotient * dims[d];
    from += digit * from_strides[d];
    to += digit * to_strides[d];
    rest = quotient;
  }
  y.w[to + rest * to_strides[0]] = x.w[from + rest * from_strides[0]];
}

// Where output element `to` comes from; -1 if it is not the region's.
int source_of(int to) {
  int rest = to - to_offset;
  if (rest < 0) return -1;
  int from = from_offset;
  for (int d = 0; d < int(rank); ++d) {
    const int digit = rest / to_strides[d];
    if (digit >= dims[d]) return -1;
    from += digit * from_strides[d];
    rest -= digit * to_strides[d];
  }
  return rest == 0 ? from : -1;
}

void main() {
  const uint i = global_word();
  if (i >= words) return;
  if (BYTES == 4u) {
    copy_element(i);
    return;
  }
  const uint word = uint(to_offset) / kLanes + i;
  uint result = 0u, kept = 0u;
  for (uint lane = 0u; lane < kLanes; ++lane) {
    const int from = source_of(int(word * kLanes + lane));
    if (from >= 0) {
      result |= element_at(LOAD_BITS(x, uint(from)), lane);
    } else {
      kept |= element_at((1u << (8u * BYTES)) - 1u, lane);
    }
  }
  if (kept != 0u) result |= y.w[word] & kept;
  y.w[word] = result;
}
