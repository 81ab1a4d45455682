// The end of the keys that a mask of flags shows to any row of a workgroup. What follows is not read: a cache
// of fixed capacity holds anything there, also NaN.
#ifndef NNRT_ATTENTION_END
#define NNRT_ATTENTION_END
#include "gemm/attention_operands.glsl"

// How many rows from the first one on have masks of their own.
uint mask_lines(uint first_row) {
  const uint distinct = mask_strides[2] == 0u ? 1u : queries;
  return min(min(ROWS, rows - first_row), mask_strides[1] == 0u ? distinct : ROWS);
}

// One past the last key of [begin, end) that is shown, as far as one of the invocations sees; 0 if none is.
uint own_shown_end(uint first_row, uint matrix, uint begin, uint end, uint own, uint invocations) {
  uint found = 0u;
  const uint lines = end > begin ? mask_lines(first_row) : 0u;
  for (uint line = 0u; line < lines; ++line) {
    const uint from = mask_at(first_row + line, matrix), to = from + end;
    for (uint w = (from + begin) / 4u + own; w < (to + 3u) / 4u; w += invocations) {
      uint word = flags.w[w];
      if (to - 4u * w < 4u) word &= (1u << (8u * (to - 4u * w))) - 1u;
      const uint after = 4u * w + uint(findMSB(word)) / 8u + 1u;
      if (word != 0u && after > from) found = max(found, after - from);
    }
  }
  return found;
}

#ifdef SHOWN_END                                 // a word of shared memory
#if defined(FP16_VECTORS) && !defined(EMULATED)  // device scope would need a feature
#define RAISE(word, v) atomicMax(word, v, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed)
#else
#define RAISE(word, v) atomicMax(word, v)
#endif

uint shown_end(uint first_row, uint matrix, uint begin, uint end, uint invocations) {
  uint found = end;
  if (MASK == FLAGS) {  // pipelines without flags are pruned here
    if (mask_strides[3] == 1u) {
      if (gl_LocalInvocationIndex == 0u) SHOWN_END = 0u;
      barrier();
      const uint own = own_shown_end(first_row, matrix, begin, end, gl_LocalInvocationIndex, invocations);
      if (own > 0u) RAISE(SHOWN_END, own);
      barrier();
      found = SHOWN_END;
    }
  }
  return found;
}
#endif

#endif
