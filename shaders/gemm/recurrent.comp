// One time step of a GRU or RNN, one invocation per state. The input part of the gates was computed for all
// steps. Variant VEC4: the hidden size is a multiple of 4.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float_math.glsl"
#include "base/vec4_access.glsl"

// RecurrentPart of backends/vulkan/lower/recurrent/lower_recurrent.cpp.
const uint RNN_TANH = 0u;
const uint RNN_RELU = 1u;
const uint GRU = 2u;            // the reset gate multiplies the product with the weights
const uint GRU_RESET = 3u;      // first of two dispatches: states times reset gate
const uint GRU_CANDIDATE = 4u;  // second dispatch: uses these states

layout(constant_id = 3) const uint PART = 0u;
layout(push_constant) uniform Push {
  uint count;  // states, [direction][batch][hidden]
  uint step, steps, batch, hidden, directions;
  uint backward;  // bit mask of the directions that run backwards
};

READS_AS(0, given, float);  // [direction][time][batch][gate][hidden]
READS_AS(1, weight, PACK);  // [direction][gate][hidden][hidden]
READS_AS(2, bias, float);   // [direction][input, state][gate][hidden]
READS_AS(3, h, PACK);
READS_AS(4, reset_h, PACK);   // GRU_CANDIDATE: states times reset gate
WRITES_AS(5, next_h, float);  // GRU_RESET: states times reset gate
WRITES_AS(6, y, float);       // [time][batch][direction][hidden]

const uint GATES = PART <= RNN_RELU ? 1u : 3u;
const uint UPDATE = 0u;
const uint RESET = 1u;
const uint CANDIDATE = 2u;

float total(float v) { return v; }
float total(vec4 v) { return (v.x + v.y) + (v.z + v.w); }

// The product of a row of states with the weights of one gate of unit j.
float product(uint row, uint direction, uint gate, uint j) {
  const uint length = hidden / WIDTH;
  uint state = row * length;
  uint at = ((direction * GATES + gate) * hidden + j) * length;
  const bool is_reset = PART == GRU_CANDIDATE && gate == CANDIDATE;
  PACK sum = PACK(0.0);
  for (uint n = 0u; n < length; ++n, ++state, ++at) {
    if (is_reset)
      sum += reset_h.v[state] * weight.v[at];
    else
      sum += h.v[state] * weight.v[at];
  }
  return total(sum);
}

float state_at(uint i) {
#ifdef VEC4
  return h.v[i / 4u][i % 4u];
#else
  return h.v[i];
#endif
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint row = index / hidden;
  const uint j = index - row * hidden;
  const uint direction = row / batch;
  const uint time = (backward >> direction & 1u) == 0u ? step : steps - 1u - step;
  const uint place = time * batch + row - direction * batch;
  const uint at = (direction * steps * batch + place) * GATES * hidden + j;
  const uint of_input = direction * 2u * GATES * hidden + j;
  const uint of_state = of_input + GATES * hidden;

#define INPUT_PART(gate) (given.v[at + (gate)*hidden] + bias.v[of_input + (gate)*hidden])
#define STATE_PART(gate) (product(row, direction, gate, j) + bias.v[of_state + (gate)*hidden])
  float result;
  if (PART <= RNN_RELU) {
    const float v = INPUT_PART(0u) + STATE_PART(0u);
    result = PART == RNN_TANH ? tanh_of(v) : v < 0.0 ? 0.0 : v;
  } else if (PART == GRU_RESET) {
    next_h.v[index] = sigmoid(INPUT_PART(RESET) + STATE_PART(RESET)) * state_at(index);
    return;
  } else {
    const float update = sigmoid(INPUT_PART(UPDATE) + STATE_PART(UPDATE));
    float candidate = STATE_PART(CANDIDATE);
    if (PART == GRU) candidate *= sigmoid(INPUT_PART(RESET) + STATE_PART(RESET));
    candidate = tanh_of(INPUT_PART(CANDIDATE) + candidate);
    result = (1.0 - update) * candidate + update * state_at(index);
  }
  y.v[(place * directions + direction) * hidden + j] = result;
  next_h.v[index] = result;
}
