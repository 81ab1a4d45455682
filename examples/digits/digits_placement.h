// Shows which device and kernel compute each operation.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

// Receives the report of the extension config "nnrt.placement".
class Placement {
 public:
  Placement();
  // The value of the config. The file has no name and ends with this object.
  std::string path() const;
  // Prints operation, device and kernel, or the full report with the reasons for each choice.
  void print(bool verbose) const;

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Closer> file_;
};
