#include "tests/support/random/random_plans.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

void lstm_16bit(Draft& d) {
  const int64_t batch = d.random.between(1, 3), inputs = d.random.between(1, 5),
                units = d.random.between(1, 5);
  const Quant value{{1.0 / 128}, {0}}, state{{1.0 / 2048}, {0}};
  const Quant weights{{d.random.real(0.001, 0.1)}, {int32_t(d.random.between(-9, 9))}};
  d.shapes = {{batch, inputs}};
  d.shapes.resize(5, {units, inputs});
  d.shapes.resize(9, {units, units});
  d.shapes.resize(13, {units});
  d.shapes.resize(15, {batch, units});
  for (size_t i = 1; i <= 8; ++i) d.quants[i] = weights;
  d.quants[0] = d.quants[14] = d.output_quants[1] = value;
  d.quants[13] = d.output_quants[0] = state;
}

bool is_in(size_t i, std::initializer_list<size_t> list) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

void quantized_lstm(Draft& d) {
  const int64_t batch = d.random.between(1, 3), inputs = d.random.between(1, 5),
                units = d.random.between(1, 5);
  const bool coupled = d.random.one_in(3), peeps = d.random.one_in(2), normalizes = d.random.one_in(2);
  const bool projects = d.random.one_in(2);
  const int64_t outputs = projects ? d.random.between(1, 5) : units;
  d.shapes = {{batch, inputs}};
  d.shapes.resize(5, {units, inputs});
  d.shapes.resize(9, {units, outputs});
  d.shapes.resize(24, {units});
  d.shapes[16] = {outputs, units};
  d.shapes[17] = {outputs};
  d.shapes[18] = {batch, outputs};
  d.shapes[19] = {batch, units};
  std::vector<int64_t> omitted;
  for (size_t i = 0; i < d.shapes.size(); ++i) {
    const bool is_there = !(coupled && is_in(i, {1, 5, 9, 12, 20})) && (peeps || !is_in(i, {9, 10, 11})) &&
                          (normalizes || i < 20) && (projects || !is_in(i, {16, 17}));
    d.quants[i] = {{d.random.real(0.0001, 0.1)}, {0}};
    if (is_there) continue;
    omitted.push_back(int64_t(i));
    d.shapes[i] = {1};
  }
  d.quants[19] = {{std::exp2(d.random.between(-15, -9))}, {0}};
  d.output_quants = {{0, d.quants[18]}, {1, d.quants[19]}, {2, d.quants[18]}};
  d.set(Attr::omitted, omitted);
  d.attrs[Attr::gate_scales] = {0.001, 0.002, 0.0015, 0.001};
  d.attrs[Attr::hidden_scale] = {0.01};
  d.set(Attr::hidden_zero_point, {d.random.between(-20, 20)});
}

}  // namespace

std::vector<Plan> quantized_lstm_plans() {
  return {{lstm_16bit, {Op::quantized_16bit_lstm}}, {quantized_lstm, {Op::quantized_lstm}}};
}

}  // namespace nnrt::test
