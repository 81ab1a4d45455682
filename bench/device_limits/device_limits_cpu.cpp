#include "device_limits/device_limits.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bench {
namespace {

using Seconds = std::chrono::duration<double>;

int thread_count() {
  const char* set = std::getenv("NNRT_THREADS");
  const int count = set ? std::atoi(set) : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, count);
}

// The best of several rounds: other processes may use the machine.
double best_rate(double work, const std::function<void()>& round) {
  double best = 0;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    round();
    best = std::max(best, work / Seconds(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void on_all_threads(int threads, const std::function<void(int)>& part) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(part, t);
  part(0);
  for (std::thread& thread : others) thread.join();
}

constexpr int kSteps = 20'000'000;

// One vector instruction per step in enough independent sums to hide its latency, compiled separately for
// each instruction set. Does kSteps steps and returns the number of operations per step.
template <typename Vector, int kSums>
[[gnu::always_inline]] inline float multiply_and_add(float factor) {
  constexpr int kLanes = sizeof(Vector) / sizeof(float);
  Vector sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = Vector{} + float(i);
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < kSums; ++i) sums[i] = sums[i] * factor + factor;
  }
  float sum = 0;
  for (const Vector& vector : sums) {
    for (int lane = 0; lane < kLanes; ++lane) sum += vector[lane];
  }
  return sum;
}

constexpr int kSums = 12;
template <int kBytes>
using Lanes [[gnu::vector_size(kBytes)]] = float;

struct Path {
  float (*run)(float);
  int lanes;
};

#if defined(__x86_64__)
[[gnu::target("avx512f,fma")]] float wide(float factor) { return multiply_and_add<Lanes<64>, kSums>(factor); }
[[gnu::target("avx2,fma")]] float medium(float factor) { return multiply_and_add<Lanes<32>, kSums>(factor); }
#endif
float narrow(float factor) { return multiply_and_add<Lanes<16>, kSums>(factor); }

Path widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {wide, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {medium, 8};
#endif
  return {narrow, 4};
}

}  // namespace

Limits cpu_limits() {
  const int threads = thread_count();
  const Path path = widest();
  std::vector<float> retained(static_cast<size_t>(threads));
  const double operations = best_rate(2.0 * threads * kSums * path.lanes * kSteps, [&] {
    on_all_threads(threads, [&](int t) { retained[static_cast<size_t>(t)] += path.run(0.5f); });
  });
  constexpr size_t kBytes = size_t{64} << 20;
  std::vector<unsigned char> from(kBytes, 1), to(kBytes, 2);
  const size_t share = kBytes / static_cast<size_t>(threads);
  const double bytes = best_rate(2.0 * kBytes, [&] {
    on_all_threads(threads, [&](int t) {
      std::memcpy(&to[share * static_cast<size_t>(t)], &from[share * static_cast<size_t>(t)], share);
    });
  });
  if (retained[0] < 0 || to[0] != 1) throw std::logic_error("The limits were not computed.");
  return {.operations = operations, .copied = bytes};
}

}  // namespace bench
