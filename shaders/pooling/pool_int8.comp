// AVG_POOL and MAX_POOL of INT8 in NHWC, whose channels are a multiple of 4. SHARE invocations of a workgroup
// compute a word: four channels of an output pixel. Cells outside of the input are neither summed, counted
// nor compared. Maxima and sums are exact; like pool.comp on steps, only the mean and the result are rounded.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/float_math.glsl"
#include "base/words.glsl"

layout(constant_id = 3) const bool MAXIMUM = false;
layout(constant_id = 4) const uint SHARE = 1;

layout(push_constant) uniform Push {
  uint count;  // words of the output
  uint parts;  // words per pixel
  uint out_height, out_width, in_height, in_width;
  uint kernel_height, kernel_width, stride_height, stride_width;
  int top, left;
  float scale;  // of the output, in steps of the input, for quantize()
  int from_zero, to_zero;
};

READS(0, x);
WRITES(1, y);

const uint AT_ONCE = 4u;  // loads in flight

ivec4 bytes_of(uint word) {
  return ivec4(signed_byte(word, 0u), signed_byte(word, 1u), signed_byte(word, 2u), signed_byte(word, 3u));
}
ivec4 merge(ivec4 a, ivec4 b) { return MAXIMUM ? max(a, b) : a + b; }

// Merges cell `lane` of a window of `size` (height, width) and every SHARE-th cell after it.
ivec4 merged(uint origin, uvec2 size, uint lane) {
  const uint cells = size.x * size.y, down = SHARE / size.y, across = SHARE - down * size.y;
  uvec2 cell = uvec2(lane / size.y, lane % size.y);
  ivec4 result = ivec4(MAXIMUM ? -128 : 0);  // a select of vectors is more than some drivers fold
  for (uint nth = lane; nth < cells; nth += AT_ONCE * SHARE) {
    uint words[AT_ONCE];
    [[unroll]] for (uint i = 0u; i < AT_ONCE; ++i) {
      const bool is_cell = cell.x < size.x;
      words[i] = x.w[origin + (is_cell ? cell.x * in_width + cell.y : 0u) * parts];
      words[i] = is_cell ? words[i] : MAXIMUM ? 0x80808080u : 0u;
      cell += uvec2(down, across);
      if (cell.y >= size.y) cell += uvec2(1u, 0u - size.y);
    }
    [[unroll]] for (uint i = 0u; i < AT_ONCE; ++i) result = merge(result, bytes_of(words[i]));
  }
  return result;
}

shared ivec4 parts_of_windows[gl_WorkGroupSize.x];

// Merges the values of the SHARE invocations of a window, which are `windows` apart.
ivec4 shared_by_window(ivec4 own) {
  const uint at = gl_LocalInvocationID.x, windows = gl_WorkGroupSize.x / SHARE;
  parts_of_windows[at] = own;
  for (uint apart = gl_WorkGroupSize.x / 2u; apart >= windows; apart /= 2u) {
    barrier();
    if (at < apart) parts_of_windows[at] = merge(parts_of_windows[at], parts_of_windows[at + apart]);
  }
  barrier();
  return parts_of_windows[at % windows];
}

void main() {
  const uint windows = gl_WorkGroupSize.x / SHARE, lane = gl_LocalInvocationID.x / windows;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint own = group * windows + gl_LocalInvocationID.x % windows;
  // The entire workgroup must reach the barriers.
  const uint index = min(own, count - 1u);
  const uint pixel = index / parts;
  const uint row = pixel / out_width;
  const uint image = row / out_height;
  const ivec2 first =
      ivec2((row - image * out_height) * stride_height, (pixel - row * out_width) * stride_width) -
      ivec2(top, left);
  const ivec2 from = max(first, ivec2(0));
  const ivec2 to = min(first + ivec2(kernel_height, kernel_width), ivec2(in_height, in_width));
  const uvec2 size = uvec2(to - from);
  const uint origin =
      ((image * in_height + uint(from.x)) * in_width + uint(from.y)) * parts + index - pixel * parts;

  ivec4 result = merged(origin, size, lane);
  if (SHARE > 1u) result = shared_by_window(result);
  if (own >= count || lane != 0u) return;
  const int cells = int(size.x * size.y);
  vec4 steps = vec4(result - (MAXIMUM ? from_zero : cells * from_zero));
  if (!MAXIMUM) steps /= float(cells);
  y.w[own] = pack_bytes(ivec4(quantize(steps.x, scale, to_zero), quantize(steps.y, scale, to_zero),
                              quantize(steps.z, scale, to_zero), quantize(steps.w, scale, to_zero)));
}
