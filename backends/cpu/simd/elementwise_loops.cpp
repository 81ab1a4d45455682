#include "backends/cpu/simd/elementwise_loops.h"

#include "backends/cpu/simd/vector_math.h"

namespace nnrt::cpu {
namespace {

// 2^23: larger floats are integers, and adding it to a smaller one rounds that to an integer, ties to even.
constexpr float kWhole = 8388608.0f;

template <int Bytes>
NNRT_INLINE Vector<Bytes> magnitude_of(const Vector<Bytes>& x) {
  return __builtin_bit_cast(Vector<Bytes>, __builtin_bit_cast(Ints<Bytes>, x) & INT32_MAX);
}

// `magnitude` with the sign of x, also that of a zero. Its own sign bit is clear, or that of x.
template <int Bytes>
NNRT_INLINE void set_sign_of(const Vector<Bytes>& x, Vector<Bytes>& magnitude) {
  using I = Ints<Bytes>;
  const I sign = __builtin_bit_cast(I, x) & INT32_MIN;
  magnitude = __builtin_bit_cast(Vector<Bytes>, __builtin_bit_cast(I, magnitude) | sign);
}

// Rounds to the nearest integer, ties to even.
template <int Bytes>
NNRT_INLINE void round_half_even(Vector<Bytes>& x) {
  const Vector<Bytes> size = magnitude_of<Bytes>(x);
  Vector<Bytes> whole = size + kWhole - kWhole;
  set_sign_of<Bytes>(x, whole);
  x = size < kWhole ? whole : x;
}

// Rounds to the nearest integer, ties away from zero.
template <int Bytes>
NNRT_INLINE void round_to_nearest(Vector<Bytes>& x) {
  const Vector<Bytes> size = magnitude_of<Bytes>(x);
  Vector<Bytes> whole = size + kWhole - kWhole;
  whole = size - whole == 0.5f ? whole + 1.0f : whole;
  set_sign_of<Bytes>(x, whole);
  x = size < kWhole ? whole : x;
}

// Rounds toward -infinity (step 1) or infinity (step -1).
template <int Bytes>
NNRT_INLINE void round_to_whole(Vector<Bytes>& x, float step) {
  Vector<Bytes> whole = x;
  round_half_even<Bytes>(whole);
  const Vector<Bytes> excess = (whole - x) * step;
  whole = excess > 0 ? whole - step : whole;
  set_sign_of<Bytes>(x, whole);
  x = whole;
}

// Returns false if the operator has no loop.
template <int Bytes>
NNRT_INLINE bool loop(Op op, bool approximate, const float* from, float* to, int64_t count) {
  using V = Vector<Bytes>;
  const auto map = [&](const auto& f) __attribute__((always_inline)) {
    map_vectors<Bytes>(from, to, count, f);
    return true;
  };
  const auto hard_sigmoid = [](V & x) __attribute__((always_inline)) {
    x += 3.0f;
    clamp_to(x, 0, 6);
    x /= 6.0f;
  };
  switch (op) {
    case Op::relu: return map([](V & x) __attribute__((always_inline)) { x = x < 0 ? V{} : x; });
    case Op::relu6: return map([](V & x) __attribute__((always_inline)) { clamp_to(x, 0, 6); });
    case Op::hard_sigmoid: return map(hard_sigmoid);
    case Op::hswish:
      return map([&](V & x) __attribute__((always_inline)) {
        V factor = x + 3.0f;
        clamp_to(factor, 0, 6);
        x = x >= 3.0f ? x : x * factor / 6.0f;  // for x >= 3 the product could overflow
      });
    case Op::floor: return map([](V & x) __attribute__((always_inline)) { round_to_whole<Bytes>(x, 1); });
    case Op::ceil: return map([](V & x) __attribute__((always_inline)) { round_to_whole<Bytes>(x, -1); });
    case Op::round: return map([](V & x) __attribute__((always_inline)) { round_to_nearest<Bytes>(x); });
    case Op::round_half_even:
      return map([](V & x) __attribute__((always_inline)) { round_half_even<Bytes>(x); });
    case Op::exp: return map([](V & x) __attribute__((always_inline)) { exp_of<Bytes>(x); });
    case Op::sigmoid: return map([](V & x) __attribute__((always_inline)) { sigmoid_of<Bytes>(x); });
    case Op::swish:
      return map([](V & x) __attribute__((always_inline)) {
        V below = -x;
        one_plus_exp_of<Bytes>(below);
        x = x / below;
      });
    case Op::tanh: return map([](V & x) __attribute__((always_inline)) { tanh_of<Bytes>(x); });
    case Op::erf: return map([](V & x) __attribute__((always_inline)) { erf_of<Bytes>(x); });
    case Op::gelu: break;
    default: return false;
  }
  if (approximate)
    return map([](V & x) __attribute__((always_inline)) {
      V inner = 0.797884561f * (x + 0.044715f * x * x * x);
      tanh_of<Bytes>(inner);
      x = 0.5f * x * (1.0f + inner);
    });
  return map([](V & x) __attribute__((always_inline)) {
    V inner = x * 0.707106781f;
    erf_of<Bytes>(inner);
    x = 0.5f * x * (1.0f + inner);
  });
}

}  // namespace

bool has_float_loop(Op op, const Attrs& attrs) {
  if (op == Op::exp)
    return attrs.real(Attr::base) == -1 && attrs.real(Attr::scale) == 1 && attrs.real(Attr::shift) == 0;
  return loop<16>(op, false, nullptr, nullptr, 0);
}

void float_loop(Op op, const Attrs& attrs, const float* from, float* to, int64_t count) {
  const bool approximate = op == Op::gelu && attrs.flag(Attr::approximate);
  with_vectors(
      vector_bytes(), [&](auto bytes)
                          __attribute__((always_inline)) { loop<bytes>(op, approximate, from, to, count); });
}

bool supports_post_op(const PostOp& step) {
  if (step.op == Op::add || step.op == Op::mul) return true;
  return !step.other && has_float_loop(step.op, step.attrs);
}

void apply_post_op(const PostOp& step, float* values, const float* other, int64_t count) {
  if (!step.other) return float_loop(step.op, step.attrs, values, values, count);
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        if (step.op == Op::add) {
          for (int64_t i = 0; i < count; ++i) values[i] += other[i];
        } else {
          for (int64_t i = 0; i < count; ++i) values[i] *= other[i];
        }
      });
}

