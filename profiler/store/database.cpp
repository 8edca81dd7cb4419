#include "profiler/store/database.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/core.h>
#include <sqlite3.h>

namespace tw::store {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 5000;  // longer than any write of ours takes

// As a file: URI, where a character could mean something else.
std::string uriOf(const std::string& path)
{
    std::string out = "file:";
    for (const char c : path) {
        if (c == '%' || c == '?' || c == '#')
            out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out;
}

// What comes from a stranger's file must not call functions or read past its cells.
void harden(sqlite3* handle, Access access)
{
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, kBusyMs);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, access != Access::kReadDamaged, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    if (access == Access::kReadDamaged)  // of a file that is open for reading: only the checks are off
        sqlite3_exec(handle, "PRAGMA writable_schema = ON", nullptr, nullptr, nullptr);
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

std::string Database::explain(int result) const
{
    const int error = handle() ? sqlite3_system_errno(handle()) : 0;
    const bool isFull = (result & 0xff) == SQLITE_FULL || error == ENOSPC || error == EFBIG || error == EDQUOT;
    if (isFull)
        return fmt::format("cannot write the store {}: the disk is full; what was stored before is intact", path_);
    switch (result & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return fmt::format("cannot use the store {}: another program has kept it locked for {} s", path_, kBusyMs / 1000);
        case SQLITE_READONLY: return fmt::format("cannot write the store {}: it is read-only", path_);
        case SQLITE_NOTADB: return fmt::format("{} is no store of Tilewright: it is no SQLite database; it was left as it is", path_);
        case SQLITE_CORRUPT:
            return fmt::format("the store {} is damaged ({}); it was left as it is: `tilec runs --salvage --store {}` moves what can be read into a new one", path_, sqlite3_errmsg(handle()), path_);
        case SQLITE_CANTOPEN:
            return fmt::format("cannot open the store {}: {}", path_, error ? std::strerror(error) : sqlite3_errstr(result));
        default: break;
    }
    const std::string why = error ? std::strerror(error) : sqlite3_errmsg(handle());
    return fmt::format("cannot use the store {}: {}", path_, why);
}

Result<Database> Database::open(const std::string& path, Access access)
{
    Database database;
    database.path_ = path;
    std::error_code error;
    if (fs::is_directory(path, error))
        return tl::unexpected(fmt::format("cannot open the store {}: it is a folder", path));
    const bool isThere = fs::exists(path, error);
    if (access != Access::kReadWrite && !isThere)
        return tl::unexpected(fmt::format("there is no store {}", path));
    if (!isThere && fs::path(path).has_parent_path()) {
        fs::create_directories(fs::path(path).parent_path(), error);
        if (error)
            return tl::unexpected(fmt::format("cannot make the folder of the store {}: {}", path, error.message()));
    }
    const int flags = access == Access::kReadWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    const auto attempt = [&](const std::string& uri) {
        sqlite3* handle = nullptr;
        int result = sqlite3_open_v2(uri.c_str(), &handle, flags | SQLITE_OPEN_URI, nullptr);
        database.handle_.reset(handle);
        if (result != SQLITE_OK)
            return result;
        harden(handle, access);
        // The first read finds out what opening did not look at.
        return sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
    };
    int result = attempt(uriOf(path));
    // A store in a folder that nobody may write to has no room for the files that readers share: nobody can change it either.
    if (result != SQLITE_OK && isThere && ((result & 0xff) == SQLITE_CANTOPEN || (result & 0xff) == SQLITE_READONLY))
        result = attempt(uriOf(path) + "?immutable=1");
    if (result != SQLITE_OK)
        return tl::unexpected(database.explain(result));
    return database;
}

Result<void> Database::run(std::string_view sql) const { return Statement(*this, sql).run(); }

Result<std::int64_t> Database::number(std::string_view sql) const
{
    Statement statement(*this, sql);
    const bool hasRow = statement.step();
    if (statement.failed())
        return tl::unexpected(statement.error());
    return hasRow ? statement.integer(0) : 0;
}

std::int64_t Database::lastId() const { return sqlite3_last_insert_rowid(handle()); }

bool Database::isReadOnly() const { return sqlite3_db_readonly(handle(), "main") != 0; }

bool Database::isReplaced() const
{
    int moved = 0;
    return sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database)
{
    checked(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &handle_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::checked(int result)
{
    if (result != SQLITE_OK && error_.empty())
        error_ = database_.explain(result);
    return *this;
}

Statement& Statement::bind(std::int64_t value) { return failed() ? *this : checked(sqlite3_bind_int64(handle_, ++bound_, value)); }

Statement& Statement::bind(double value) { return failed() ? *this : checked(sqlite3_bind_double(handle_, ++bound_, value)); }

Statement& Statement::bind(std::optional<double> value)
{
    if (value)
        return bind(*value);
    return failed() ? *this : checked(sqlite3_bind_null(handle_, ++bound_));
}

Statement& Statement::bind(std::optional<std::int64_t> value)
{
    if (value)
        return bind(*value);
    return failed() ? *this : checked(sqlite3_bind_null(handle_, ++bound_));
}

Statement& Statement::bind(std::string_view text)
{
    return failed() ? *this : checked(sqlite3_bind_text64(handle_, ++bound_, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

Statement& Statement::bindBlob(std::string_view bytes)
{
    return failed() ? *this : checked(sqlite3_bind_blob64(handle_, ++bound_, bytes.data(), bytes.size(), SQLITE_STATIC));
}

bool Statement::step()
{
    if (failed())
        return false;
    const int result = sqlite3_step(handle_);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        checked(result);
    return result == SQLITE_ROW;
}

Result<void> Statement::run()
{
    while (step()) {
    }
    if (failed())
        return tl::unexpected(error_);
    return {};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::optional<double> Statement::real(int column) const
{
    if (sqlite3_column_type(handle_, column) == SQLITE_NULL)
        return std::nullopt;
    return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const
{
    const void* bytes = sqlite3_column_blob(handle_, column);
    const int size = sqlite3_column_bytes(handle_, column);
    return bytes ? std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)) : std::string();
}

Transaction::Transaction(const Database& database) : database_(database), begun_(database.run("BEGIN IMMEDIATE"))
{
    isOpen_ = begun_.has_value();
}

Transaction::~Transaction()
{
    if (isOpen_)
        (void)database_.run("ROLLBACK");
}

Result<void> Transaction::commit()
{
    auto done = database_.run("COMMIT");
    isOpen_ = !done;
    return done;
}

}  // namespace tw::store
