// Text to the numbers that a language model reads, and back.
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

  // Fails where the tokenizer has no tokens for a part of the text.
  virtual Result<Tokens> encode(std::string_view text) const = 0;
  // The bytes of a token, which may be a part of a character; empty where the number is no token's.
  virtual std::string decode(int64_t token) const = 0;
};

// "bytes": each byte is its own number. Else a tokenizer.json, which has byte-level BPE.
Result<std::unique_ptr<Tokenizer>> make_tokenizer(const std::string& choice);

}  // namespace nnrt::tool
