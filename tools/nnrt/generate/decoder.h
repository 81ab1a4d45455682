// The decoder of a language model: each run reads tokens and updates the state (KV cache).
#pragma once

#include "tools/nnrt/generate/decoder_form.h"
#include "tools/nnrt/session/executable.h"

#include <algorithm>
#include <array>

namespace nnrt::tool {

// The state is not copied between runs: each run reads what the previous one wrote.
class Decoder {
 public:
  static Result<Decoder> create(const Executable& executable);

  // Number of positions in the state; the largest number if it grows.
  int64_t capacity() const { return capacity_; }
  void limit(int64_t positions) { capacity_ = std::min(capacity_, positions); }
  // Number of tokens read so far.
  int64_t position() const { return position_; }
  // Vocabulary size; 0 if the model does not tell.
  int64_t vocabulary() const;
  // Makes room in a state that grows, and keeps its contents.
  Status reserve(int64_t positions);
  // Forgets all tokens.
  Status reset();
  // Copies the state of `count` tokens from a prefill model, whose state tensors have exactly that many
  // positions.
  Status restore(std::span<const Array> state, int64_t count);
  // Reads the next tokens. Returns the logits of the last, which are valid until the next call.
  Result<std::span<const float>> read(std::span<const int64_t> tokens);

 private:
  using Tensors = std::vector<import::TensorHandle>;

  Status make_tensors();
  Status make_states(int64_t positions);
  Status run(std::span<const int64_t> tokens);
  Status fill(size_t input, std::span<const int64_t> tokens);
  const import::Tensor& input_of(const DecoderForm::State& state) const {
    return executable_->inputs()[state.input];
  }

  const Executable* executable_ = nullptr;
  import::ExecutorHandle executor_;
  DecoderForm form_;
  Tensors inputs_, outputs_;       // null where a state is
  bool is_in_place_ = false;       // runs update the state in place
  bool grows_ = false;             // runs append to the state
  std::array<Tensors, 2> states_;  // double-buffered unless in place
  size_t now_ = 0;                 // index of the state the next run reads
  size_t most_tokens_ = 1;         // of a run
  int64_t capacity_ = 0, room_ = 0, position_ = 0;
  std::vector<float> logits_;
};

// The last row of logits of shape [1, tokens, vocabulary].
Result<std::vector<float>> last_logits(OH_NN_DataType type, const Shape& shape, const void* logits);

}  // namespace nnrt::tool
