// From a network to a model of NNAPI: the second writer beside tools/import/model_builder.h.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nnapi/nnapi_library.h"

namespace nnrt::import {

using NnapiModelHandle = NnapiHandle<ANeuralNetworksModel>;

// A finished model, whose inputs and outputs are in the network's order. What NNAPI cannot express is refused
// with a sentence that names the operator of the file. `relaxed` allows to compute with half precision.
Result<NnapiModelHandle> make_nnapi_model(const Nnapi& nnapi, const Network& network, bool relaxed = false);

}  // namespace nnrt::import
