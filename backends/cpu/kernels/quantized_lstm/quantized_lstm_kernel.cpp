#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/quantized_lstm/fixed_point.h"
#include "backends/cpu/kernels/quantized_lstm/quantized_lstm_kernels.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

enum Gate : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate, kGates };
// Input numbers; for lists, that of the first gate.
constexpr size_t kWeights = 1, kRecurrent = 5, kPeephole = 9, kBias = 12, kProjection = 16,
                 kProjectionBias = 17, kHx = 18, kCx = 19, kNorm = 20, kInputs = 24;
constexpr int kGateBits = 3;         // integer bits of a gate function's argument
constexpr double kGateScale = 4096;  // 1 / its scale

int64_t dot(const int8_t* values, int32_t zero_point, const int8_t* weights, int64_t count) {
  int64_t sum = 0;
  for (int64_t k = 0; k < count; ++k) sum += int64_t{values[k] - zero_point} * weights[k];
  return sum;
}

// The cell of one batch row.
class Cell {
 public:
  explicit Cell(const KernelArgs& args)
      : args_(args),
        inputs_(args.node.shape()[1]),
        units_(args.node.shape(kCx)[1]),
        outputs_(args.node.shape(kHx)[1]),
        state_exponent_(int(std::lround(std::log2(scale_of(kCx))))) {
    is_there_.fill(true);
    const Attrs& attrs = args.node.attrs();
    if (attrs.has(Attr::omitted))
      for (const int64_t i : attrs.integers(Attr::omitted)) is_there_[size_t(i)] = false;
    hidden_scale_ = attrs.real(Attr::hidden_scale);
    hidden_zero_point_ = attrs.integer(Attr::hidden_zero_point);
    for (size_t gate = 0; gate < kGates; ++gate)
      set_factors(Gate(gate), attrs.floats(Attr::gate_scales)[gate]);
    set_clips(attrs);
  }

  void compute(int64_t batch) const {
    const int16_t* const before = args_.input<int16_t>(kCx) + batch * units_;
    int16_t* const state = args_.output<int16_t>(1) + batch * units_;
    const std::vector<int16_t> forget = sigmoids(gate_sums(kForgetGate, batch, before));
    const std::vector<int16_t> input =
        is_there_[kWeights] ? sigmoids(gate_sums(kInputGate, batch, before)) : complements(forget);
    const std::vector<int16_t> update = gate_sums(kCellGate, batch, before);
    for (size_t u = 0; u < size_t(units_); ++u) {
      const int64_t added = int64_t{input[u]} * tanh_q15(update[u], kGateBits);
      const int64_t sum =
          rounded_shift(int64_t{forget[u]} * before[u], 15) + rounded_shift(added, 30 + state_exponent_);
      state[u] = int16_t(std::clamp<int64_t>(saturated<int16_t>(sum), -cell_clip_, cell_clip_));
    }
    const std::vector<int16_t> output = sigmoids(gate_sums(kOutputGate, batch, state));
    std::vector<int8_t> hidden(static_cast<size_t>(units_));
    const Multiplier factor = multiplier_of(0x1p-30 / hidden_scale_);
    for (size_t u = 0; u < hidden.size(); ++u) {
      const int64_t product = int64_t{output[u]} * tanh_q15(state[u], 15 + state_exponent_);
      hidden[u] = saturated<int8_t>(int64_t{multiply(product, factor)} - hidden_zero_point_);
    }
    store(hidden, batch);
  }

 private:
  struct Factors {
    Multiplier input, recurrent, peephole, norm;
  };

  double scale_of(size_t input) const { return affine_of(args_.node.input(input)).scale; }
  int32_t zero_point_of(size_t input) const { return affine_of(args_.node.input(input)).zero_point; }

  // The peephole of a gate; the cell gate has none.
  static size_t peephole_of(Gate gate) { return gate == kOutputGate ? kPeephole + 2 : kPeephole + gate; }
  bool peeps(Gate gate) const { return gate != kCellGate && is_there_[peephole_of(gate)]; }

  void set_factors(Gate gate, double scale) {
    if (gate == kInputGate && !is_there_[kWeights]) return;
    Factors& factors = factors_[gate];
    factors.input = multiplier_of(scale_of(kWeights + gate) * scale_of(0) / scale);
    factors.recurrent = multiplier_of(scale_of(kRecurrent + gate) * scale_of(kHx) / scale);
    if (peeps(gate)) factors.peephole = multiplier_of(scale_of(kCx) * scale_of(peephole_of(gate)) / scale);
    if (is_there_[kNorm + gate]) factors.norm = multiplier_of(scale_of(kNorm + gate) * kGateScale);
  }

  void set_clips(const Attrs& attrs) {
    const double cell = attrs.real(Attr::cell_clip), projection = attrs.real(Attr::proj_clip);
    const auto steps = [](double clip, double scale, int64_t all) {
      return clip > 0 && clip / scale < double(all) ? int64_t(clip / scale) : all;
    };
    cell_clip_ = steps(cell, scale_of(kCx), -int64_t{INT16_MIN});
    if (is_there_[kProjection])
      projection_clip_ = steps(projection, scale_of(kProjection), -int64_t{INT8_MIN});
  }

