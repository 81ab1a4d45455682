// Converts text to the token ids of a language model, and back.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {

using Tokens = std::vector<int64_t>;

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Fails if the tokenizer has no tokens for a part of the text.
  virtual Result<Tokens> encode(std::string_view text) const = 0;
  // The bytes of a token, possibly an incomplete character; empty for an unknown id.
  virtual std::string decode(int64_t token) const = 0;
};

// "bytes": each byte is a token. Otherwise the path of a tokenizer.json with byte-level BPE.
Result<std::unique_ptr<Tokenizer>> make_tokenizer(const std::string& choice);

}  // namespace nnrt::tool
