#include "profiler/store/trials.h"

#include <array>

#include "profiler/store/text.h"

namespace tw::store {
namespace {

constexpr std::array<const char*, 3> kStates = {"measured", "wrong", "failed"};  // by Trial::State

}  // namespace

Result<std::vector<Trial>> readTrials(const Database& database, std::int64_t tune)
{
    std::vector<Trial> out;
    Statement rows(database, "SELECT params, state, medianUs, spread, samples, modelUs, message FROM trials WHERE tune = ?");
    rows.bind(tune);
    while (rows.step()) {
        Trial trial{.params = paramsFromText(rows.text(0)), .medianUs = rows.real(2), .modelUs = rows.real(5), .spread = rows.real(3).value_or(0),
                    .samples = static_cast<int>(rows.integer(4)), .message = rows.text(6)};
        for (std::size_t i = 0; i < kStates.size(); ++i)
            if (rows.text(1) == kStates[i])
                trial.state = static_cast<Trial::State>(i);
        out.push_back(std::move(trial));
    }
    if (rows.failed())
        return tl::unexpected(rows.error());
    return out;
}

Result<std::int64_t> Store::openTune(const TuneKey& key)
{
    Transaction transaction(database_);
    if (!transaction.begun())
        return tl::unexpected(transaction.begun().error());
    Statement insert(database_, "INSERT INTO tunes (key, created, file, kernel, device) VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?) "
                                "ON CONFLICT (key) DO NOTHING");
    if (const auto done = insert.bind(key.key).bind(key.file).bind(key.kernel).bind(key.device).run(); !done)
        return tl::unexpected(done.error());
    if (const auto done = transaction.commit(); !done)
        return tl::unexpected(done.error());
    Statement find(database_, "SELECT id FROM tunes WHERE key = ?");
    const bool hasRow = find.bind(key.key).step();
    if (!hasRow)
        return tl::unexpected(find.failed() ? find.error() : "the tuning run was removed meanwhile");
    return find.integer(0);
}

Result<std::vector<Trial>> Store::trials(std::int64_t tune) const { return readTrials(database_, tune); }

Result<void> Store::save(std::int64_t tune, const Trial& trial)
{
    Statement insert(database_, "INSERT OR REPLACE INTO trials (tune, params, state, medianUs, spread, samples, modelUs, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    return insert.bind(tune).bind(paramsToText(trial.params)).bind(std::string_view(kStates.at(static_cast<std::size_t>(trial.state))))
        .bind(trial.medianUs).bind(trial.spread).bind(static_cast<std::int64_t>(trial.samples)).bind(trial.modelUs).bind(trial.message).run();
}

Result<void> Store::forgetTrials(std::int64_t tune)
{
    return Statement(database_, "DELETE FROM trials WHERE tune = ?").bind(tune).run();
}

}  // namespace tw::store
