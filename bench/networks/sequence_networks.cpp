// Sequence networks: BERT-base, one BERT layer, GPT-2 small, one decoding step of it, an LSTM. Transformers
// take embeddings as input.
#include "networks/network_stack.h"

#include <cmath>
#include <utility>

namespace bench {
namespace {

constexpr int32_t kHead = 64;  // width of a head

struct Transformer {
  int32_t length, heads;
  int32_t past = 0;  // earlier positions, whose keys and values are network inputs

  explicit Transformer(const Scale& scale, int32_t full_length = 128)
      : length(scale.divisor == 1 ? full_length : 16), heads(12 / (scale.divisor == 1 ? 1 : 6)) {}
  int32_t width() const { return heads * kHead; }
  int32_t layers(const Scale& scale) const { return scale.divisor == 1 ? 12 : 2; }
};

// [length, width] as [heads, length, kHead].
Value split_heads(Stack& stack, const Transformer& sizes) {
  stack.reshape({sizes.length, sizes.heads, kHead});
  stack.transpose({1, 0, 2});
  return stack.top();
}

// Queries are on top.
void attend(Stack& stack, const Transformer& sizes, const Value& keys, const Value& values, bool causal) {
  stack.matmul(keys, true);
  stack.scale(1 / std::sqrt(float(kHead)));
  if (causal) stack.mask_future();
  stack.softmax();
  stack.matmul(values, false);
  stack.transpose({1, 0, 2});
  stack.reshape({sizes.length, sizes.width()});
  stack.fully_connected(sizes.width());
}

void feed_forward(Stack& stack, const Transformer& sizes) {
  stack.fully_connected(4 * sizes.width());
  stack.unary(OH_NN_OPS_GELU);
  stack.fully_connected(sizes.width());
}

// Post-norm, with three separate products for keys, values and queries.
void add_bert_layer(Stack& stack, const Transformer& sizes) {
  const Value from = stack.top();
  const auto project = [&] {
    stack.back_to(from);
    stack.fully_connected(sizes.width());
    return split_heads(stack, sizes);
  };
  const Value values = project(), keys = project();
  project();
  attend(stack, sizes, keys, values, false);
  stack.add(from);
  stack.layer_norm();
  const Value attended = stack.top();
  feed_forward(stack, sizes);
  stack.add(attended);
  stack.layer_norm();
}

// Pre-norm, with one product for keys, values and queries.
void add_gpt2_layer(Stack& stack, const Transformer& sizes) {
  const Value from = stack.top();
  stack.layer_norm();
  stack.fully_connected(3 * sizes.width());
  const std::vector<Value> parts = stack.split_channels(3);
  const auto part = [&](size_t i) {
    stack.back_to(parts[i]);
    split_heads(stack, sizes);
    if (sizes.past > 0 && i > 0) stack.append_to_state(1, sizes.past);
    return stack.top();
  };
  const Value values = part(2), keys = part(1);
  part(0);
  attend(stack, sizes, keys, values, sizes.past == 0);
  stack.add(from);
  const Value attended = stack.top();
  stack.layer_norm();
  feed_forward(stack, sizes);
  stack.add(attended);
}

conformance::Case gpt2(const char* name, const Scale& scale, const Transformer& sizes) {
  Stack stack(name, scale, {sizes.length, sizes.width()});
  for (int32_t i = 0; i < sizes.layers(scale); ++i) add_gpt2_layer(stack, sizes);
  stack.layer_norm();
  return stack.finish();
}

}  // namespace

conformance::Case bert_layer(const Scale& scale) {
  const Transformer sizes(scale);
  Stack stack("bert_layer", scale, {sizes.length, sizes.width()});
  add_bert_layer(stack, sizes);
  return stack.finish();
}

conformance::Case bert_base(const Scale& scale) {
  const Transformer sizes(scale);
  Stack stack("bert_base", scale, {sizes.length, sizes.width()});
  for (int32_t i = 0; i < sizes.layers(scale); ++i) add_bert_layer(stack, sizes);
  return stack.finish();
}

conformance::Case gpt2_small(const Scale& scale) { return gpt2("gpt2_small", scale, Transformer(scale)); }

conformance::Case gpt2_small_64(const Scale& scale) {
  return gpt2("gpt2_small_64", scale, Transformer(scale, 64));
}

conformance::Case gpt2_decode(const Scale& scale) {
  constexpr int32_t kVocabulary = 50257;
  Transformer sizes(scale);
  sizes.past = std::exchange(sizes.length, 1);
  Stack stack("gpt2_decode", scale, {sizes.length, sizes.width()});
  for (int32_t i = 0; i < sizes.layers(scale); ++i) add_gpt2_layer(stack, sizes);
  stack.layer_norm();
  stack.fully_connected(scale.divisor == 1 ? kVocabulary : scale.classes);
  return stack.finish();
}

conformance::Case lstm(const Scale& scale) {
  const int32_t width = 256 / scale.divisor, steps = 32 / scale.divisor;
  Stack stack("lstm", scale, {steps, 1, width});
  stack.lstm(width);
  return stack.finish();
}

}  // namespace bench
