// As many multiply-adds as a GPU can do: sums that do not wait for each other, few enough to stay in
// registers, nothing read.
#version 450
layout(local_size_x = 64, local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) readonly buffer Source { vec4 source[]; };
layout(set = 0, binding = 1) writeonly buffer Result { vec4 result[]; };
layout(push_constant) uniform Push {
  float factor;
  uint steps;
};

void main() {
  const float f = factor;
  vec4 a = vec4(f + 1.0), b = vec4(f + 2.0), c = vec4(f + 3.0);
  for (uint step = 0; step < steps; ++step) {
    a = a * f + f;
    b = b * f + f;
    c = c * f + f;
    a = a * f + f;
    b = b * f + f;
    c = c * f + f;
    a = a * f + f;
    b = b * f + f;
    c = c * f + f;
    a = a * f + f;
    b = b * f + f;
    c = c * f + f;
  }
  result[gl_GlobalInvocationID.x] = a + b + c;
}
