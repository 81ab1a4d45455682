// The k largest elements of each chunk of the middle of (outer, length, inner), one workgroup per chunk. A
// radix select finds the smallest element to keep, digit by digit from the highest one, with digit counts in
// shared memory. Among elements equal to it, another radix select finds the last index to keep. The kept
// elements are sorted in shared memory.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/top_k_elements.glsl"

layout(constant_id = 8) const uint SORTED = 64;  // a power of two, at least k

const uint DIGITS = 256u, DIGIT_BITS = 8u;

shared uint counts[2u * DIGITS];  // double-buffered for the sums
shared uint chosen_digit, chosen_rank, chosen_count, kept;
shared uint sorted_keys[SORTED];
shared uint sorted_places[SORTED];

uint begin, end;     // bounds of the chunk in its line
uint begin_of_line;  // in x

uint element(uint at) { return begin_of_line + at * inner; }
// Unsigned numbers with the order of the keys.
uint ordered_key(uint at) { return uint(key_of(bits_of(element(at)))) ^ 0x80000000u; }

// Counts, for each digit, the elements with that digit or a larger one. Returns the half of `counts` with the
// result.
uint sum_counts() {
  uint side = 0u;
  for (uint apart = 1u; apart < DIGITS; apart *= 2u) {
    barrier();
    for (uint digit = gl_LocalInvocationIndex; digit < DIGITS; digit += gl_WorkGroupSize.x) {
      uint sum = counts[side * DIGITS + digit];
      if (digit + apart < DIGITS) sum += counts[side * DIGITS + digit + apart];
      counts[(1u - side) * DIGITS + digit] = sum;
    }
    side = 1u - side;
  }
  barrier();
  return side;
}

// The digit of the wanted-th largest element. `wanted` becomes its rank among those with the same digit, and
// `equals` their number.
uint choose_digit(inout uint wanted, out uint equals) {
  const uint side = sum_counts();
  for (uint digit = gl_LocalInvocationIndex; digit < DIGITS; digit += gl_WorkGroupSize.x) {
    const uint larger = digit + 1u < DIGITS ? counts[side * DIGITS + digit + 1u] : 0u;
    if (larger < wanted && counts[side * DIGITS + digit] >= wanted) {
      chosen_digit = digit;
      chosen_rank = wanted - larger;
      chosen_count = counts[side * DIGITS + digit] - larger;
    }
  }
  barrier();
  wanted = chosen_rank;
  equals = chosen_count;
  return chosen_digit;
}

void clear_counts() {
  barrier();
  for (uint digit = gl_LocalInvocationIndex; digit < DIGITS; digit += gl_WorkGroupSize.x) counts[digit] = 0u;
  barrier();
}

// The wanted-th largest key of the chunk. `wanted` becomes its rank among the elements with this key, and
// `equals` their number.
uint nth_largest_key(inout uint wanted, out uint equals) {
  uint prefix = 0u, mask = 0u;
  for (uint shift = 32u; shift > 0u;) {
    shift -= DIGIT_BITS;
    clear_counts();
    for (uint at = begin + gl_LocalInvocationIndex; at < end; at += gl_WorkGroupSize.x) {
      const uint key = ordered_key(at);
      if ((key & mask) == prefix) atomicAdd(counts[key >> shift & (DIGITS - 1u)], 1u);
    }
    prefix |= choose_digit(wanted, equals) << shift;
    mask |= (DIGITS - 1u) << shift;
  }
  return prefix;
}

// The wanted-th smallest index among the elements with this key.
uint nth_place(uint wanted, uint key) {
  uint prefix = 0u, mask = 0u, equals;
  for (uint shift = end - begin > DIGITS * DIGITS ? 32u : 16u; shift > 0u;) {
    shift -= DIGIT_BITS;
    clear_counts();
    for (uint at = begin + gl_LocalInvocationIndex; at < end; at += gl_WorkGroupSize.x) {
      const uint behind = end - 1u - at;
      if (ordered_key(at) == key && (behind & mask) == prefix)
        atomicAdd(counts[behind >> shift & (DIGITS - 1u)], 1u);
    }
    prefix |= choose_digit(wanted, equals) << shift;
    mask |= (DIGITS - 1u) << shift;
  }
  return end - 1u - prefix;
}

// Fills `sorted` with the kept elements, then with sentinels that sort last.
void keep(uint last_key, uint last_place) {
  if (gl_LocalInvocationIndex == 0u) kept = 0u;
  for (uint i = gl_LocalInvocationIndex; i < SORTED; i += gl_WorkGroupSize.x) {
    sorted_keys[i] = ASCENDING ? 0xffffffffu : 0u;
    sorted_places[i] = 0xffffffffu;
  }
  barrier();
  for (uint at = begin + gl_LocalInvocationIndex; at < end; at += gl_WorkGroupSize.x) {
    const uint key = ordered_key(at);
    if (key < last_key || (key == last_key && at > last_place)) continue;
    const uint i = atomicAdd(kept, 1u);
    sorted_keys[i] = key;
    sorted_places[i] = at;
  }
  barrier();
}

// Equal elements keep their order.
bool comes_before(uint a, uint b) {
  const uint one = sorted_keys[a], other = sorted_keys[b];
  if (one == other) return sorted_places[a] < sorted_places[b];
  return ASCENDING ? one < other : one > other;
}

void exchange(uint a, uint b) {
  const uint key = sorted_keys[a], place = sorted_places[a];
  sorted_keys[a] = sorted_keys[b];
  sorted_places[a] = sorted_places[b];
  sorted_keys[b] = key;
  sorted_places[b] = place;
}

// Bitonic sort: merges pairs of runs, every second one in reverse.
void sort() {
  for (uint run = 2u; run <= SORTED; run *= 2u) {
    for (uint apart = run / 2u; apart > 0u; apart /= 2u) {
      for (uint i = gl_LocalInvocationIndex; i < SORTED / 2u; i += gl_WorkGroupSize.x) {
        const uint a = i / apart * 2u * apart + i % apart, b = a + apart;
        const bool is_backwards = (a & run) != 0u;
        if (comes_before(is_backwards ? a : b, is_backwards ? b : a)) exchange(a, b);
      }
      barrier();
    }
  }
}

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (group >= count) return;
  const uint chunks = (length + chunk - 1u) / chunk;
  const uint own_chunk = group % chunks;
  const uint line = group / chunks;
  const uint outer = line / inner;
  begin_of_line = outer * length * inner + line % inner;
  begin = own_chunk * chunk;
  end = min(begin + chunk, length);

  const uint keeps = min(k, end - begin);
  uint wanted = keeps, equals = 0u;
  const uint last_key = nth_largest_key(wanted, equals);
  const uint last_place = wanted == equals ? end : nth_place(wanted, last_key);
  keep(last_key, last_place);
  sort();
  const uint to = (outer * selected + own_chunk * k) * inner + line % inner;
  for (uint i = gl_LocalInvocationIndex; i < keeps; i += gl_WorkGroupSize.x)
    store_result(to + i * inner, element(sorted_places[i]), sorted_places[i]);
}
