// Loops that are compiled once for each length of vectors that processors have; the processor at hand chooses
// when they run, so that a plain build is fast and still starts everywhere.
#pragma once

#include <cstdint>
#include <type_traits>

namespace nnrt::cpu {

// A vector of floats in registers. Whatever lies in memory is read by load() and written by store(), at any
// address of floats: an alignment that is part of the type gets lost where the type is the argument of a
// template.
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

// The longest vectors to use, in bytes: 16, 32 or 64. isa.h says how it is chosen.
int vector_bytes();

// Returns the number of registers for vectors of so many bytes.
constexpr int vector_registers([[maybe_unused]] int vector_bytes) {
#if defined(__aarch64__)
  return 32;
#else
  return vector_bytes == 64 ? 32 : 16;
#endif
}

// ARM's dot products are compiled for processors that may lack them. Clang before 16 cannot do that.
#if defined(__aarch64__) && (!defined(__clang__) || __clang_major__ >= 16)
#define NNRT_ARM_DOT 1
#endif

// True: products of four INT8 values are added at once to 32-bit sums, by VNNI in vectors of 64 bytes or by
// ARM's SDOT in vectors of 16.
bool has_int8_dot();

// True: 16 x 64 INT8 values are multiplied with 64 x 16 at once as well.
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

// Calls body(std::integral_constant<int, bytes>) with the instructions that go with vectors of so many bytes,
// which must not be more than vector_bytes(). The body is a generic lambda that is always inlined, and so is
// what it calls: [&](auto bytes) __attribute__((always_inline)) { ... }.
template <typename Body>
void with_vectors(int bytes, const Body& body) {
#if defined(__x86_64__)
  if (bytes == 64) return run_with_64(body);
  if (bytes == 32) return run_with_32(body);
#endif
  static_cast<void>(bytes);
  body(std::integral_constant<int, 16>{});
}

// The same where the length is known when it is compiled.
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
