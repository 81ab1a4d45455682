// Checks of every network, whatever it was read from.
#pragma once

#include "tools/import/network/network.h"

#include <span>
#include <string_view>

namespace nnrt::import {

// Bytes of one element; 0 for a number that is no dtype.
size_t element_size(OH_NN_DataType type);
// "FLOAT32"
std::string_view type_name(OH_NN_DataType type);
// "CONV2D"
std::string_view operation_name(OH_NN_OperationType type);

// Fails if a dimension is negative or the product does not fit.
Result<size_t> element_count(const Shape& shape);
Result<size_t> byte_count(OH_NN_DataType type, const Shape& shape);

// Every number of a tensor exists, constants have the bytes of their shapes, and operations read only what is
// there before them.
Status check(const Network& network);

// Makes an error of the runtime's own rules one of the file, not of the reader's caller.
inline Error of_file(Error error) {
  if (error.code == Code::invalid_parameter) error.code = Code::invalid_file;
  return error;
}

// Fails with one sentence that lists `operators` ("WHILE (operator 12)") unless there are none.
Status refuse(std::span<const std::string> operators);

}  // namespace nnrt::import
