// Text and errors for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace nnrt::python {

// Names are bytes; invalid UTF-8 becomes surrogates, as in os.fsdecode.
pybind11::str text_of(const std::string& bytes, const char* errors = "surrogateescape");

// Makes a Failure an nnrt.Error.
void register_errors();

}  // namespace nnrt::python
