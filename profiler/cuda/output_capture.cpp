#include "profiler/cuda/output_capture.h"

#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tw::cuda {

OutputCapture::OutputCapture()
{
    file_ = ::memfd_create("kernel output", MFD_CLOEXEC);
    if (file_ < 0)
        return;
    std::fflush(stdout);
    saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(file_, STDOUT_FILENO);
}

OutputCapture::~OutputCapture()
{
    restore();
    if (file_ >= 0)
        ::close(file_);
}

void OutputCapture::restore()
{
    if (saved_ < 0)
        return;
    std::fflush(stdout);
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
    saved_ = -1;
}

std::string OutputCapture::take()
{
    restore();
    std::string out;
    char buffer[1 << 14];
    if (file_ < 0 || ::lseek(file_, 0, SEEK_SET) < 0)
        return out;
    for (ssize_t n = 0; (n = ::read(file_, buffer, sizeof buffer)) > 0;)
        out.append(buffer, static_cast<std::size_t>(n));
    return out;
}

}  // namespace tw::cuda
