// The network: [1, 8, 8, 1] gray values 0..16 -> [1, 10] probabilities.
#pragma once

#include "digits_api.h"

#include <string>

Model make_digits_model(const std::string& weights_file);
