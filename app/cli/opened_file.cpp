#include "app/cli/opened_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include <fmt/core.h>

#include "codegen/driver/sibling_files.h"

namespace tw::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostProgram = std::size_t{64} << 20U;  // of a program; core/syntax opens less and says so

std::string readAll(std::istream& in, std::size_t most)
{
    std::string text;
    std::vector<char> part(std::size_t{1} << 16U);
    while (in && text.size() <= most) {  // a device may never end
        in.read(part.data(), static_cast<std::streamsize>(part.size()));
        text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    }
    return text;
}

}  // namespace

tl::expected<std::string, std::string> readFile(const std::string& path, std::size_t most)
{
    if (path == "-")
        return readAll(std::cin, most);
    std::error_code error;
    if (fs::is_directory(path, error))
        return tl::unexpected(fmt::format("{} is a folder", path));
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string text = readAll(in, most);
    if (!in.is_open() || (!in && !in.eof() && text.size() <= most))
        return tl::unexpected(fmt::format("cannot read {}: {}", path, errno ? std::strerror(errno) : "no such file"));
    return text;
}

tl::expected<void, std::string> writeFile(const std::string& path, std::string_view bytes)
{
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const bool isWritten = descriptor >= 0 && writeAll(descriptor, bytes);
    const int error = errno;
    if (descriptor >= 0)
        ::close(descriptor);
    if (!isWritten)
        return tl::unexpected(fmt::format("cannot write {}: {}", path, std::strerror(error)));
    return {};
}

std::unique_ptr<OpenedFile> OpenedFile::open(const Options& options, Report& report, std::stop_token stop)
{
    const std::string& path = options.files.front();
    auto text = readFile(path, kMostProgram);
    if (!text) {
        report.fail(Code::kFile, text.error());
        return nullptr;
    }
    auto file = std::make_unique<OpenedFile>();
    file->options_ = &options;
    file->source_ = std::make_shared<const SourceText>(path == "-" ? "<stdin>" : path, std::move(*text));
    if (path != "-") {
        const fs::path parent = fs::path(path).parent_path();
        file->folder_ = parent.empty() ? "." : parent.string();
    }
    file->siblings_ = std::make_shared<std::map<std::string, std::string>>();
    file->survey_ = driver::compile(file->request({}, static_cast<unsigned>(driver::StageWanted::kSurvey)), std::move(stop));
    if (file->survey_->program)
        report.setSources(file->survey_->program, file->survey_->program->sources());
    report.addAll(file->survey_->diagnostics);
    return file;
}

driver::CompileRequest OpenedFile::request(const staging::TraceRequest& kernel, unsigned stages) const
{
    driver::CompileRequest request;
    request.source = source_;
    request.readSibling = [folder = folder_, siblings = siblings_](const std::string& path) -> std::optional<std::string> {
        if (const auto known = siblings->find(path); known != siblings->end())
            return known->second;
        if (folder.empty())
            return std::nullopt;
        auto text = driver::readSiblingFile(folder, path);
        if (text)
            siblings->emplace(path, *text);
        return text;
    };
    request.kernel = kernel;
    request.target = options_->target;
    request.stages = stages;
    request.previous = survey_;
    return request;
}

protocol::Job OpenedFile::job(const staging::TraceRequest& kernel) const
{
    // A factory may import a sibling when it is called: one trace here reads what the runner will ask for.
    (void)driver::compile(request(kernel, static_cast<unsigned>(driver::StageWanted::kTrace)));
    return {source_->name(), std::string(source_->text()), *siblings_, kernel, options_->target};
}

}  // namespace tw::cli
