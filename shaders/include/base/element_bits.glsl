// Moves elements of 1, 2 or 4 bytes without arithmetic; 8-byte elements are two of 4.
#ifndef NNRT_ELEMENT_BITS
#define NNRT_ELEMENT_BITS

layout(constant_id = 3) const uint BYTES = 4;

const uint kLanes = BYTES < 4u ? 4u / BYTES : 1u;

// Extracts element i from its word, and positions an element at a lane.
uint element_in(uint word, uint i) {
  return BYTES >= 4u ? word : bitfieldExtract(word, int(i % kLanes * 8u * BYTES), int(8u * BYTES));
}
uint element_at(uint element, uint lane) { return BYTES >= 4u ? element : element << (lane * 8u * BYTES); }

// The low and the high 2-byte elements of two words.
uint lower_16(uint a, uint b) { return (a & 0xffffu) | b << 16; }
uint upper_16(uint a, uint b) { return a >> 16 | (b & 0xffff0000u); }

// Interleaves the 2- or 4-byte elements of two pairs of words.
uvec4 interleaved(uvec2 a, uvec2 b) {
  if (BYTES == 4u) return uvec4(a.x, b.x, a.y, b.y);
  return uvec4(lower_16(a.x, b.x), upper_16(a.x, b.x), lower_16(a.y, b.y), upper_16(a.y, b.y));
}

#define LOAD_BITS(x, i) element_in(VECTOR_WORD(x, (i) / kLanes), i)

#endif
