// A copy by invocations that each move one vector of 16 bytes, neighbours beside each other.
#version 450
layout(local_size_x = 64, local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) readonly buffer Source { vec4 source[]; };
layout(set = 0, binding = 1) writeonly buffer Result { vec4 result[]; };
layout(push_constant) uniform Push {
  float factor;
  uint steps;  // vectors between the first and the second of an invocation
};

void main() { result[gl_GlobalInvocationID.x] = source[gl_GlobalInvocationID.x]; }
