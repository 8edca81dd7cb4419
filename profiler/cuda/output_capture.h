// What kernels print.
#pragma once

#include <string>

namespace tw::cuda {

// Takes what is written to this process's standard output while it lives: the driver prints a kernel's printf there when it
// next waits for the GPU. One at a time in a process. Where no memory file can be made, output stays where it was.
class OutputCapture {
public:
    OutputCapture();
    ~OutputCapture();
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;

    // Ends the capture and gives what came.
    [[nodiscard]] std::string take();

private:
    void restore();

    int file_ = -1, saved_ = -1;
};

}  // namespace tw::cuda
