// The store of runs: lists, pins baselines, keeps notes and tags, removes.
#include <charconv>

#include <fmt/ranges.h>

#include "app/cli/literal.h"
#include "app/cli/stored_run.h"
#include "app/cli/verbs.h"
#include "profiler/store/salvage.h"

namespace tw::cli {
namespace {

using store::RunRow;

Json rowJson(const RunRow& row)
{
    return {{"run", row.id}, {"created", row.created}, {"file", row.file}, {"kernel", row.kernel}, {"instance", row.instance}, {"target", row.target},
            {"device", row.device}, {"gpu", row.gpu}, {"params", paramsToJson(row.params)}, {"durationUs", number(row.durationUs)},
            {"source", originText(row.origin)}, {"spread", number(row.spread)}, {"baseline", row.isBaseline},
            {"tags", row.tags}, {"notes", row.notes}, {"bytes", row.bytes}};
}

std::string rowText(const RunRow& row)
{
    const std::string time = row.durationUs ? fmt::format("{:.1f} µs {}", *row.durationUs, originText(row.origin)) : std::string("no time");
    return fmt::format("{:5}{} {}  {}@{} on {}: {}  {}{}{}\n", row.id, row.isBaseline ? "*" : " ", row.created, row.kernel, row.instance, row.device, time,
                       paramsText(row.params), row.tags.empty() ? "" : fmt::format("  [{}]", fmt::join(row.tags, ", ")),
                       row.notes.empty() ? "" : "  " + row.notes);
}

// What one option asks for: "12" or "12=TEXT".
struct Change {
    std::int64_t id = 0;
    std::string text;
};
tl::expected<Change, std::string> changeOf(const std::string& option, const std::string& given, bool hasText)
{
    const std::size_t equals = given.find('=');
    const std::string number = given.substr(0, equals);
    Change change;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), change.id);
    if (error != std::errc() || end != number.data() + number.size() || hasText != (equals != std::string::npos))
        return tl::unexpected(fmt::format("{} takes {}, not {}", option, hasText ? "RUN=TEXT" : "the number of a run", given));
    if (hasText)
        change.text = given.substr(equals + 1);
    return change;
}

std::vector<std::string> tagList(const std::string& list)
{
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        if (end > begin)
            out.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

// All that is asked for, in this order. Empty, or what went wrong.
std::string apply(const Options& options, store::Store& store)
{
    const auto each = [](const std::string& option, const std::vector<std::string>& list, bool hasText, auto&& act) {
        for (const std::string& given : list) {
            const auto change = changeOf(option, given, hasText);
            if (!change)
                return change.error();
            if (const store::Result<void> done = act(*change); !done)
                return done.error();
        }
        return std::string();
    };
    std::string wrong = each("--pin", options.pin, false, [&](const Change& c) { return store.pin(c.id); });
    if (wrong.empty())
        wrong = each("--unpin", options.unpin, false, [&](const Change& c) { return store.unpin(c.id); });
    if (wrong.empty())
        wrong = each("--note", options.notes, true, [&](const Change& c) { return store.setNotes(c.id, c.text); });
    if (wrong.empty())
        wrong = each("--tags", options.tags, true, [&](const Change& c) { return store.setTags(c.id, tagList(c.text)); });
    if (wrong.empty())
        wrong = each("--remove", options.remove, false, [&](const Change& c) { return store.remove(c.id); });
    return wrong;
}

// --salvage. Empty, or what went wrong.
std::string salvage(const std::string& path, Report& report)
{
    const auto done = store::salvage(path);
    if (!done)
        return done.error();
    report.json()["salvage"] = {{"whole", done->wasWhole}, {"runs", done->runs}, {"lostRuns", done->lostRuns}, {"trials", done->trials}, {"kept", done->kept}};
    if (done->wasWhole) {
        report.note(fmt::format("nothing in {} is damaged: it was left as it is", path));
        return {};
    }
    report.note(fmt::format("{} run{} and {} trial{} could be read and are in {} now; {} run{} lost; the damaged file is {}", done->runs, done->runs == 1 ? "" : "s",
                            done->trials, done->trials == 1 ? "" : "s", path, done->lostRuns, done->lostRuns == 1 ? " is" : "s are", done->kept));
    return {};
}

}  // namespace

int runRuns(const Options& options, Report& report, std::stop_token)
{
    const bool isChange = !options.pin.empty() || !options.unpin.empty() || !options.notes.empty() || !options.tags.empty() || !options.remove.empty();
    const auto fail = [&](std::string message) {
        report.fail(Code::kFile, std::move(message));
        return static_cast<int>(kUsage);
    };
    if (options.salvage)
        if (std::string wrong = salvage(storePath(options), report); !wrong.empty())
            return fail(std::move(wrong));
    auto store = store::Store::open(storePath(options), isChange ? store::Access::kReadWrite : store::Access::kRead);
    if (!store)
        return fail(store.error());
    if (std::string wrong = apply(options, *store); !wrong.empty())
        return fail(std::move(wrong));
    store::Query query;
    query.text = options.files.empty() ? std::string() : options.files.front();
    query.kernel = options.kernel;
    const auto rows = store->find(query);
    if (!rows)
        return fail(rows.error());
    report.json()["store"] = store->path();
    report.json()["runs"] = Json::array();
    for (const RunRow& row : *rows) {
        report.json()["runs"].push_back(rowJson(row));
        report.text() += rowText(row);
    }
    if (rows->empty())
        report.text() += fmt::format("no run {}in {}; `tilec profile --store` keeps one\n", query.text.empty() && query.kernel.empty() ? "" : "like that ", store->path());
    return kFine;
}

}  // namespace tw::cli
