// Parameters of a random node.
#include "tests/support/random/random_node_draft.h"
#include "tests/support/random/random_values.h"

#include <algorithm>

namespace nnrt::test {
namespace {

// A spatial parameter: small, or occasionally as large as attributes and kernels permit.
int64_t spatial_number(Random& random, int64_t min, int64_t max) {
  if (!random.one_in(3)) return random.between(min, max);
  constexpr int64_t kOne = 1;
  return random.of<int64_t>(
      {(kOne << 15) - 1, kOne << 16, (kOne << 30) - 1, kOne << 30, (kOne << 31) - 2, (kOne << 31) - 1});
}

// Values for a parameter that does not depend on shapes.
std::vector<double> numbers_for(Draft& draft, const ParamRow& row) {
  Random& random = draft.random;
  const auto some = [&](int64_t min, int64_t max) {
    std::vector<double> values(std::max<size_t>(row.count.min, 1));
    for (double& value : values) value = double(random.between(min, max));
    return values;
  };
  const auto spatial = [&](int64_t min, int64_t max) {
    std::vector<double> values = some(min, max);
    if (!draft.wild) return values;
    for (double& value : values) value = double(spatial_number(random, min, max));
    return values;
  };
  if (!row.closed_list.empty()) return {double(random.of(row.closed_list))};
  if (row.dtypes == DTypeSet(DType::boolean)) return some(0, 1);
  switch (row.attr) {
    case Attr::axis:
    case Attr::begin_param_axis: return {double(draft.axis(draft.rank()))};
    case Attr::axes: {
      const std::vector<int64_t> axes = draft.axes(draft.rank());
      return {axes.begin(), axes.end()};
    }
    case Attr::kernel: return spatial(1, 5);
    case Attr::stride: return spatial(1, 3);
    case Attr::dilation: return spatial(1, 2);
    case Attr::new_height:
    case Attr::new_width: return some(1, 17);
    case Attr::pad: return spatial(0, 1);
    case Attr::output_padding:
    case Attr::keep_dims:
    case Attr::exclude_outside: return some(0, 1);
    case Attr::radius: return some(0, 3);
    case Attr::base: return random.of<std::vector<double>>({{-1}, {2}, {10}});
    case Attr::epsilon: return random.of<std::vector<double>>({{1e-3}, {1e-2}});
    default: return {random.of<double>({0, 0.5, 1})};
  }
}

Tensor param_of(Draft& draft, const ParamRow& row, const std::vector<double>& numbers) {
  Tensor tensor;
  tensor.role = row.type();
  tensor.dtype = draft.random.of(members(row.dtypes));
  tensor.shape = {int64_t(numbers.size())};
  if (row.rank == 2) tensor.shape = {2, int64_t(numbers.size()) / 2};
  Bytes bytes;
  for (const double number : numbers) append_number(bytes, tensor.dtype, number, int64_t(number));
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return tensor;
}

}  // namespace

std::vector<Tensor> draw_params(Draft& draft) {
  std::vector<Tensor> params;
  for (const ParamRow& row : draft.row.params) {
    const auto decided = draft.attrs.find(row.attr);
    const bool open = decided == draft.attrs.end();
    // Without its epsilon, a variance near 0 amplifies rounding beyond any tolerance.
    const bool given = row.required || row.attr == Attr::epsilon || !draft.random.one_in(3);
    if (open ? !given : decided->second.empty()) continue;
    params.push_back(param_of(draft, row, open ? numbers_for(draft, row) : decided->second));
  }
  draft.random.shuffle(params);
  return params;
}

}  // namespace nnrt::test
