// Runs, kept: captures with everything needed to repeat them, in one SQLite file.
//
// Several processes may use one store at once; a writer waits up to 5 s for another. Every change is one transaction that
// is on the disk when the call returns: a killed writer, a full disk or a lost file system cost the change that was under
// way and nothing else. One object is used by one thread at a time. Failures are sentences that name the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"
#include "profiler/store/database.h"

namespace tw::store {

// $XDG_DATA_HOME/tilewright/runs.db, else ~/.local/share/tilewright/runs.db; empty where neither variable is set.
[[nodiscard]] std::string defaultStorePath();

// A run as lists show it. Numbers as in capture::Metric of the whole call; absent where the capture has none.
struct RunRow {
    std::int64_t id = 0;
    std::string created;  // UTC, ISO 8601
    std::string file, kernel, instance, target, device, gpu;
    std::map<std::string, std::string> params;
    std::optional<double> durationUs, spread, tensorPipePct, dramBandwidthPct;
    capture::Origin origin = capture::Origin::kMeasured;  // of the duration
    std::string version;                                  // of the program
    std::string notes;
    std::vector<std::string> tags;
    bool isBaseline = false;
    std::int64_t bytes = 0;  // in the store
};

// Everything given must hold. Texts are found anywhere within, upper or lower case alike.
struct Query {
    std::string text{};  // in the kernel, file, device, GPU, parameters, notes or a tag
    std::string kernel{}, file{}, device{}, tag{};  // the tag whole
    std::string since{}, until{};  // of `created`: ISO 8601, from the left ("2026-11" is the month); until includes what it names
    bool onlyBaselines = false;
    int limit = 1000;
};

// One configuration of a tuning run.
struct Trial {
    std::map<std::string, std::string> params;  // Python literals
    enum class State { kMeasured, kWrong, kFailed } state = State::kMeasured;
    std::optional<double> medianUs{}, modelUs{};
    double spread = 0;  // as in capture::Metric
    int samples = 0;
    std::string message{};  // why it failed
};
struct TuneKey {
    std::string key;  // whatever decides the numbers, as one text: equal texts share their trials
    std::string file, kernel, device;
};

class Store {
public:
    // kReadWrite makes what is missing, and opens for reading what may not be written (see isReadOnly). kRead changes nothing.
    [[nodiscard]] static Result<Store> open(const std::string& path, Access access = Access::kReadWrite);

    [[nodiscard]] const std::string& path() const { return database_.path(); }
    [[nodiscard]] bool isReadOnly() const { return database_.isReadOnly(); }
    // Rises with every change by another process or connection: what a list shows is old when it moved.
    [[nodiscard]] Result<std::int64_t> version() const { return database_.number("PRAGMA data_version"); }

    // Whether `path` names another file by now (salvage.h), or none: this one is then seen by nobody else.
    [[nodiscard]] bool isReplaced() const { return database_.isReplaced(); }

    // The new run's id: `id`, which no run has, or the next one.
    [[nodiscard]] Result<std::int64_t> add(const capture::Capture& capture, std::optional<std::int64_t> id = std::nullopt);
    [[nodiscard]] Result<std::vector<RunRow>> find(const Query& query = {}) const;  // newest first
    [[nodiscard]] Result<RunRow> row(std::int64_t id) const;
    [[nodiscard]] Result<capture::Capture> load(std::int64_t id) const;  // with the notes and tags of now
    [[nodiscard]] Result<void> remove(std::int64_t id);
    [[nodiscard]] Result<void> setNotes(std::int64_t id, const std::string& notes);
    [[nodiscard]] Result<void> setTags(std::int64_t id, const std::vector<std::string>& tags);

    // One baseline for each kernel of a file (by the file's name without its folder) on a device.
    [[nodiscard]] Result<void> pin(std::int64_t id);
    [[nodiscard]] Result<void> unpin(std::int64_t id);
    // The baseline for a run, which may not be stored; absent if none is pinned.
    [[nodiscard]] Result<std::optional<RunRow>> baselineFor(const capture::Capture& capture) const;

    // Trials of a tuning run: each is on the disk before the next is measured, so that a killed one goes on where it was.
    [[nodiscard]] Result<std::int64_t> openTune(const TuneKey& key);
    [[nodiscard]] Result<std::vector<Trial>> trials(std::int64_t tune) const;
    [[nodiscard]] Result<void> save(std::int64_t tune, const Trial& trial);  // replaces one of the same parameters
    [[nodiscard]] Result<void> forgetTrials(std::int64_t tune);

private:
    explicit Store(Database database) : database_(std::move(database)) {}
    [[nodiscard]] Result<void> change(std::int64_t id, Statement& statement);

    Database database_;
};

}  // namespace tw::store
