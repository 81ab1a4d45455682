// Turns an ONNX model of floats into one of INT8, in ONNX's form QDQ.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"

#include <filesystem>
#include <memory>
#include <span>

namespace nnrt::import {

class OnnxQuantizer final : public ModelQuantizer {
 public:
  // read_quantizer() says what the names are and what fails. `folder` has what the file keeps outside of it.
  static Result<OnnxQuantizer> read(const std::string& file, const std::filesystem::path& folder,
                                    const std::vector<std::string>& float_nodes);

  OnnxQuantizer(OnnxQuantizer&&) noexcept;
  OnnxQuantizer& operator=(OnnxQuantizer&&) noexcept;
  ~OnnxQuantizer() override;

  std::vector<std::string> values() const override;
  std::string float_file() const override;
  uint64_t size() const override;
  Result<QuantizedModel> quantize(const Ranges& ranges) const override;

 private:
  struct State;
  explicit OnnxQuantizer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// with_outputs() of an ONNX file.
Result<std::string> with_onnx_outputs(const std::string& onnx, std::span<const std::string> values);

}  // namespace nnrt::import
