// From a network to a model of the C API.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nn_handles.h"

namespace nnrt::import {

// A finished model. Its operation i is network.operations[i]; its inputs and outputs are in the network's
// order. The error of a call of the API names the operation's origin, and says why.
Result<ModelHandle> make_model(const Network& network);

// A description of the tensor as the API knows it; of a constant too.
Result<TensorDescHandle> make_description(const Tensor& tensor);

// The error of a Build that failed, which then names the operations that no device supports, by their
// origins.
Error explain(Error error, const Network& network);

}  // namespace nnrt::import
