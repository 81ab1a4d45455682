// Transposes an fp16 operand that is stored by K steps while it is put into `stage`: pairs of vectors, eight
// columns of K steps 2k and 2k + 1, become eight words of eight lines along K. Matrices are then loaded in
// 16-byte vectors, which some devices cannot do across lines.
#ifndef NNRT_TRANSPOSED_PAIRS
#define NNRT_TRANSPOSED_PAIRS

// Pair `nth` of lines that have `vectors` vectors: k and the vector. Sixteen adjacent pairs have adjacent k,
// so that invocations store to different banks.
uvec2 pair_at(uint nth, uint vectors) {
  return uvec2(nth / (16u * vectors) * 16u + nth % 16u, nth / 16u % vectors);
}

// Lines are `line` vectors long and start at `to`.
void put_pair(uint to, uint line, uvec2 pair, uvec4 low, uvec4 high) {
  const uint at = to + pair.y * 8u * line + pair.x / 4u;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    stage[at + 2u * i * line][pair.x % 4u] = low[i] & 0xffffu | high[i] << 16u;
    stage[at + (2u * i + 1u) * line][pair.x % 4u] = low[i] >> 16u | high[i] & 0xffff0000u;
  }
}

#endif
