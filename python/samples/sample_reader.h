// The inputs of runs from files, as `nnrt run` and `nnrt accuracy` read them.
#pragma once

#include "tools/nnrt/base/array.h"
#include "tools/nnrt/image/image.h"

#include <string>
#include <utility>
#include <vector>

namespace nnrt::python {

// The functions below throw a Failure.
class SampleReader {
 public:
  // `mean` and `scale` as in the options of `nnrt run`; empty for the default.
  SampleReader(std::vector<nnrt::import::Tensor> inputs, const std::string& mean, const std::string& scale);

  // The inputs of one run, in order. A model with several inputs needs a folder with a file per input, an
  // archive (.npz) or a case (.jsonl).
  std::vector<tool::Array> read(const std::string& path) const;

 private:
  void check_complete(const std::string& path) const;

  std::vector<nnrt::import::Tensor> inputs_;
  std::vector<std::string> mean_, scale_;
};

// Images, as the tool reads them.
tool::Image read_image(const std::string& path, int channels);
tool::Image parse_image(const std::string& file, int channels);
tool::Array pixels_of(const tool::Image& image);  // UINT8: rows, columns, channels
tool::ImageLayout layout_of(const nnrt::import::Tensor& tensor);
// Resized to the tensor, in its layout and type.
tool::Array image_tensor(const tool::Image& image, const nnrt::import::Tensor& tensor,
                         const tool::Normalization& normalization);

using NamedArrays = std::vector<std::pair<std::string, tool::Array>>;

// A .npy file of a single array, a .npz archive of several.
std::string file_of(const NamedArrays& arrays);

}  // namespace nnrt::python
