#include "profiler/store/salvage.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include <fmt/core.h>

#include "profiler/capture/json.h"
#include "profiler/store/blob.h"
#include "profiler/store/schema.h"
#include "profiler/store/store.h"
#include "profiler/store/trials.h"

namespace tw::store {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kBlindSearch = 100'000;  // numbers tried where no table says how many there were

// The numbers that a table may have. Damaged pages are passed over: each number is looked up from the root, so a broken leaf
// costs the rows in it.
std::int64_t lastNumber(const Database& damaged)
{
    std::int64_t last = 0;
    bool isKnown = false;
    for (const char* sql : {"SELECT max(seq) FROM sqlite_sequence WHERE name = 'runs'", "SELECT max(id) FROM runs", "SELECT max(run) FROM captures"})
        if (const auto number = damaged.number(sql)) {
            last = std::max(last, *number);
            isKnown = true;
        }
    return isKnown ? last : kBlindSearch;
}

// What the columns and the table of tags say where they can be read; a capture has what they were when it was stored.
bool readColumns(const Database& damaged, std::int64_t id, capture::Capture& capture, bool& isBaseline)
{
    Statement columns(damaged, "SELECT notes, isBaseline FROM runs WHERE id = ?");
    if (!columns.bind(id).step())
        return false;
    capture.notes = columns.text(0);
    isBaseline = columns.integer(1) != 0;
    Statement tags(damaged, "SELECT tag FROM tags WHERE run = ?");
    std::vector<std::string> found;
    tags.bind(id);
    while (tags.step())
        found.push_back(tags.text(0));
    if (!tags.failed())
        capture.tags = std::move(found);
    return true;
}

std::optional<capture::Capture> readBody(const Database& damaged, std::int64_t id)
{
    Statement body(damaged, "SELECT body FROM captures WHERE run = ?");
    if (!body.bind(id).step())
        return std::nullopt;
    const auto json = unpack(body.text(0));
    auto capture = json ? capture::fromJson(*json) : tl::unexpected(std::string());
    return capture ? std::optional(std::move(*capture)) : std::nullopt;
}

Result<void> moveRuns(const Database& damaged, Store& fresh, Salvage& done)
{
    const std::int64_t last = lastNumber(damaged);
    for (std::int64_t id = 1; id <= last; ++id) {
        auto capture = readBody(damaged, id);
        capture::Capture none;
        bool isBaseline = false;
        const bool hasColumns = readColumns(damaged, id, capture ? *capture : none, isBaseline);
        if (!capture) {
            done.lostRuns += hasColumns ? 1 : 0;
            continue;
        }
        if (const auto added = fresh.add(*capture, id); !added)
            return tl::unexpected(added.error());
        if (isBaseline)
            if (auto pinned = fresh.pin(id); !pinned)
                return pinned;
        ++done.runs;
    }
    if (last == kBlindSearch)
        return {};
    // A number that a lost run had is nobody else's.
    const auto tables = Database::open(fresh.path(), Access::kReadWrite);
    return tables ? Statement(*tables, "UPDATE sqlite_sequence SET seq = ? WHERE name = 'runs'").bind(last).run() : tl::unexpected(tables.error());
}

// Keys and trials that can be read in order, from both ends of the table.
Result<void> moveTrials(const Database& damaged, Store& fresh, Salvage& done)
{
    std::set<std::int64_t> moved;
    for (const char* order : {"ASC", "DESC"}) {
        Statement tunes(damaged, fmt::format("SELECT id, key, file, kernel, device FROM tunes ORDER BY id {}", order));
        while (tunes.step()) {
            const auto trials = readTrials(damaged, tunes.integer(0));
            if (!trials || !moved.insert(tunes.integer(0)).second)
                continue;
            const auto tune = fresh.openTune({tunes.text(1), tunes.text(2), tunes.text(3), tunes.text(4)});
            if (!tune)
                return tl::unexpected(tune.error());
            for (const Trial& trial : *trials)
                if (auto saved = fresh.save(*tune, trial); !saved)
                    return saved;
            done.trials += static_cast<std::int64_t>(trials->size());
        }
    }
    return {};
}

void removeStore(const std::string& path)
{
    std::error_code ignored;
    for (const char* part : {"", "-wal", "-shm"})
        fs::remove(path + part, ignored);
}

// A name beside `path` that nothing has.
std::string freeName(const std::string& path)
{
    std::error_code error;
    for (int i = 1;; ++i)
        if (const std::string name = fmt::format("{}.damaged{}", path, i > 1 ? fmt::format("-{}", i) : ""); !fs::exists(name, error))
            return name;
}

// The log of changes goes first: SQLite must never read it into the new file.
Result<void> exchange(const std::string& path, const std::string& fresh, const std::string& kept)
{
    std::error_code ignored;
    fs::rename(path + "-wal", kept + "-wal", ignored);
    fs::remove(path + "-shm", ignored);
    if (std::rename(path.c_str(), kept.c_str()) != 0 || std::rename(fresh.c_str(), path.c_str()) != 0)
        return tl::unexpected(fmt::format("cannot put a new store in the place of {}: {}", path, std::strerror(errno)));
    return {};
}

// Whether every page and every capture is as it was written.
bool isWhole(const Database& database)
{
    Statement check(database, "PRAGMA quick_check(1)");
    if (!check.step() || check.text(0) != "ok")
        return false;
    Statement ids(database, "SELECT id FROM runs");
    while (ids.step())
        if (!readBody(database, ids.integer(0)))
            return false;
    return !ids.failed();
}

// Refuses what is not ours to touch.
Result<Database> openDamaged(const std::string& path)
{
    std::error_code error;
    auto damaged = Database::open(path, Access::kReadDamaged);
    const auto application = damaged ? damaged->number("PRAGMA application_id") : tl::unexpected(damaged.error());
    const auto version = damaged ? damaged->number("PRAGMA user_version") : tl::unexpected(damaged.error());
    if (!application || !version)
        return fs::exists(path, error) ? tl::unexpected(fmt::format("nothing can be read from {}; it was left as it is", path)) : std::move(damaged);
    if (*application != kApplicationId)
        return tl::unexpected(fmt::format("{} is no store of Tilewright; it was left as it is", path));
    if (*version > kSchemaVersion)
        return tl::unexpected(fmt::format("a newer Tilewright wrote the store {}; it was left as it is", path));
    return damaged;
}

Result<Salvage> moveAll(const std::string& path, const std::string& into)
{
    const auto damaged = openDamaged(path);
    if (!damaged)
        return tl::unexpected(damaged.error());
    Salvage done;
    if (isWhole(*damaged)) {
        done.wasWhole = true;
        return done;
    }
    auto fresh = Store::open(into);
    if (!fresh)
        return tl::unexpected(fresh.error());
    if (auto moved = moveRuns(*damaged, *fresh, done); !moved)
        return tl::unexpected(moved.error());
    if (auto moved = moveTrials(*damaged, *fresh, done); !moved)
        return tl::unexpected(moved.error());
    if (done.runs == 0 && done.trials == 0)
        return tl::unexpected(fmt::format("the store {} is damaged, and nothing can be read from it; it was left as it is", path));
    return done;
}

}  // namespace

Result<Salvage> salvage(const std::string& path)
{
    const std::string fresh = path + ".salvaged";
    removeStore(fresh);
    auto done = moveAll(path, fresh);
    if (!done || done->wasWhole) {
        removeStore(fresh);
        return done;
    }
    done->kept = freeName(path);
    if (auto exchanged = exchange(path, fresh, done->kept); !exchanged)
        return tl::unexpected(exchanged.error());
    return done;
}

}  // namespace tw::store
