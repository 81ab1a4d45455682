// Arithmetic on two operands with broadcasting (R9), and a fused activation.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/activation_limits.glsl"
#include "base/float64_bits.glsl"
#include "base/int64_pairs.glsl"
#include "elementwise/binary_functions.glsl"
#include "elementwise/broadcast_operands.glsl"
#include "elementwise/requantized_steps.glsl"

layout(constant_id = 7) const uint ACTIVATION = 0;

#if defined(Q8)
// On steps (requantized_steps.glsl): ADD and SUB have the factors (a, b) and the rest of each, MUL has a
// factor and its digits.
float f(float u, float v) {
  if (!ON_STEPS) return binary_of(OP, u, v, vec2(a, b));
  const bool to_even = scale < 0.0;
  if (OP != OP_MUL) return sum_of_steps(u, v, vec2(a, b), vec2(low_a, low_b), to_even);
  return to_even ? requantized_to_even(u * v, a) : requantized(u * v, a, b);
}
#elif defined(F32) || defined(F16)
ELEM f(ELEM u, ELEM v) { return binary_of(OP, u, v, vec2(a, b)); }
#elif defined(I64)
// BIT_SHIFT: to the right if `a` is not 0. Amounts outside of [0, 64) shift all bits out.
uvec2 shifted(uvec2 u, uvec2 by) {
  const bool beyond = by.y != 0u || by.x >= 64u;
  if (a == 0.0) return beyond ? uvec2(0u) : shift_left(u, by.x);
  const uvec2 sign_bits = uvec2(is_negative(u) ? ~0u : 0u);
  return beyond ? sign_bits : shift_right(u ^ sign_bits, by.x) ^ sign_bits;
}

ELEM f(ELEM u, ELEM v) {
  switch (OP) {
    case OP_ADD: return add(u, v);
    case OP_SUB: return subtract(u, v);
    case OP_MUL: return multiply(u, v);
    case OP_DIV: return divide(u, v);
    case OP_MOD: return v == uvec2(0u) ? v : subtract(u, multiply(divide(u, v), v));
    case OP_MAXIMUM: return larger(u, v);
    case OP_MINIMUM: return smaller(u, v);
    case OP_BITWISE_AND: return u & v;
    case OP_BITWISE_OR: return u | v;
    case OP_BITWISE_XOR: return u ^ v;
    case OP_BIT_SHIFT: return shifted(u, v);
  }
  return u;
}
#elif defined(F64)
ELEM f(ELEM u, ELEM v) {
  if (OP == OP_MOD) return remainder(u, v);
  if (is_nan(u)) return u;
  const bool less = is_below(order_of(u), order_of(v));
  return is_nan(v) || less == (OP == OP_MAXIMUM) ? v : u;
}
#else
// Division by 0 gives 0, and INT_MIN / -1 gives INT_MIN, without reaching the division that traps.
int divide(int u, int v) {
  const bool simple = v == 0 || v == -1;
  const int quotient = u / (simple ? 1 : v);
  return simple ? u * v : quotient;
}

// BIT_SHIFT: to the right if `a` is not 0. Amounts beyond the dtype's width shift all bits out.
int shifted(int u, int by) {
  const bool beyond = by < 0 || by >= int(32u / LANES);
  if (a != 0.0) return u >> (beyond ? 31 : by);
  return beyond ? 0 : u << by;
}

ELEM f(ELEM u, ELEM v) {
  switch (OP) {
    case OP_ADD: return u + v;
    case OP_SUB: return u - v;
    case OP_MUL: return u * v;
    case OP_DIV: return divide(u, v);
    case OP_MOD: return v == 0 ? 0 : u - divide(u, v) * v;
    case OP_MAXIMUM: return max(u, v);
    case OP_MINIMUM: return min(u, v);
    case OP_SQUARED_DIFFERENCE: return (u - v) * (u - v);
    case OP_BITWISE_AND: return u & v;
    case OP_BITWISE_OR: return u | v;
    case OP_BITWISE_XOR: return u ^ v;
    case OP_BIT_SHIFT: return shifted(u, v);
  }
  return u;
}
#endif

#ifdef Q8
int code(float value) {
  const int zero_point = signed_byte(zero_points, 2u);
  if (!ON_STEPS) return quantize(value, scale, zero_point);
  const int lowest = ACTIVATION == 0u ? -128 : clamp(zero_point, -128, 127);
  return clamp(int(clamp(value, -1024.0, 1024.0)) + zero_point, lowest, signed_byte(zero_points, 3u));
}
uint pack(float e[4]) { return pack_bytes(ivec4(code(e[0]), code(e[1]), code(e[2]), code(e[3]))); }
#endif

ELEM result(ELEM u, ELEM v) {
  const ELEM value = f(u, v);
#ifdef Q8
  if (ON_STEPS) return value;
#endif
  return ACTIVATION == 0u ? value : activate(wrap(value), ACTIVATION);
}

// Result i; indices beyond the last one repeat it.
ELEM element(uint i) {
  const uvec2 place = places(min(i, count - 1u));
  return result(load_x(place.x), load_y(place.y));
}

#ifdef WIDE
void write_elements(uint i) {
  if (i >= count) return;
  const uvec2 value = element(i);
  WORD(z, 2u * i) = value.x;
  WORD(z, 2u * i + 1u) = value.y;
}

const uint kVector = 2u;  // elements
uvec4 vector_of(uvec4 u, uvec4 v) { return uvec4(result(u.xy, v.xy), result(u.zw, v.zw)); }
#else
void write_elements(uint i) {
#define ELEMENT(lane) element(i* LANES + lane)
  if (i * LANES < count) WORD(z, i) = pack(EACH_LANE(ELEMENT));
}

const uint kVector = 4u * LANES;
uint word_of(uint u, uint v) {
#define COMBINED(lane) result(decode_x(u, lane), decode_y(v, lane))
  return pack(EACH_LANE(COMBINED));
}
uvec4 vector_of(uvec4 u, uvec4 v) {
  return uvec4(word_of(u.x, v.x), word_of(u.y, v.y), word_of(u.z, v.z), word_of(u.w, v.w));
}
#endif

void main() {
  const uint i = global_word();
  if (X_FORM == ELEMENTS) {
    write_elements(i);
    return;
  }
  uint inner = 1u;
  [[unroll]] for (uint d = 1u; d < RANK; ++d) inner *= dims[d];
  if (i >= step * inner) return;
  uint row = i, at = i;
  ivec2 place = places_and_row(row);
  const ivec2 stride = ivec2(x_strides[0], y_strides[0]);
  uvec4 u = uvec4(0u), v = uvec4(0u);
  for (bool is_first = true; row < dims[0]; is_first = false) {
    // Operands that are the same for all rows are read only once.
    if (is_first || stride.x != 0) {
      if (X_FORM == VECTORS)
        u = VECTOR(x, place.x);
      else
        u = uvec4(REPLICATE(x, uint(place.x)));
    }
    if (is_first || stride.y != 0) {
      if (Y_FORM == VECTORS)
        v = VECTOR(y, place.y);
      else
        v = uvec4(REPLICATE(y, uint(place.y)));
    }
    z.v[at] = vector_of(u, v);
    row += step;
    at += step * inner;
    place += int(step) * stride;
  }
}
