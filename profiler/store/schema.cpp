#include "profiler/store/schema.h"

#include <array>
#include <vector>

#include <fmt/core.h>

namespace tw::store {
namespace {

// Step n brings version n to n + 1. What was released is never edited: a change is a further step.
const std::array<std::vector<const char*>, kSchemaVersion> kSteps = {{
    {
        // Headlines stand in columns, so that a list needs no capture; the capture itself is `pack` of its JSON.
        "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, created TEXT NOT NULL, file TEXT NOT NULL, fileName TEXT NOT NULL, "
        "kernel TEXT NOT NULL, instance TEXT NOT NULL, target TEXT NOT NULL, device TEXT NOT NULL, gpu TEXT NOT NULL, "
        "params TEXT NOT NULL, durationUs REAL, spread REAL, origin TEXT NOT NULL, tensorPipePct REAL, dramBandwidthPct REAL, "
        "version TEXT NOT NULL, notes TEXT NOT NULL, isBaseline INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL)",
        "CREATE INDEX runsByKernel ON runs (kernel, fileName, device)",
        "CREATE TABLE captures (run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE, body BLOB NOT NULL)",
        "CREATE TABLE tags (run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, tag TEXT NOT NULL, PRIMARY KEY (run, tag)) WITHOUT ROWID",
    },
    {
        "CREATE TABLE tunes (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, created TEXT NOT NULL, file TEXT NOT NULL, "
        "kernel TEXT NOT NULL, device TEXT NOT NULL)",
        "CREATE TABLE trials (tune INTEGER NOT NULL REFERENCES tunes ON DELETE CASCADE, params TEXT NOT NULL, state TEXT NOT NULL, "
        "medianUs REAL, spread REAL, samples INTEGER NOT NULL, modelUs REAL, message TEXT NOT NULL, PRIMARY KEY (tune, params)) WITHOUT ROWID",
    },
}};

Result<void> migrate(const Database& database)
{
    Transaction transaction(database);
    if (!transaction.begun())
        return transaction.begun();
    // Under the lock: another process may have done it meanwhile.
    const auto version = database.number("PRAGMA user_version");
    if (!version)
        return tl::unexpected(version.error());
    for (auto step = static_cast<std::size_t>(*version); step < kSteps.size(); ++step)
        for (const char* sql : kSteps[step])
            if (auto done = database.run(sql); !done)
                return done;
    for (const std::string& sql : {fmt::format("PRAGMA application_id = {}", kApplicationId), fmt::format("PRAGMA user_version = {}", kSchemaVersion)})
        if (auto done = database.run(sql); !done)
            return done;
    return transaction.commit();
}

}  // namespace

Result<void> prepareSchema(const Database& database)
{
    const auto tables = database.number("SELECT count(*) FROM sqlite_master");
    const auto application = database.number("PRAGMA application_id");
    const auto version = database.number("PRAGMA user_version");
    for (const auto& answer : {tables, application, version})
        if (!answer)
            return tl::unexpected(answer.error());
    const bool isEmpty = *tables == 0 && *application == 0 && *version == 0;
    if (!isEmpty && *application != kApplicationId)
        return tl::unexpected(fmt::format("{} is no store of Tilewright: it is the database of another program; it was left as it is", database.path()));
    if (*version > kSchemaVersion)
        return tl::unexpected(fmt::format("the store {} has schema {}, and this program knows {}: a newer Tilewright wrote it; it was left as it is",
                                          database.path(), *version, kSchemaVersion));
    if (*version == kSchemaVersion)
        return {};
    if (database.isReadOnly())
        return tl::unexpected(fmt::format("the store {} {}, and may only be read", database.path(),
                                          isEmpty ? "is empty" : fmt::format("has the older schema {}", *version)));
    return migrate(database);
}

}  // namespace tw::store
