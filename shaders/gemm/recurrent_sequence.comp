// All time steps of an LSTM, GRU or RNN layer in one dispatch. A workgroup keeps the states of one batch row
// and direction in shared memory, and rereads the weights in each step. It computes UNITS states at a time,
// each by SHARES invocations that split the products. The input part of the gates was computed for all steps.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float_math.glsl"
#include "base/vec4_access.glsl"

// CellKind of backends/vulkan/lower/recurrent/sequence_kernel.h.
const uint RNN_TANH = 0u;
const uint RNN_RELU = 1u;
const uint GRU = 2u;        // the reset gate multiplies the product with the weights
const uint GRU_RESET = 3u;  // the reset gate multiplies the states before the product
const uint LSTM = 4u;

layout(constant_id = 3) const uint CELL = LSTM;
layout(constant_id = 4) const bool HAS_BIAS = true;
layout(constant_id = 5) const uint UNITS = 32;
layout(constant_id = 6) const uint SHARES = 1;
layout(constant_id = 7) const uint VECTORS = 1;  // vec4 of states, rounded up

layout(push_constant) uniform Push {
  uint rows;  // directions * batch: workgroups
  uint steps, batch, hidden, directions;
  uint first;     // the layer's first direction among those of all layers
  uint place;     // offset of the layer's states
  uint backward;  // bit mask of the directions that run backwards
  float keep_cell, keep_hidden;
  float cell_clip;  // 0: no limit
};

READS_AS(0, given, float);  // [direction][time][batch][gate][hidden]
READS_AS(1, weight, vec4);  // [layer][direction][gate][vector of states][hidden]
READS_AS(2, bias, float);   // [layer][direction][input, state][gate][hidden]
READS_AS(3, first_h, float);
READS_AS(4, first_c, float);  // LSTM
WRITES_AS(5, last_h, float);
WRITES_AS(6, last_c, float);  // LSTM
WRITES_AS(7, y, float);       // [time][batch][direction][hidden]

const uint GATES = CELL == LSTM ? 4u : CELL <= RNN_RELU ? 1u : 3u;
// The gates of a GRU.
const uint UPDATE = 0u, RESET = 1u, CANDIDATE = 2u;

// Double-buffered: a step reads what the previous one wrote.
shared vec4 states[2u * VECTORS];
shared vec4 reset_states[CELL == GRU_RESET ? VECTORS : 1u];
shared float cells[CELL == LSTM || CELL == GRU_RESET ? 4u * VECTORS : 1u];  // GRU: the update gates
shared vec4 shares[UNITS * SHARES];

uint direction, line, at_given, at_y;  // line: row of weights and biases

float state_at(uint side, uint unit) { return states[side * VECTORS + unit / 4u][unit % 4u]; }

// The input part and the state part of gates `gate` to `gate + count` - 1 of a unit.
struct Parts {
  vec4 input_part, state_part;
};

vec4 own_products(uint gate, uint count, uint unit, uint side) {
  const uint matrix = VECTORS * hidden;
  vec4 v = vec4(0.0);
  for (uint k = gl_LocalInvocationIndex / UNITS; k < VECTORS; k += SHARES) {
    const bool resets = CELL == GRU_RESET && gate == CANDIDATE;
    const vec4 state = resets ? reset_states[CELL == GRU_RESET ? k : 0u] : states[side * VECTORS + k];
    const uint at = ((line * GATES + gate) * VECTORS + k) * hidden + unit;
    v.x += dot(weight.v[at], state);
    if (count > 1u) v.y += dot(weight.v[at + matrix], state);
    if (count > 2u) v.z += dot(weight.v[at + 2u * matrix], state);
    if (count > 3u) v.w += dot(weight.v[at + 3u * matrix], state);
  }
  return v;
}

// Must be called by the entire workgroup.
Parts parts_of(uint gate, uint count, uint unit, uint side) {
  vec4 v = unit < hidden ? own_products(gate, count, unit, side) : vec4(0.0);
  if (SHARES > 1u) {
    barrier();
    shares[gl_LocalInvocationIndex] = v;
    barrier();
    for (uint i = gl_LocalInvocationIndex + UNITS; i < UNITS * SHARES; i += UNITS) v += shares[i];
  }
  Parts parts = Parts(vec4(0.0), v);
  if (unit >= hidden) return parts;
  for (uint n = 0u; n < count; ++n) {
    const uint of_input = (line * 2u * GATES + gate + n) * hidden + unit;
    parts.input_part[n] = given.v[at_given + (gate + n) * hidden + unit];
    if (!HAS_BIAS) continue;
    parts.input_part[n] += bias.v[of_input];
    parts.state_part[n] += bias.v[of_input + GATES * hidden];
  }
  return parts;
}