double softmax_line(const float* from, float* to, int64_t count) {
  constexpr int64_t kBlock = 1024;  // sums of this many elements are accumulated as doubles
  double sum = 0;
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        using V = Vector<bytes>;
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        float largest = from[0];
        const auto join = [](auto& a, const auto& b) __attribute__((always_inline)) { a = a < b ? b : a; };
        const auto exponential = [&](V & x) __attribute__((always_inline)) {
          x -= largest;
          exp_of<bytes>(x);
        };
        if (count < kLanes) {
          for (int64_t i = 1; i < count; ++i) join(largest, from[i]);
          map_vectors<bytes>(from, to, count, exponential);
          for (int64_t i = 0; i < count; ++i) sum += double(to[i]);
          const auto factor = float(1 / sum);
          for (int64_t i = 0; i < count; ++i) to[i] *= factor;
          return;
        }
        V last = load<bytes>(from + count - kLanes), lanes = last;  // `to` may alias `from`
        for (int64_t i = 0; i + kLanes < count; i += kLanes) join(lanes, load<bytes>(from + i));
        largest = joined_lanes(lanes, join);
        const int64_t whole = count - count % kLanes;
        V sums{};
        if (whole < count) {
          exponential(last);
          Ints<bytes> numbers;
          for (int i = 0; i < kLanes; ++i) numbers[i] = i;
          sums = numbers < int32_t(whole - count + kLanes) ? V{} : last;
        }
        for (int64_t first = 0; first < whole; first += kBlock, sums = V{}) {
          const int64_t length = whole - first < kBlock ? whole - first : kBlock;
          map_vectors<bytes>(
              from + first, to + first, length, [&](V & x) __attribute__((always_inline)) {
                exponential(x);
                sums += x;
              });
          sum += exact_sum_of_lanes<bytes>(sums);
        }
        const auto factor = float(1 / sum);
        for (int64_t i = 0; i < whole; i += kLanes) store<bytes>(to + i, load<bytes>(to + i) * factor);
        if (whole < count) store<bytes>(to + count - kLanes, last * factor);
      });
  return sum;
}

void scale_loop(float* values, float factor, int64_t count) {
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        map_vectors<bytes>(
            values, values, count, [&](Vector<bytes> & x) __attribute__((always_inline)) { x *= factor; });
      });
}

}  // namespace nnrt::cpu
