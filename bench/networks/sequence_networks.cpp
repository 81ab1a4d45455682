// Networks over sequences: a layer of BERT-base, an LSTM.
#include "networks/network_stack.h"

#include <cmath>

namespace bench {

conformance::Case bert_layer(const Scale& scale) {
  constexpr int32_t kHead = 64;
  const int32_t length = scale.divisor == 1 ? 128 : 16;
  const int32_t heads = 12 / (scale.divisor == 1 ? 1 : 6);
  const int32_t width = heads * kHead;
  Stack stack("bert_layer", scale, {length, width});
  const Value from = stack.top();
  const auto project = [&] {
    stack.back_to(from);
    stack.fully_connected(width);
    stack.reshape({length, heads, kHead});
    stack.transpose({1, 0, 2});
    return stack.top();
  };
  const Value values = project(), keys = project();
  project();
  stack.matmul(keys, true);
  stack.scale(1 / std::sqrt(float(kHead)));
  stack.softmax();
  stack.matmul(values, false);
  stack.transpose({1, 0, 2});
  stack.reshape({length, width});
  stack.fully_connected(width);
  stack.add(from);
  stack.layer_norm();
  const Value attended = stack.top();
  stack.fully_connected(4 * width);
  stack.unary(OH_NN_OPS_GELU);
  stack.fully_connected(width);
  stack.add(attended);
  stack.layer_norm();
  return stack.finish();
}

conformance::Case lstm(const Scale& scale) {
  const int32_t width = 256 / scale.divisor, steps = 32 / scale.divisor;
  Stack stack("lstm", scale, {steps, 1, width});
  stack.lstm(width);
  return stack.finish();
}

}  // namespace bench