void finish(uint side, uint unit, float result, float carried) {
  y.v[at_y + unit] = result;
  states[(1u - side) * VECTORS + unit / 4u][unit % 4u] = carried;
}

void store_lstm(uint side, uint unit, Parts parts) {
  const vec4 v = parts.input_part + parts.state_part;  // input, output, forget, cell
  const float old_c = cells[CELL == LSTM ? unit : 0u];
  const float new_c = limited(sigmoid(v.z) * old_c + sigmoid(v.x) * tanh_of(v.w), cell_clip);
  const float new_h = sigmoid(v.y) * tanh_of(new_c);
  // Zoneout affects the states that are carried on, not this step's output.
  cells[CELL == LSTM ? unit : 0u] = keep_cell * old_c + (1.0 - keep_cell) * new_c;
  finish(side, unit, new_h, keep_hidden * state_at(side, unit) + (1.0 - keep_hidden) * new_h);
}

void store_gru(uint side, uint unit, float update, float candidate) {
  const float result = (1.0 - update) * tanh_of(candidate) + update * state_at(side, unit);
  finish(side, unit, result, result);
}

// The first of a unit's invocations, if the unit exists.
bool is_first(uint unit) { return gl_LocalInvocationIndex < UNITS && unit < hidden; }

// GRU: the update and reset gates, and the states times the reset gate.
void reset_states_of(uint side) {
  for (uint from = 0u; from < hidden; from += UNITS) {
    const uint unit = from + gl_LocalInvocationIndex % UNITS;
    const Parts parts = parts_of(UPDATE, 2u, unit, side);
    if (!is_first(unit)) continue;
    const vec4 v = parts.input_part + parts.state_part;
    cells[CELL == GRU_RESET ? unit : 0u] = sigmoid(v.x);
    reset_states[CELL == GRU_RESET ? unit / 4u : 0u][unit % 4u] = sigmoid(v.y) * state_at(side, unit);
  }
  barrier();
}

void run_step(uint side) {
  if (CELL == GRU_RESET) reset_states_of(side);
  for (uint from = 0u; from < hidden; from += UNITS) {
    const uint unit = from + gl_LocalInvocationIndex % UNITS;
    const bool is_candidate = CELL == GRU_RESET;
    const Parts parts = parts_of(is_candidate ? CANDIDATE : 0u, is_candidate ? 1u : GATES, unit, side);
    if (!is_first(unit)) continue;
    const vec4 v = parts.input_part + parts.state_part;
    if (CELL == LSTM) {
      store_lstm(side, unit, parts);
    } else if (CELL == GRU_RESET) {
      store_gru(side, unit, cells[CELL == GRU_RESET ? unit : 0u], v.x);
    } else if (CELL == GRU) {
      store_gru(side, unit, sigmoid(v.x), parts.input_part.z + sigmoid(v.y) * parts.state_part.z);
    } else {
      const float result = CELL == RNN_TANH ? tanh_of(v.x) : v.x < 0.0 ? 0.0 : v.x;
      finish(side, unit, result, result);
    }
  }
}

void main() {
  const uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (row >= rows) return;
  direction = row / batch;
  line = first + direction;
  const uint own_state = place + row * hidden;
  for (uint unit = gl_LocalInvocationIndex; unit < 4u * VECTORS; unit += gl_WorkGroupSize.x) {
    const float h = unit < hidden ? first_h.v[own_state + unit] : 0.0;
    states[unit / 4u][unit % 4u] = h;
    states[VECTORS + unit / 4u][unit % 4u] = 0.0;
    if (CELL == GRU_RESET) reset_states[CELL == GRU_RESET ? unit / 4u : 0u][unit % 4u] = 0.0;
    if (CELL == LSTM) cells[CELL == LSTM ? unit : 0u] = unit < hidden ? first_c.v[own_state + unit] : 0.0;
  }
  barrier();
  uint side = 0u;
  for (uint step = 0u; step < steps; ++step) {
    const uint time = (backward >> direction & 1u) == 0u ? step : steps - 1u - step;
    const uint at = time * batch + row - direction * batch;
    at_given = (direction * steps * batch + at) * GATES * hidden;
    at_y = (at * directions + direction) * hidden;
    run_step(side);
    side = 1u - side;
    barrier();
  }
  for (uint unit = gl_LocalInvocationIndex; unit < hidden; unit += gl_WorkGroupSize.x) {
    last_h.v[own_state + unit] = state_at(side, unit);
    if (CELL == LSTM) last_c.v[own_state + unit] = cells[CELL == LSTM ? unit : 0u];
  }
}
