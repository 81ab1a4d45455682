// The decoder of a language model: each run processes one token and updates the state (KV cache).
#pragma once

#include "tools/nnrt/session/executable.h"

#include <array>

namespace nnrt::tool {

// Model inputs: the token and the position (one integer element each), and the state tensors. Outputs: the
// logits and the updated state tensors. The second to last dimension of a state tensor is the position.
class Decoder {
 public:
  static Result<Decoder> create(const Executable& executable);

  // Number of positions in the state.
  int64_t capacity() const { return capacity_; }
  // Vocabulary size.
  int64_t vocabulary() const {
    const Shape& logits = executable_->outputs()[0].shape;
    return logits.empty() ? 1 : logits.back();
  }
  // Copies the state of `count` tokens from a prefill model, whose state tensors have exactly that many
  // positions.
  Status restore(std::span<const Array> state, int64_t count);
  // Runs the model on one token. The logits are valid until the next step. The state is not copied: each
  // run reads what the previous one wrote.
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
      state_;  // indices of token and position, and of the state inputs
  Tensors number_tensors_;
  import::TensorHandle logits_;
  bool is_in_place_ = false;       // runs update the state in place
  std::array<Tensors, 2> states_;  // otherwise double-buffered
  size_t now_ = 0;                 // index of the state the next run reads
  int64_t capacity_ = 0;
};

// The last row of logits of shape [1, tokens, vocabulary].
Result<std::vector<float>> last_logits(const Array& logits);

}  // namespace nnrt::tool
