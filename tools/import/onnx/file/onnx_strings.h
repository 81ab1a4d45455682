// The strings of a model's constants.
#pragma once

#include "tools/import/network/network.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace nnrt::import::onnx {

// OH_NN has no strings: a tensor of strings holds their numbers, as INT64. Equal strings have equal numbers.
class Strings {
 public:
  int64_t number_of(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, static_cast<int64_t>(texts_.size()));
    if (is_new) texts_.push_back(&found->first);
    return found->second;
  }
  const std::string& text(int64_t number) const { return *texts_[static_cast<size_t>(number)]; }

  void mark(TensorId id) { tensors_.insert(id); }
  bool is_marked(TensorId id) const { return tensors_.contains(id); }

 private:
  std::unordered_map<std::string, int64_t> numbers_;
  std::vector<const std::string*> texts_;  // keys of `numbers_`
  std::unordered_set<TensorId> tensors_;
};

}  // namespace nnrt::import::onnx
