// A decoder of a language model: one token a run, with a state (the keys and values of all tokens before)
// that a run reads and writes.
#pragma once

#include "tools/nnrt/session/executable.h"

#include <array>

namespace nnrt::tool {

// The model's inputs are the token, the position (both integers of one element) and the state's tensors; its
// outputs are the logits and the state's tensors as they are after the token. The dimension of a state's
// tensor before the last counts positions.
class Decoder {
 public:
  static Result<Decoder> create(const Executable& executable);

  // Positions that the state has room for.
  int64_t capacity() const { return capacity_; }
  // The number of tokens that the model knows.
  int64_t vocabulary() const {
    const Shape& logits = executable_->outputs()[0].shape;
    return logits.empty() ? 1 : logits.back();
  }
  // Takes over the state of `count` tokens from a model that read them at once; its tensors have room for
  // these alone. Copies them.
  Status restore(std::span<const Array> state, int64_t count);
  // Runs the model with the token at that position. The logits are valid until the next step. No byte of the
  // state is copied: what one run writes, the next reads.
  Result<std::span<const float>> step(int64_t token, int64_t position);

 private:
  using Tensors = std::vector<import::TensorHandle>;

  Status find_inputs();
  Status make_tensors();
  std::vector<NN_Tensor*> inputs() const;
  std::vector<NN_Tensor*> outputs() const;

  const Executable* executable_ = nullptr;
  import::ExecutorHandle executor_;
  std::vector<size_t> numbers_,
      state_;  // the inputs that are token and position, and those that are the state
  Tensors number_tensors_;
  import::TensorHandle logits_;
  bool is_in_place_ = false;       // a run writes the state over that which it reads
  std::array<Tensors, 2> states_;  // else the one is read while the other is written
  size_t now_ = 0;                 // the one that the next run reads
  int64_t capacity_ = 0;
};

// The last row of logits that a model computed for several tokens: [1, tokens, vocabulary].
Result<std::vector<float>> last_logits(const Array& logits);

}  // namespace nnrt::tool
