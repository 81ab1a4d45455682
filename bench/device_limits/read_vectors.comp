// Reads 16 vectors of 16 bytes each, and writes only where they add up to what no buffer of zeros does.
#version 450
layout(local_size_x = 64, local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) readonly buffer Source { vec4 source[]; };
layout(set = 0, binding = 1) writeonly buffer Result { vec4 result[]; };
layout(push_constant) uniform Push {
  float factor;
  uint steps;  // from one vector of an invocation to its next
};

void main() {
  const uint first = gl_GlobalInvocationID.x;
  vec4 even = vec4(0.0), odd = vec4(0.0);
  for (uint i = 0; i < 16; i += 2) {
    even += source[first + i * steps];
    odd += source[first + (i + 1) * steps];
  }
  const vec4 sum = even + odd;
  if (sum.x + sum.y + sum.z + sum.w > factor) result[0] = sum;
}
