// Finds the input pixel under a kernel tap for an output pixel. The including kernel declares the geometry as
// push constants before this.
#ifndef NNRT_INPUT_PIXEL
#define NNRT_INPUT_PIXEL

layout(constant_id = 5) const bool TRANSPOSED = false;

// The corner of an output pixel's receptive field: row, column, and first pixel of the image.
ivec3 corner(uint row, uint column, uint image) {
  const ivec2 at = ivec2(row, column);
  const ivec2 first =
      TRANSPOSED ? at + ivec2(top, left) : at * ivec2(stride_height, stride_width) - ivec2(top, left);
  return ivec3(first, image * in_height * in_width);
}
ivec3 corner(uint pixel) {
  const uint image = pixel / (out_height * out_width);
  const uint rest = pixel - image * (out_height * out_width);
  return corner(rest / out_width, rest % out_width, image);
}

const uint kNone = 0xffffffffu;

// The input pixel under a tap, or kNone. Branch-free, because branches take drivers long to compile.
uint find(ivec3 corner, ivec2 tap) {
  ivec2 at = corner.xy + (TRANSPOSED ? -tap : tap);
  bvec4 inside = bvec4(true);
  if (TRANSPOSED) {
    const ivec2 stride = ivec2(stride_height, stride_width);
    const ivec2 quotient = at / stride;
    inside.xy = equal(quotient * stride, at);
    at = quotient;
  }
  inside.zw = lessThan(uvec2(at), uvec2(in_height, in_width));
  const uint pixel = uint(corner.z + at.x * int(in_width) + at.y);
  return all(inside) ? pixel : kNone;
}

#endif
