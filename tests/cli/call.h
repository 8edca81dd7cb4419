// One call of tilec.
#pragma once

#include <cstdio>
#include <fstream>
#include <string>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "tests/temporary_folder.h"

namespace tw::cli::test {

using Json = nlohmann::json;

struct Answer {
    int exitCode = -1;
    std::string out;
    [[nodiscard]] Json json() const { return Json::parse(out, nullptr, false); }
};

// `command` as a shell would read it; standard error is dropped.
inline Answer shell(const std::string& command)
{
    Answer answer;
    FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        answer.out.append(buffer, n);
    const int status = ::pclose(pipe);
    answer.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return answer;
}

// tilec's file as a word of a shell's command, whatever the folder is called.
#define TW_QUOTED_TILEC "'" TW_TILEC "'"

inline Answer tilec(const std::string& arguments, const std::string& before = "") { return shell(before + TW_QUOTED_TILEC " " + arguments); }

// A file in a folder of its own, removed with the object.
class TemporaryFile {
public:
    TemporaryFile(const std::string& name, const std::string& text) : path_(folder_.file(name)) { std::ofstream(path_, std::ios::binary) << text; }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string folder() const { return folder_.path().string(); }

private:
    tw::test::TemporaryFolder folder_;
    std::string path_;
};

inline constexpr const char* kAdd = R"(import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def add(n, block=64, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=block) as b:
            for i in T.Parallel(block):
                C[b * block + i] = A[b * block + i] + B[b * block + i]
    return main


if __name__ == "__main__":
    kernel = add(1000)
)";

}  // namespace tw::cli::test
