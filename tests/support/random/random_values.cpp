#include "tests/support/random/random_values.h"

#include "core/base/fp16.h"
#include "tests/support/random/random_node_draft.h"

#include <cmath>

namespace nnrt::test {
namespace {

template <typename T>
void append(Bytes& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

// Occasionally multiples of one half, to get equal values and ties.
double random_real(Random& random, const Domain& domain) {
  for (;;) {
    const double drawn = random.real(domain.min, domain.max);
    const double value = random.one_in(4) ? std::round(2 * drawn) / 2 : drawn;
    const bool tiny = domain.nonzero && std::fabs(value) < 0.25;
    if (!tiny && value >= domain.min) return value;
  }
}

// Mostly small; one in eight of any size.
int64_t random_integer(Random& random, DType dtype) {
  if (dtype == DType::boolean) return random.of<int64_t>({0, 0, 1, 1, 255});
  return random.one_in(8) ? int64_t(random.bits()) : random.between(-9, 99);
}

}  // namespace

void append_number(Bytes& bytes, DType dtype, double real, int64_t integer) {
  switch (dtype) {
    case DType::f16: return append(bytes, to_half(real));
    case DType::f32: return append(bytes, float(real));
    case DType::f64: return append(bytes, real);
    default: break;
  }
  const auto* first = reinterpret_cast<const std::byte*>(&integer);
  bytes.insert(bytes.end(), first, first + size_of(dtype));
}

std::vector<DType> members(DTypeSet set) {
  std::vector<DType> result;
  for (int dtype = 1; dtype < kDTypeCount; ++dtype) {
    if (set.contains(DType(dtype))) result.push_back(DType(dtype));
  }
  return result;
}

DType random_dtype(Random& random, DTypeSet set) {
  if (set.contains(DType::f32) && random.one_in(3)) return DType::f32;
  return random.of(members(set));
}

Quant random_quant(Random& random, size_t scales) {
  Quant quant;
  for (size_t i = 0; i < scales; ++i) {
    quant.scales.push_back(random.real(0.01, 0.1));
    quant.zero_points.push_back(int32_t(random.between(-20, 20)));
  }
  return quant;
}

Bytes random_contents(Random& random, DType dtype, size_t count, Op op, size_t input) {
  if (random.is_steered()) {
    Random own(uint32_t(random.bits()));
    return random_contents(own, dtype, count, op, input);
  }
  const Domain domain = domain_of(op, input);
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    const bool real = is_float(dtype);
    append_number(bytes, dtype, real ? random_real(random, domain) : 0,
                  real ? 0 : random_integer(random, dtype));
  }
  return bytes;
}

}  // namespace nnrt::test
