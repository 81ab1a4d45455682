#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/kernels/quantized_lstm/fixed_point.h"
#include "backends/cpu/kernels/quantized_lstm/quantized_lstm_kernels.h"

namespace nnrt::cpu {
namespace {

enum Gate : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate, kGates };
constexpr size_t kInputWeights = 1, kRecurrentWeights = 5, kBiases = 9, kCx = 13, kHx = 14;
constexpr int kGateBits = 3, kStateBits = 4;  // integer bits
constexpr double kGateScale = 4096;           // 1 / scale of a gate's sum

class Cell {
 public:
  explicit Cell(const KernelArgs& args)
      : args_(args), inputs_(args.node.shape()[1]), units_(args.node.shape(kRecurrentWeights)[0]) {
    const Affine weights = affine_of(args.node.input(kInputWeights));
    zero_point_ = weights.zero_point;
    scale_ = multiplier_of(kGateScale * affine_of(args.node.input(0)).scale * weights.scale);
  }

  int64_t units() const { return units_; }

  void compute(int64_t batch, int64_t unit) const {
    const int64_t i = batch * units_ + unit;
    const int64_t input = sigmoid_q15(sum(kInputGate, batch, unit), kGateBits);
    const int64_t forget = sigmoid_q15(sum(kForgetGate, batch, unit), kGateBits);
    const int64_t update = tanh_q15(sum(kCellGate, batch, unit), kGateBits);
    const int64_t output = sigmoid_q15(sum(kOutputGate, batch, unit), kGateBits);
    const int64_t added = rounded_shift(rounded_shift(input * update, 15), kStateBits);
    const auto state = saturated<int16_t>(added + rounded_shift(forget * args_.input<int16_t>(kCx)[i], 15));
    args_.output<int16_t>(0)[i] = state;
    const int64_t hidden = rounded_shift(output * tanh_q15(state, kStateBits), 15);
    args_.output<int8_t>(1)[i] = saturated<int8_t>(rounded_shift(hidden, 8));
  }

 private:
  // Values are the input, then the previous output; weights are those of the previous output, then those of
  // the input. The operator is defined this way: if the lengths differ, the pairs cross over.
  int16_t sum(Gate gate, int64_t batch, int64_t unit) const {
    const int8_t* const x = args_.input<int8_t>(0) + batch * inputs_;
    const int8_t* const h = args_.input<int8_t>(kHx) + batch * units_;
    const int8_t* const of_input = args_.input<int8_t>(kInputWeights + gate) + unit * inputs_;
    const int8_t* const of_output = args_.input<int8_t>(kRecurrentWeights + gate) + unit * units_;
    int64_t total = args_.input<int32_t>(kBiases + gate)[unit];
    for (int64_t k = 0; k < inputs_ + units_; ++k) {
      const int64_t value = int64_t{k < inputs_ ? x[k] : h[k - inputs_]};
      const int64_t weight = int64_t{k < units_ ? of_output[k] : of_input[k - units_]};
      total += value * (weight - zero_point_);
    }
    return saturated<int16_t>(multiply(total, scale_));
  }

  const KernelArgs& args_;
  int64_t inputs_, units_;
  int32_t zero_point_ = 0;
  Multiplier scale_;
};

constexpr KernelRow kQuantizedLstmKernels[] = {{Op::quantized_16bit_lstm, quantized_16bit_lstm},
                                               {Op::quantized_lstm, quantized_lstm}};

}  // namespace

Status quantized_16bit_lstm(const KernelArgs& args) {
  const Cell cell(args);
  args.pool.parallel_for(args.node.shape()[0] * cell.units(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) cell.compute(i / cell.units(), i % cell.units());
  });
  return {};
}

std::span<const KernelRow> quantized_lstm_kernels() { return kQuantizedLstmKernels; }

}  // namespace nnrt::cpu
