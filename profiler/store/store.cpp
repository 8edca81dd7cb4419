#include "profiler/store/store.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>

#include "profiler/capture/json.h"
#include "profiler/store/blob.h"
#include "profiler/store/schema.h"
#include "profiler/store/text.h"

namespace tw::store {
namespace {

constexpr const char* kColumns = "id, created, file, kernel, instance, target, device, gpu, params, durationUs, spread, origin, "
                                 "tensorPipePct, dramBandwidthPct, version, notes, isBaseline, bytes, "
                                 "(SELECT group_concat(tag, char(10)) FROM (SELECT tag FROM tags WHERE run = id ORDER BY tag))";

std::string fileNameOf(const capture::Capture& capture)
{
    return capture.files.empty() ? std::string() : std::filesystem::path(capture.files.front().name).filename().string();
}

std::optional<double> valueOf(const capture::Capture& capture, const char* name)
{
    const capture::Metric* metric = capture::findMetric(capture, name);
    return metric ? std::optional(metric->value) : std::nullopt;
}

std::vector<std::string> lines(const std::string& text)
{
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

RunRow readRow(const Statement& s)
{
    RunRow row;
    row.id = s.integer(0);
    row.created = s.text(1);
    row.file = s.text(2);
    row.kernel = s.text(3);
    row.instance = s.text(4);
    row.target = s.text(5);
    row.device = s.text(6);
    row.gpu = s.text(7);
    row.params = paramsFromText(s.text(8));
    row.durationUs = s.real(9);
    row.spread = s.real(10);
    for (const auto origin : {capture::Origin::kMeasured, capture::Origin::kSimulated, capture::Origin::kModelled})
        if (s.text(11) == capture::originText(origin))
            row.origin = origin;
    row.tensorPipePct = s.real(12);
    row.dramBandwidthPct = s.real(13);
    row.version = s.text(14);
    row.notes = s.text(15);
    row.isBaseline = s.integer(16) != 0;
    row.bytes = s.integer(17);
    row.tags = lines(s.text(18));
    return row;
}

// A pattern of LIKE that finds `text` anywhere.
std::string within(const std::string& text)
{
    std::string out = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "%";
}

struct Where {
    std::string sql = "1";
    std::vector<std::string> values;
    void add(const std::string& condition, const std::string& value, const std::string& pattern)
    {
        if (value.empty())
            return;
        sql += " AND " + condition;
        values.push_back(pattern);
    }
};

Where whereOf(const Query& query)
{
    Where where;
    // char(10) stands in no field but params and tags: a text is never found across two fields.
    where.add("(kernel || char(10) || file || char(10) || device || char(10) || gpu || char(10) || params || char(10) || notes || char(10) || "
              "ifnull((SELECT group_concat(tag, char(10)) FROM tags WHERE run = id), '')) LIKE ? ESCAPE '\\'", query.text, within(query.text));
    where.add("kernel LIKE ? ESCAPE '\\'", query.kernel, within(query.kernel));
    where.add("file LIKE ? ESCAPE '\\'", query.file, within(query.file));
    where.add("device LIKE ? ESCAPE '\\'", query.device, within(query.device));
    where.add("EXISTS (SELECT 1 FROM tags WHERE run = id AND tag = ?)", query.tag, query.tag);
    where.add("created >= ?", query.since, query.since);
    where.add("created <= ?", query.until, query.until + "~");  // behind every character of a date
    if (query.onlyBaselines)
        where.sql += " AND isBaseline";
    return where;
}

// Tags are listed one a line.
std::string oneLine(std::string tag)
{
    std::replace(tag.begin(), tag.end(), '\n', ' ');
    return tag;
}

std::string noRun(const std::string& path, std::int64_t id) { return fmt::format("the store {} has no run {}", path, id); }

}  // namespace

std::string paramsToText(const std::map<std::string, std::string>& params)
{
    std::string out;
    for (const auto& [name, value] : params)
        out += (out.empty() ? "" : "\n") + name + "=" + value;
    return out;
}

std::map<std::string, std::string> paramsFromText(std::string_view text)
{
    std::map<std::string, std::string> out;
    for (const std::string& line : lines(std::string(text)))
        if (const std::size_t equals = line.find('='); equals != std::string::npos)
            out[line.substr(0, equals)] = line.substr(equals + 1);
    return out;
}

std::string defaultStorePath()
{
    const char* data = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    if (data && *data)
        return std::string(data) + "/tilewright/runs.db";
    return home && *home ? std::string(home) + "/.local/share/tilewright/runs.db" : std::string();
}

Result<Store> Store::open(const std::string& path, Access access)
{
    if (path.empty())
        return tl::unexpected(std::string("there is no place for the store: neither XDG_DATA_HOME nor HOME is set"));
    auto database = Database::open(path, access);
    if (!database)
        return tl::unexpected(database.error());
    // Refuses before anything is written to a file that is not ours.
    if (auto ready = prepareSchema(*database); !ready)
        return tl::unexpected(ready.error());
    if (!database->isReadOnly()) {
        // Where WAL cannot be had (some network file systems; another process that opens the file just now), SQLite keeps the
        // journal that the file has, which is as safe.
        (void)database->run("PRAGMA journal_mode = WAL");
        for (const char* sql : {"PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"})
            if (auto done = database->run(sql); !done)
                return tl::unexpected(done.error());
    }
    return Store(std::move(*database));
}

Result<std::int64_t> Store::add(const capture::Capture& capture, std::optional<std::int64_t> number)
{
    const std::string body = pack(capture::toJson(capture));  // before the lock
    Transaction transaction(database_);
    if (!transaction.begun())
        return tl::unexpected(transaction.begun().error());
    const capture::Metric* duration = capture::findMetric(capture, capture::metric::kDuration);
    Statement insert(database_, "INSERT INTO runs (id, created, file, fileName, kernel, instance, target, device, gpu, params, durationUs, spread, origin, "
                                "tensorPipePct, dramBandwidthPct, version, notes, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(number).bind(capture.created).bind(capture.files.empty() ? std::string() : capture.files.front().name).bind(fileNameOf(capture)).bind(capture.kernel);
    insert.bind(capture.instance).bind(capture.target).bind(capture.environment.device).bind(capture.environment.gpu).bind(paramsToText(capture.params));
    insert.bind(duration ? std::optional(duration->value) : std::nullopt).bind(duration ? std::optional(duration->spread) : std::nullopt);
    insert.bind(std::string_view(capture::originText(duration ? duration->origin : capture::Origin::kMeasured)));
    insert.bind(valueOf(capture, capture::metric::kTensorPipe)).bind(valueOf(capture, capture::metric::kDramBandwidth));
    insert.bind(capture.tilewright).bind(capture.notes).bind(static_cast<std::int64_t>(body.size()));
    if (const auto done = insert.run(); !done)
        return tl::unexpected(done.error());
    const std::int64_t id = database_.lastId();
    Statement keep(database_, "INSERT INTO captures (run, body) VALUES (?, ?)");
    if (const auto done = keep.bind(id).bindBlob(body).run(); !done)
        return tl::unexpected(done.error());
    for (const std::string& tag : capture.tags)
        if (const auto done = Statement(database_, "INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)").bind(id).bind(oneLine(tag)).run(); !done)
            return tl::unexpected(done.error());
    if (const auto done = transaction.commit(); !done)
        return tl::unexpected(done.error());
    return id;
}

Result<std::vector<RunRow>> Store::find(const Query& query) const
{
    const Where where = whereOf(query);
    Statement rows(database_, fmt::format("SELECT {} FROM runs WHERE {} ORDER BY id DESC LIMIT ?", kColumns, where.sql));
    for (const std::string& value : where.values)
        rows.bind(value);
    rows.bind(static_cast<std::int64_t>(query.limit));
    std::vector<RunRow> out;
    while (rows.step())
        out.push_back(readRow(rows));
    if (rows.failed())
        return tl::unexpected(rows.error());
    return out;
}

Result<RunRow> Store::row(std::int64_t id) const
{
    Statement rows(database_, fmt::format("SELECT {} FROM runs WHERE id = ?", kColumns));
    if (!rows.bind(id).step())
        return tl::unexpected(rows.failed() ? rows.error() : noRun(path(), id));
    return readRow(rows);
}

Result<capture::Capture> Store::load(std::int64_t id) const
{
    const auto about = row(id);
    if (!about)
        return tl::unexpected(about.error());
    Statement body(database_, "SELECT body FROM captures WHERE run = ?");
    if (!body.bind(id).step())
        return tl::unexpected(body.failed() ? body.error() : noRun(path(), id));
    const auto json = unpack(body.text(0));
    if (!json)
        return tl::unexpected(fmt::format("run {} of the store {} is damaged: {}", id, path(), json.error()));
    auto capture = capture::fromJson(*json);
    if (!capture)
        return tl::unexpected(fmt::format("run {} of the store {}: {}", id, path(), capture.error()));
    capture->notes = about->notes;
    capture->tags = about->tags;
    return capture;
}

// Runs a statement that must meet the run.
Result<void> Store::change(std::int64_t id, Statement& statement)
{
    if (const auto about = row(id); !about)
        return tl::unexpected(about.error());
    return statement.run();
}

Result<void> Store::remove(std::int64_t id)
{
    Statement statement(database_, "DELETE FROM runs WHERE id = ?");
    return change(id, statement.bind(id));
}

Result<void> Store::setNotes(std::int64_t id, const std::string& notes)
{
    Statement statement(database_, "UPDATE runs SET notes = ? WHERE id = ?");
    return change(id, statement.bind(notes).bind(id));
}

Result<void> Store::setTags(std::int64_t id, const std::vector<std::string>& tags)
{
    Transaction transaction(database_);
    if (!transaction.begun())
        return transaction.begun();
    Statement clear(database_, "DELETE FROM tags WHERE run = ?");
    if (auto done = change(id, clear.bind(id)); !done)
        return done;
    for (const std::string& tag : tags)
        if (auto done = Statement(database_, "INSERT OR IGNORE INTO tags (run, tag) VALUES (?, ?)").bind(id).bind(oneLine(tag)).run(); !done)
            return done;
    return transaction.commit();
}

Result<void> Store::pin(std::int64_t id)
{
    Statement statement(database_, "UPDATE runs SET isBaseline = (id = ?1) WHERE (kernel, fileName, device) = (SELECT kernel, fileName, device FROM runs WHERE id = ?1)");
    return change(id, statement.bind(id));
}

Result<void> Store::unpin(std::int64_t id)
{
    Statement statement(database_, "UPDATE runs SET isBaseline = 0 WHERE id = ?");
    return change(id, statement.bind(id));
}

Result<std::optional<RunRow>> Store::baselineFor(const capture::Capture& capture) const
{
    Statement rows(database_, fmt::format("SELECT {} FROM runs WHERE isBaseline AND kernel = ? AND fileName = ? AND device = ?", kColumns));
    if (!rows.bind(capture.kernel).bind(fileNameOf(capture)).bind(capture.environment.device).step()) {
        if (rows.failed())
            return tl::unexpected(rows.error());
        return std::nullopt;
    }
    return readRow(rows);
}

}  // namespace tw::store
