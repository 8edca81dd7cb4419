#include "app/cli/stored_run.h"

#include <charconv>

#include <fmt/core.h>

#include "profiler/store/twr.h"

namespace tw::cli {
namespace {

bool isNumber(const std::string& word) { return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos; }

}  // namespace

bool namesRun(const std::string& word) { return isNumber(word) || word == "last" || word.ends_with(".twr"); }

std::string storePath(const Options& options) { return options.store.empty() ? store::defaultStorePath() : options.store; }

tl::expected<capture::Capture, std::string> openRun(const std::string& word, const Options& options)
{
    if (word.ends_with(".twr"))
        return store::readTwr(word);
    std::int64_t id = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), id);
    if (word != "last" && (!isNumber(word) || parsed.ec != std::errc()))
        return tl::unexpected(fmt::format("{} names no run: give the number of a stored run, \"last\", or a .twr file", word));
    const auto store = store::Store::open(storePath(options), store::Access::kRead);
    if (!store)
        return tl::unexpected(store.error());
    if (word != "last")
        return store->load(id);
    const auto newest = store->find({.limit = 1});
    if (!newest)
        return tl::unexpected(newest.error());
    if (newest->empty())
        return tl::unexpected(fmt::format("the store {} has no run", store->path()));
    return store->load(newest->front().id);
}

std::optional<capture::Capture> openBaseline(const std::string& word, const capture::Capture& capture, const Options& options)
{
    if (word.ends_with(".twr"))
        return std::nullopt;
    const auto store = store::Store::open(storePath(options), store::Access::kRead);
    const auto row = store ? store->baselineFor(capture) : store::Result<std::optional<store::RunRow>>(tl::unexpected(store.error()));
    if (!row || !*row || std::to_string((*row)->id) == word)
        return std::nullopt;
    auto baseline = store->load((*row)->id);
    return baseline ? std::optional(std::move(*baseline)) : std::nullopt;
}

}  // namespace tw::cli
