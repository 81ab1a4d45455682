// Builds a C API model from a network.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nn_handles.h"

namespace nnrt::import {

// Returns a finished model. Operation i is network.operations[i]; inputs and outputs keep the network's
// order. Errors name the operation's origin and give the reason.
Result<ModelHandle> make_model(const Network& network);

// The API's description of the tensor, constants included.
Result<TensorDescHandle> make_description(const Tensor& tensor);

// Drops the contents of large constants once nothing but explain() uses the network, so that they are in
// memory only as the runtime stores them. make_model() then fails, and other accesses crash.
void release_constants(Network& network);

// Extends the error of a failed Build with the origins of operations that no device supports.
Error explain(Error error, const Network& network);

}  // namespace nnrt::import
