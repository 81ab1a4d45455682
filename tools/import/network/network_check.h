// Validation common to all network readers.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string_view>

namespace nnrt::import {

// Bytes per element; 0 for an invalid dtype.
size_t element_size(OH_NN_DataType type);
// "FLOAT32"
std::string_view type_name(OH_NN_DataType type);

// Fails if a dimension is negative or the product overflows.
Result<size_t> element_count(const Shape& shape);
Result<size_t> byte_count(OH_NN_DataType type, const Shape& shape);

// OH_NN cannot declare a dimension of 0, so it becomes -1 and is inferred as 0 at run time. An empty constant
// becomes the result of an operation.
void open_empty_dimensions(Network& network);

// Checks that tensor numbers are valid, constants match their shapes, and operations only read tensors
// written before them.
Status check(const Network& network);

// Reports a violation of the runtime's rules as an error of the file, not of the caller.
inline Error of_file(Error error) {
  if (error.code == Code::invalid_parameter) error.code = Code::invalid_file;
  return error;
}

// Fails with one sentence listing `operators` ("WHILE (operator 12)") unless the list is empty.
Status refuse(std::span<const std::string> operators);

}  // namespace nnrt::import