  // Arguments of the gate's function, one per unit.
  std::vector<int16_t> gate_sums(Gate gate, int64_t batch, const int16_t* state) const {
    const Factors& factors = factors_[gate];
    const int8_t* const x = args_.input<int8_t>(0) + batch * inputs_;
    const int8_t* const h = args_.input<int8_t>(kHx) + batch * outputs_;
    std::vector<int16_t> sums(static_cast<size_t>(units_));
    for (int64_t unit = 0; unit < units_; ++unit) {
      const int8_t* const weights = args_.input<int8_t>(kWeights + gate) + unit * inputs_;
      const int8_t* const recurrent = args_.input<int8_t>(kRecurrent + gate) + unit * outputs_;
      int16_t& sum = sums[size_t(unit)];
      sum = saturated<int16_t>(multiply(dot(x, zero_point_of(0), weights, inputs_), factors.input));
      const int64_t back = dot(h, zero_point_of(kHx), recurrent, outputs_);
      sum = saturated<int16_t>(int64_t{sum} + multiply(back, factors.recurrent));
      if (!peeps(gate)) continue;
      const int64_t peek = int64_t{args_.input<int16_t>(peephole_of(gate))[unit]} * state[unit];
      sum = saturated<int16_t>(int64_t{sum} + multiply(peek, factors.peephole));
    }
    if (is_there_[kNorm + gate]) normalize(gate, sums);
    return sums;
  }

  // Normalizes to mean 0 and variance 1, times the norm weights, plus the bias.
  void normalize(Gate gate, std::vector<int16_t>& sums) const {
    constexpr int64_t kOne = 1024, kSquare = kOne * kOne;
    constexpr double kMinScale = 1e-4;
    const auto count = int64_t(sums.size());
    int64_t sum = 0, squares = 0;
    for (const int64_t x : sums) {
      sum += x;
      squares += x * x;
    }
    const int64_t mean = kOne * sum / count;
    int64_t variance = (squares * (kSquare / count) - mean * mean) / kSquare;
    if (variance < 1) variance = scale_of(kNorm + gate) < kMinScale ? 0 : 1;
    const Multiplier root = inverse_root(saturated<int32_t>(variance));
    const int16_t* const weights = args_.input<int16_t>(kNorm + gate);
    const int32_t* const bias = args_.input<int32_t>(kBias + gate);
    for (size_t u = 0; u < sums.size(); ++u) {
      const int64_t value = int64_t{multiply(kOne * sums[u] - mean, root)} * weights[u] + bias[u];
      const int64_t rounded = (value + (value < 0 ? -kOne / 2 : kOne / 2)) / kOne;
      sums[u] = saturated<int16_t>(multiply(rounded, factors_[gate].norm));
    }
  }

  static std::vector<int16_t> sigmoids(std::vector<int16_t> values) {
    for (int16_t& x : values) x = sigmoid_q15(x, kGateBits);
    return values;
  }

  // The input gate if it is coupled to the forget gate.
  static std::vector<int16_t> complements(std::vector<int16_t> values) {
    for (int16_t& x : values) x = int16_t(INT16_MAX - x);
    return values;
  }

  // To both outputs.
  void store(const std::vector<int8_t>& hidden, int64_t batch) const {
    int8_t* const y = args_.output<int8_t>(0) + batch * outputs_;
    if (is_there_[kProjection]) {
      project(hidden, y);
    } else {
      std::ranges::copy(hidden, y);
    }
    std::copy_n(y, outputs_, args_.output<int8_t>(2) + batch * outputs_);
  }

  void project(const std::vector<int8_t>& hidden, int8_t* y) const {
    const Multiplier factor = multiplier_of(scale_of(kProjection) * hidden_scale_ / scale_of(kHx));
    for (int64_t i = 0; i < outputs_; ++i) {
      const int8_t* const weights = args_.input<int8_t>(kProjection) + i * units_;
      int64_t sum = dot(hidden.data(), int32_t(-hidden_zero_point_), weights, units_);
      if (is_there_[kProjectionBias]) sum += args_.input<int32_t>(kProjectionBias)[i];
      const auto value = saturated<int8_t>(int64_t{multiply(sum, factor)} + zero_point_of(kHx));
      y[i] = int8_t(std::clamp<int64_t>(value, -projection_clip_, projection_clip_));
    }
  }

  const KernelArgs& args_;
  int64_t inputs_, units_, outputs_;
  int state_exponent_;
  std::array<bool, kInputs> is_there_{};
  std::array<Factors, kGates> factors_;
  double hidden_scale_ = 1;
  int64_t hidden_zero_point_ = 0, cell_clip_ = 0, projection_clip_ = 0;
};

}  // namespace

Status quantized_lstm(const KernelArgs& args) {
  const Cell cell(args);
  args.pool.parallel_for(args.node.shape()[0], 1, [&](int64_t begin, int64_t end) {
    for (int64_t batch = begin; batch < end; ++batch) cell.compute(batch);
  });
  return {};
}

}  // namespace nnrt::cpu
