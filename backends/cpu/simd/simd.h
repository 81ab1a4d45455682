// Loops compiled once per vector length and dispatched at run time, so that a portable build is fast and
// still runs on any processor.
#pragma once

#include <cstdint>
#include <type_traits>

namespace nnrt::cpu {

// A vector of floats in registers. Memory is accessed with load() and store() at any float address: alignment
// that is part of the type is lost when the type is a template argument.
template <int Bytes>
struct VectorOf {
  typedef float type __attribute__((vector_size(Bytes)));
};
template <int Bytes>
using Vector = typename VectorOf<Bytes>::type;

template <int Bytes>
struct [[gnu::packed, gnu::may_alias]] UnalignedVector {
  Vector<Bytes> value;
};
template <int Bytes>
[[gnu::always_inline]] inline Vector<Bytes> load(const float* from) {
  return reinterpret_cast<const UnalignedVector<Bytes>*>(from)->value;
}
template <int Bytes>
[[gnu::always_inline]] inline void store(float* to, Vector<Bytes> vector) {
  reinterpret_cast<UnalignedVector<Bytes>*>(to)->value = vector;
}

// The longest vectors to use, in bytes: 16, 32 or 64 (see isa.h).
int vector_bytes();

// The number of vector registers for this vector length.
constexpr int vector_registers([[maybe_unused]] int vector_bytes) {
#if defined(__aarch64__)
  return 32;
#else
  return vector_bytes == 64 ? 32 : 16;
#endif
}

// Arm dot products need per-function targets, which clang before 16 does not support.
#if defined(__aarch64__) && (!defined(__clang__) || __clang_major__ >= 16)
#define NNRT_ARM_DOT 1
#endif

// True if four INT8 products can be added at once to a 32-bit sum: VNNI with 64-byte vectors, or Arm's SDOT
// with 16-byte vectors.
bool has_int8_dot();

// True if a 16 x 64 by 64 x 16 INT8 product is one instruction.
bool has_amx();

#if defined(__x86_64__)
template <typename Body>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]] void run_with_64(const Body& body) {
  body(std::integral_constant<int, 64>{});
}
template <typename Body>
[[gnu::target("avx2,fma,f16c")]] void run_with_32(const Body& body) {
  body(std::integral_constant<int, 32>{});
}
#endif

// Calls body(std::integral_constant<int, bytes>) compiled for the instruction set of that vector length,
// which must not exceed vector_bytes(). The body must be an always-inlined generic lambda, and so must its
// callees: [&](auto bytes) __attribute__((always_inline)) { ... }.
template <typename Body>
void with_vectors(int bytes, const Body& body) {
#if defined(__x86_64__)
  if (bytes == 64) return run_with_64(body);
  if (bytes == 32) return run_with_32(body);
#endif
  static_cast<void>(bytes);
  body(std::integral_constant<int, 16>{});
}

// Like with_vectors(), for a length known at compile time.
template <int Bytes, typename Body>
void with_vectors_of(const Body& body) {
#if defined(__x86_64__)
  if constexpr (Bytes == 64) {
    run_with_64(body);
  } else if constexpr (Bytes == 32) {
    run_with_32(body);
  } else {
    body(std::integral_constant<int, Bytes>{});
  }
#else
  body(std::integral_constant<int, Bytes>{});
#endif
}

}  // namespace nnrt::cpu
