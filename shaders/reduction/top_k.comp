// The k largest elements of each chunk of the middle of (outer, length, inner). An element's rank is the
// number of elements that are larger, or equal and before it; ranks below k are kept.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/top_k_elements.glsl"

void main() {
  const uint i = global_word();
  if (i >= count) return;
  const uint line = i / inner;
  const uint outer = line / length;
  const uint begin_of_line = outer * length * inner + i - line * inner;
  const uint at = line - outer * length;
  const uint begin = at / chunk * chunk;
  const uint end = min(begin + chunk, length);
  const int key = key_of(bits_of(i));
  uint larger = 0u, equal = 0u, equal_before = 0u;
  for (uint other = begin; other < end; ++other) {
    const int other_key = key_of(bits_of(begin_of_line + other * inner));
    larger += other_key > key ? 1u : 0u;
    equal += other_key == key ? 1u : 0u;
    equal_before += other_key == key && other < at ? 1u : 0u;
  }
  const uint keeps = min(k, end - begin);
  uint rank = larger + equal_before;
  if (rank >= keeps) return;
  // Equal elements keep their order.
  if (ASCENDING) rank = keeps - larger - min(equal, keeps - larger) + equal_before;
  store_result((outer * selected + at / chunk * k + rank) * inner + i - line * inner, i, at);
}
