// Copies one region of a data movement operator (core/schema/data_movement/copy_regions.h): elements of 1, 2,
// 4 or 16 bytes, unchanged. An invocation copies several word-sized elements, `row_step` apart along the
// outermost dimension, or one of these units, whose elements are adjacent in the output:
// - GATHER_VECTOR, GATHER_WORD: a vector of 16 bytes, or a word; to_offset and to_strides count these.
// - INTERLEAVE_VECTORS: two vectors that interleave two of the input, `step` vectors apart.
// - TRANSPOSE_WORDS: two vectors, `pair_step` apart, with the low and the high halves of eight words of two
// elements that are `step` apart in the input.
// - TRANSPOSE_VECTORS: four vectors, `pair_step` apart; the first one has the first words of four vectors
// that are `step` apart in the input, and so on.
// - TRANSPOSE_LINES: the same four times, for vectors that are adjacent in the input.
// - SCATTER_WORDS: sixteen words, `pair_step` apart, that are adjacent in the input; from_offset and
// from_strides count words.
// The last two process blocks of the last dimension, whose size over all blocks is `row_step`; the outermost
// dimension counts the blocks. Otherwise an invocation writes one output word and preserves lanes outside of
// the region.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint RANK = 1;
layout(constant_id = 5) const uint VECTOR_COPY = 0;
const uint GATHER_VECTOR = 1, INTERLEAVE_VECTORS = 2, GATHER_WORD = 3, TRANSPOSE_WORDS = 4,
           TRANSPOSE_VECTORS = 5, TRANSPOSE_LINES = 6, SCATTER_WORDS = 7;
layout(push_constant) uniform Push {
  uint work;  // invocations
  int from_offset, to_offset;
  int dims[8], from_strides[8], to_strides[8];  // by descending to_strides
  int step, pair_step;  // input strides within a pair of neighbours, and between pairs
  int row_step;
};

READS_VECTORS(0, x);
layout(std430, set = 0, binding = 1) buffer y_block { uvec4 v[]; }
y;

// Word `nth` of the unit that begins with input element `from`.
uint gathered_word(int from, uint nth) {
  uint word = 0u;
  [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
    const int neighbour = int(nth * kLanes + lane);
    const int at = from + (neighbour & 1) * step + (neighbour >> 1) * pair_step;
    word |= element_at(LOAD_BITS(x, uint(at)), lane);
  }
  return word;
}

uvec4 gathered_vector(int from) {
  return uvec4(gathered_word(from, 0u), gathered_word(from, 1u), gathered_word(from, 2u),
               gathered_word(from, 3u));
}

void transpose_words(int from, int to) {
  uvec4 lower, upper;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    const uint a = VECTOR_WORD(x, uint(from + 2 * i * step));
    const uint b = VECTOR_WORD(x, uint(from + (2 * i + 1) * step));
    lower[i] = lower_16(a, b);
    upper[i] = upper_16(a, b);
  }
  y.v[to] = lower;
  y.v[to + pair_step] = upper;
}

void transpose_vectors(int from, int to) {
  const uvec4 a = VECTOR(x, from), b = VECTOR(x, from + step), c = VECTOR(x, from + 2 * step),
              d = VECTOR(x, from + 3 * step);
  y.v[to] = uvec4(a.x, b.x, c.x, d.x);
  y.v[to + pair_step] = uvec4(a.y, b.y, c.y, d.y);
  y.v[to + 2 * pair_step] = uvec4(a.z, b.z, c.z, d.z);
  y.v[to + 3 * pair_step] = uvec4(a.w, b.w, c.w, d.w);
}

// Four words starting at element `low` of `a`; low_1 and low_2 are the bits of `low`.
uvec4 words_from(uvec4 a, uvec4 b, bool low_1, bool low_2) {
  const uvec4 near = mix(a, uvec4(a.yzw, b.x), bvec4(low_1));
  const uvec2 far = mix(b.xy, b.yz, bvec2(low_1));
  return mix(near, uvec4(near.zw, far), bvec4(low_2));
}

void scatter_words(int from, int to) {
  const int first = from >> 2, last = (from + 15) >> 2;
  const bool low_1 = (from & 1) != 0, low_2 = (from & 2) != 0;
  uvec4 a = VECTOR(x, first);
  [[unroll]] for (int i = 1; i <= 4; ++i) {
    const uvec4 b = VECTOR(x, min(first + i, last));
    const uvec4 words = words_from(a, b, low_1, low_2);
    [[unroll]] for (int k = 0; k < 4; ++k) {
      WORD(y, uint(to)) = words[k];
      to += pair_step;
    }
    a = b;
  }
}

void copy_elements(uint i) {
  int from = from_offset, to = to_offset;
  int row = int(i);
  int last = 0;  // index in the last dimension
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const int quotient = row / dims[d];
    const int digit = row - quotient * dims[d];
    if (d == int(RANK) - 1) last = digit;
    from += digit * from_strides[d];
    to += digit * to_strides[d];
    row = quotient;
  }
  from += row * from_strides[0];
  to += row * to_strides[0];
  if (VECTOR_COPY >= TRANSPOSE_LINES) {
    if (row * dims[RANK - 1u] + last >= row_step) return;
    if (VECTOR_COPY == SCATTER_WORDS) {
      scatter_words(from, to);
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) transpose_vectors(from + k, to + 4 * k * pair_step);
    }
    return;
  }
  for (; row < dims[0]; row += row_step) {
    if (BYTES == 16u) {
      y.v[to] = VECTOR(x, from);
    } else if (VECTOR_COPY == INTERLEAVE_VECTORS) {
      const uvec4 a = VECTOR(x, from), b = VECTOR(x, from + step);
      y.v[2 * to] = interleaved(a.xy, b.xy);
      y.v[2 * to + 1] = interleaved(a.zw, b.zw);
    } else if (VECTOR_COPY == TRANSPOSE_WORDS) {
      transpose_words(from, to);
    } else if (VECTOR_COPY == TRANSPOSE_VECTORS) {
      transpose_vectors(from, to);
    } else if (VECTOR_COPY == GATHER_VECTOR) {
      y.v[to] = gathered_vector(from);
    } else if (VECTOR_COPY == GATHER_WORD) {
      WORD(y, uint(to)) = gathered_word(from, 0u);
    } else {
      WORD(y, uint(to)) = VECTOR_WORD(x, uint(from));
    }
    from += row_step * from_strides[0];
    to += row_step * to_strides[0];
  }
}

// The input element for output element `to`; -1 outside of the region.
int source_of(int to) {
  int rest = to - to_offset;
  int from = from_offset;
  bool inside = rest >= 0;
  [[unroll]] for (int d = 0; d < int(RANK); ++d) {
    const int digit = rest / to_strides[d];
    inside = inside && digit < dims[d];
    from += digit * from_strides[d];
    rest -= digit * to_strides[d];
  }
  return inside && rest == 0 ? from : -1;
}

void copy_word(uint word) {
  uint result = 0u, kept = 0u;
  [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
    const int from = source_of(int(word * kLanes + lane));
    if (from >= 0) {
      result |= element_at(LOAD_BITS(x, uint(from)), lane);
    } else {
      kept |= element_at(0xffffffffu >> (32u - 8u * BYTES), lane);
    }
  }
  if (kept != 0u) result |= WORD(y, word) & kept;
  WORD(y, word) = result;
}

void main() {
  const uint i = global_word();
  if (i < work) {
    if (BYTES >= 4u || VECTOR_COPY != 0u) {
      copy_elements(i);
    } else {
      copy_word(uint(to_offset) / kLanes + i);
    }
  }
}
