// Dot products of four signed bytes.
#ifndef NNRT_PACKED_DOT
#define NNRT_PACKED_DOT

#ifdef PLAIN
// For devices without the instruction.
ivec4 signed_bytes(uint word) { return ivec4(uvec4(word << 24u, word << 16u, word << 8u, word)) >> 24; }
int packed_dot(uint a, uint b) {
  const ivec4 products = signed_bytes(a) * signed_bytes(b);
  return products.x + products.y + products.z + products.w;
}
#else
// glslang has no function for OpSDot of packed vectors.
#extension GL_EXT_spirv_intrinsics : require

// DotProduct and DotProductInput4x8BitPacked; the literal is PackedVectorFormat4x8Bit.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [ 6019, 6018 ],
                  id = 4450) int packed_dot_of(uint a, uint b, spirv_literal int format);
#define packed_dot(a, b) packed_dot_of(a, b, 0)
#endif

// Not the accumulating instruction: it saturates, which some devices emulate.
ivec4 packed_dot4(uint a, uvec4 b) {
  return ivec4(packed_dot(a, b.x), packed_dot(a, b.y), packed_dot(a, b.z), packed_dot(a, b.w));
}

#endif
