// Turns a TensorFlow Lite model of floats into one of INT8.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"

#include <memory>
#include <span>

namespace nnrt::import {

class TfliteQuantizer final : public ModelQuantizer {
 public:
  // read_quantizer() says what the names are and what fails.
  static Result<TfliteQuantizer> read(const std::string& file, const std::vector<std::string>& float_nodes);

  TfliteQuantizer(TfliteQuantizer&&) noexcept;
  TfliteQuantizer& operator=(TfliteQuantizer&&) noexcept;
  ~TfliteQuantizer() override;

  std::vector<std::string> values() const override;
  std::string float_file() const override;
  uint64_t size() const override;
  Result<QuantizedModel> quantize(const Ranges& ranges) const override;

 private:
  struct State;
  explicit TfliteQuantizer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// with_outputs() of a TensorFlow Lite file.
Result<std::string> with_tflite_outputs(const std::string& file, std::span<const std::string> values);

}  // namespace nnrt::import
