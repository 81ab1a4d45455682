// Copies a region (copy.comp) whose contiguous dimension differs between input and output; elements of 1 or 2
// bytes. A workgroup moves a 64x64 tile through shared memory, reading words along input rows and writing
// words along output rows. It writes the output words that begin in its tile.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint READS_WORDS = 0;   // input rows are word-aligned
layout(constant_id = 5) const uint WRITES_WORDS = 0;  // output rows are word-aligned at both ends
layout(push_constant) uniform Push {
  uint groups;  // workgroups of the grid
  int from_offset, to_offset;
  int dims[4], from_strides[4], to_strides[4];  // by descending to_strides; the last one is 1
  int along;                                    // the dimension with from_stride 1
};

READS4(0, x);
layout(std430, set = 0, binding = 1) buffer y_block { uint w[]; }
y;

const int SIDE = 64;
const int kWordLanes = int(kLanes);
const int WORDS = SIDE / kWordLanes;  // words per line of the tile
const int PITCH = WORDS + 1;          // avoids bank conflicts
shared uint tile[SIDE * PITCH];       // columns of words along rows

// The input element for output element `to`; -1 outside of the region.
int source_of(int to) {
  int rest = to - to_offset;
  int from = from_offset;
  bool inside = rest >= 0;
  [[unroll]] for (int d = 0; d < 4; ++d) {
    const int digit = rest / to_strides[d];
    inside = inside && digit < dims[d];
    from += digit * from_strides[d];
    rest -= digit * to_strides[d];
  }
  return inside && rest == 0 ? from : -1;
}

// A word of `count` elements starting at input element `from`.
uint load_word(int from, int count) {
  if (count <= 0) return 0u;
  if (READS_WORDS != 0u) return WORD(x, uint(from / kWordLanes));
  uint word = 0u;
  [[unroll]] for (int lane = 0; lane < kWordLanes; ++lane) {
    if (lane < count) word |= element_at(LOAD_BITS(x, uint(from + lane)), uint(lane));
  }
  return word;
}

// Loads `rows` x `columns` elements; rows are `row_step` elements apart.
void load_tile(int from, int row_step, int rows, int columns) {
  for (int i = int(gl_LocalInvocationIndex); i < WORDS * WORDS; i += int(gl_WorkGroupSize.x)) {
    const int column = i % WORDS * kWordLanes, row = i / WORDS * kWordLanes;
    uint words[4];
    [[unroll]] for (int lane = 0; lane < kWordLanes; ++lane) {
      const int count = row + lane < rows ? columns - column : 0;
      words[lane] = load_word(from + (row + lane) * row_step + column, count);
    }
    [[unroll]] for (int nth = 0; nth < kWordLanes; ++nth) {
      uint transposed = 0u;
      [[unroll]] for (int lane = 0; lane < kWordLanes; ++lane) transposed |=
          element_at(element_in(words[lane], uint(nth)), uint(lane));
      tile[(column + nth) * PITCH + i / WORDS] = transposed;
    }
  }
}

// The word at output element `to`, which is between `first` and `end` in the tile's column.
uint assembled_word(int column, int first, int to, int end) {
  uint word = 0u, kept = 0u;
  [[unroll]] for (int lane = 0; lane < kWordLanes; ++lane) {
    const uint row = uint(to + lane - first);
    const int from = to + lane < end ? 0 : source_of(to + lane);
    if (to + lane < end) {
      word |= element_at(element_in(tile[column * PITCH + int(row / kLanes)], row), uint(lane));
    } else if (from >= 0) {
      word |= element_at(LOAD_BITS(x, uint(from)), uint(lane));
    } else {
      kept |= element_at(0xffffffffu >> (32u - 8u * BYTES), uint(lane));
    }
  }
  if (kept != 0u) word |= y.w[to / kWordLanes] & kept;
  return word;
}

void store_tile(int to, int column_step, int rows, int columns) {
  for (int i = int(gl_LocalInvocationIndex); i < WORDS * SIDE; i += int(gl_WorkGroupSize.x)) {
    const int column = i / WORDS, nth = i % WORDS;
    const int first = to + column * column_step, end = first + rows;
    if (column >= columns) return;
    if (WRITES_WORDS != 0u) {
      if (nth * kWordLanes < rows) y.w[first / kWordLanes + nth] = tile[column * PITCH + nth];
    } else {
      const int word = (first + kWordLanes - 1) / kWordLanes + nth;
      if (word * kWordLanes < end) y.w[word] = assembled_word(column, first, word * kWordLanes, end);
    }
  }
}

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (group >= groups) return;
  const int down = (dims[3] + SIDE - 1) / SIDE, across = (dims[along] + SIDE - 1) / SIDE;
  int rest = int(group);
  const int row = rest % down * SIDE;
  rest /= down;
  const int column = rest % across * SIDE;
  rest /= across;
  int from = from_offset + row * from_strides[3] + column;
  int to = to_offset + column * to_strides[along] + row;
  [[unroll]] for (int d = 2; d >= 0; --d) {
    if (d == along) continue;
    const int quotient = rest / dims[d];
    from += (rest - quotient * dims[d]) * from_strides[d];
    to += (rest - quotient * dims[d]) * to_strides[d];
    rest = quotient;
  }
  const int rows = min(dims[3] - row, SIDE), columns = min(dims[along] - column, SIDE);
  load_tile(from, from_strides[3], rows, columns);
  barrier();
  store_tile(to, to_strides[along], rows, columns);
}
