// CUDA text to PTX, machine code and SASS, with NVIDIA's compiler opened at run time.
//
// Nothing here needs a GPU or a driver. A compile takes tens to hundreds of milliseconds and may be stopped at any time.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/gpu_c/gpu_program.h"
#include "core/support/diagnostic.h"
#include "core/target/occupancy.h"

namespace tw::nvrtc {

struct KernelResources {
    std::string entry;
    int registers = 0;          // a thread
    std::int64_t spillStores = 0, spillLoads = 0, stackBytes = 0;
    std::int64_t staticSharedBytes = 0;
    target::Occupancy occupancy;
};

struct Compiled {
    std::string ptx;
    std::string cubin;                       // an ELF file
    std::vector<KernelResources> resources;  // in the order of the program's launches, those that the text defines
    std::string log;
};

enum class FailureKind : std::uint8_t {
    kMissing,      // no NVRTC on this machine
    kUnsupported,  // this NVRTC knows no such target
    kCancelled,
    kRejected      // the text does not compile
};
struct Failure {
    FailureKind kind{};
    std::string message;  // one sentence; a remedy where there is one
    std::string log;
};

// Warnings of the compiler are diagnostics: in generated code they are a defect of ours. `sources` gives the source lines that
// the machine code is attributed to; it may be null.
[[nodiscard]] tl::expected<Compiled, Failure> compile(const gpu::GpuProgram& program, const target::Target& target, const SourceSet* sources,
                                                      DiagnosticSink& diagnostics, std::stop_token stop);

// The text as it is compiled: every line of a kernel carries its source line, so that line tables name the user's file.
[[nodiscard]] std::string withLineDirectives(const gpu::GpuProgram& program, const SourceSet* sources);

struct Sass {
    std::string text;
    std::vector<gpu::LineSource> lines;  // lines of `text`
};
// Disassembles a cubin with nvdisasm. Failure kMissing names what to install.
[[nodiscard]] tl::expected<Sass, Failure> disassemble(const std::string& cubin, const gpu::GpuProgram& program, const SourceSet* sources);
// Lines of PTX, attributed by its .loc directives.
[[nodiscard]] std::vector<gpu::LineSource> ptxLines(const std::string& ptx, const gpu::GpuProgram& program, const SourceSet* sources);

// "13.0", or why there is none. For `tilec doctor`.
[[nodiscard]] tl::expected<std::string, std::string> nvrtcVersion();
[[nodiscard]] tl::expected<std::string, std::string> disassemblerPath();

}  // namespace tw::nvrtc
