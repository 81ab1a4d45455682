#include "backends/vulkan/lower/data_movement/fused_copies.h"

#include <algorithm>
#include <array>
#include <limits>

namespace nnrt::vulkan {
namespace {

// Writes a tensor index as mixed-radix digits, so that a part is a range per digit. Each digit counts
// `stride`s; the last one counts elements.
struct Digit {
  int64_t stride = 1;
  int64_t low = 0, high = 0;
  int64_t from = 0;  // stride in the source
};

int64_t radix(const std::vector<Digit>& digits, size_t k) {
  return k == 0 ? std::numeric_limits<int64_t>::max() : digits[k - 1].stride / digits[k].stride;
}

std::optional<std::vector<Digit>> digits_of(const CopyRegion& part) {
  std::vector<Digit> digits;
  int64_t rest = part.to_offset;
  for (size_t d = 0; d < part.shape.size(); ++d) {
    const int64_t stride = part.to_strides[d];
    if (d > 0 && part.to_strides[d - 1] % stride != 0) return std::nullopt;
    digits.push_back({stride, rest / stride, rest / stride + part.shape[d], part.from_strides[d]});
    if (digits.back().high > radix(digits, d)) return std::nullopt;
    rest %= stride;
  }
  if (digits.back().stride > 1) digits.push_back({1, rest, rest + 1, 0});
  return digits;
}

// Splits a digit so that one has exactly this stride; false if the part is then no longer a range per digit.
bool refine(std::vector<Digit>& digits, int64_t stride) {
  const auto found = std::ranges::find_if(digits, [&](const Digit& digit) { return digit.stride <= stride; });
  if (found->stride == stride) return true;
  const int64_t step = stride / found->stride;
  if (stride % found->stride != 0) return false;
  if (found != digits.begin() && std::prev(found)->stride % stride != 0) return false;
  const Digit outer{stride, found->low / step, (found->high - 1) / step + 1, found->from * step};
  if (outer.high - outer.low == 1) {
    found->low -= outer.low * step;
    found->high -= outer.low * step;
  } else if (found->low % step != 0 || found->high % step != 0) {
    return false;
  } else {
    found->low = 0;
    found->high = step;
  }
  digits.insert(found, outer);
  return true;
}

// A dimension of the reading region, which iterates over digit `digit`.
struct Dim {
  int64_t count = 1, to = 0;
  size_t digit = 0;
};

// The region's dimensions, starting at `begin`; splits those that carry into the next digit.
std::optional<std::vector<Dim>> dims_of(const CopyRegion& region, const std::vector<Digit>& digits,
                                        const std::vector<int64_t>& begin) {
  std::vector<Dim> dims;
  std::vector<bool> taken(digits.size());
  for (size_t d = 0; d < region.shape.size(); ++d) {
    int64_t count = region.shape[d], to = region.to_strides[d];
    if (count == 1) continue;
    size_t k = size_t(std::ranges::find(digits, region.from_strides[d], &Digit::stride) - digits.begin());
    const auto place = std::ptrdiff_t(dims.size());
    for (;; --k) {
      const int64_t extent = radix(digits, k);
      const bool fits = begin[k] + count <= extent;
      if (taken[k] || (!fits && (begin[k] != 0 || count % extent != 0))) return std::nullopt;
      taken[k] = true;
      dims.insert(dims.begin() + place, {fits ? count : extent, to, k});
      if (fits) break;
      count /= extent;
      to *= extent;
    }
  }
  return dims;
}

struct Piece {
  std::optional<CopyRegion> region;  // nullopt if they have no index in common
};

// Intersects region and part; nullopt if the result is not a single region.
std::optional<Piece> common(const CopyRegion& region, const CopyRegion& part) {
  std::optional<std::vector<Digit>> digits = digits_of(part);
  if (!digits) return std::nullopt;
  for (size_t d = 0; d < region.shape.size(); ++d) {
    if (region.shape[d] == 1) continue;
    if (region.from_strides[d] <= 0 || !refine(*digits, region.from_strides[d])) return std::nullopt;
  }
  std::vector<int64_t> begin;
  int64_t rest = region.from_offset;
  for (const Digit& digit : *digits) {
    begin.push_back(rest / digit.stride);
    rest %= digit.stride;
  }
  const std::optional<std::vector<Dim>> dims = dims_of(region, *digits, begin);
  if (!dims) return std::nullopt;
  CopyRegion result{.from_offset = part.from_offset, .to_offset = region.to_offset};
  std::vector<bool> walked(digits->size());
  for (const Dim& dim : *dims) {
    const Digit& digit = (*digits)[dim.digit];
    const int64_t at = begin[dim.digit];
    const int64_t low = std::max<int64_t>(0, digit.low - at), high = std::min(dim.count, digit.high - at);
    if (low >= high) return Piece{};
    walked[dim.digit] = true;
    result.from_offset += (at + low - digit.low) * digit.from;
    result.to_offset += low * dim.to;
    result.shape.push_back(high - low);
    result.from_strides.push_back(digit.from);
    result.to_strides.push_back(dim.to);
  }
  for (size_t k = 0; k < digits->size(); ++k) {
    const Digit& digit = (*digits)[k];
    if (walked[k]) continue;
    if (begin[k] < digit.low || begin[k] >= digit.high) return Piece{};
    result.from_offset += (begin[k] - digit.low) * digit.from;
  }
  if (result.shape.empty()) {
    result.shape = {1};
    result.from_strides = result.to_strides = {1};
  }
  Collapsed walk = collapse(result.shape, std::array{result.from_strides, result.to_strides});
  result.shape = std::move(walk.shape);
  result.from_strides = std::move(walk.strides[0]);
  result.to_strides = std::move(walk.strides[1]);
  return Piece{result};
}

}  // namespace

std::optional<std::vector<CopiedRegion>> through(const CopyRegion& region,
                                                 std::span<const CopiedRegion> parts) {
  std::vector<CopiedRegion> found;
  int64_t missing = product(region.shape, 0, region.shape.size());
  for (const CopiedRegion& part : parts) {
    const std::optional<Piece> piece = common(region, part.region);
    if (!piece) return std::nullopt;
    if (!piece->region) continue;
    missing -= product(piece->region->shape, 0, piece->region->shape.size());
    found.push_back({part.source, *piece->region});
  }
  return missing == 0 ? std::optional(found) : std::nullopt;
}

}  // namespace nnrt::vulkan
