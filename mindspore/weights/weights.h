// Decodes the packed and compressed constants of MindSpore Lite models.
#pragma once

#include "core/base/bytes.h"
#include "core/base/dtype.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nnrt::mindspore {

// WeightQuantCompressType of the file.
enum class Compression : int32_t { none, indexing, sparse, fse, bit_packing, fse_int, fse_infer };

// Channels of a tensor: element i belongs to channel i / inner % count.
struct Channels {
  size_t count = 1, inner = 1;

  size_t of(size_t element) const { return element / inner % count; }
};

// A constant as stored in a file.
struct StoredWeights {
  ByteView data;
  DType type =
      DType::unknown;  // of the decoded elements, except that FSE and codebooks may decode to FLOAT32
  size_t count = 0;    // elements; the caller limits them
  Compression compression = Compression::none;
  int32_t bits = 0;                      // per code, from the first quantization entry; 0 if there is none
  std::span<const float> codebook = {};  // k-means: value = codebook[code + 128]
  std::span<const int32_t> zero_points = {};  // one, or one per channel
  Channels channels = {};
};

struct DecodedWeights {
  DType type = DType::unknown;
  Bytes bytes;
};

// Undoes all encodings except quantization. Never reads outside of `data`.
Result<DecodedWeights> decode(const StoredWeights& stored);

}  // namespace nnrt::mindspore
