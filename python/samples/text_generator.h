// Text of a language model, as `nnrt generate` writes it.
#pragma once

#include "tools/nnrt/generate/text_model.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::python {

struct TextRequest {
  std::string model, prompt, device;  // a file or folder; the device's id
  std::string tokenizer;              // empty: the one beside the model, else bytes
  uint32_t tokens = 0;
  std::vector<std::string> stops;
  std::optional<double> temperature, top_p;  // empty: as the model's files say
  std::optional<uint32_t> top_k;
  uint64_t seed = 0;
};

// The functions throw a Failure.
class TextGenerator {
 public:
  // Builds the model and reads the prompt.
  explicit TextGenerator(const TextRequest& request);

  // The next piece, which may be empty or end within a character; nothing at the end.
  std::optional<std::string> next();

 private:
  std::unique_ptr<const tool::Executable> executable_;
  std::optional<tool::TextModel> model_;
};

}  // namespace nnrt::python
