// SQLite behind values: one connection, prepared statements, failures as sentences.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace tw::store {

template <class T>
using Result = tl::expected<T, std::string>;

enum class Access { kReadWrite, kRead, kReadDamaged };

class Database;

// One statement, bound from the left and stepped through. A failure sticks: later calls do nothing, `error` says it.
class Statement {
public:
    Statement(const Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(std::int64_t value);
    Statement& bind(double value);
    Statement& bind(std::optional<double> value);  // absent: NULL
    Statement& bind(std::optional<std::int64_t> value);
    Statement& bind(std::string_view text);
    Statement& bindBlob(std::string_view bytes);  // `bytes` outlives the statement

    [[nodiscard]] bool step();  // whether there is a row to read
    [[nodiscard]] Result<void> run();  // to the end

    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::optional<double> real(int column) const;
    [[nodiscard]] std::string text(int column) const;  // of text and blobs
    [[nodiscard]] bool failed() const { return !error_.empty(); }
    [[nodiscard]] const std::string& error() const { return error_; }

private:
    Statement& checked(int result);

    const Database& database_;
    sqlite3_stmt* handle_ = nullptr;
    int bound_ = 0;
    std::string error_;
};

class Database {
public:
    // kReadDamaged also reads a file that is shorter than it says, or whose tables are not all in order.
    // With kReadWrite a missing file is made, its folders too; a file that may not be written opens for reading.
    [[nodiscard]] static Result<Database> open(const std::string& path, Access access);

    [[nodiscard]] Result<void> run(std::string_view sql) const;  // one statement without parameters
    [[nodiscard]] Result<std::int64_t> number(std::string_view sql) const;  // the first column of the first row
    [[nodiscard]] std::int64_t lastId() const;
    [[nodiscard]] bool isReadOnly() const;
    [[nodiscard]] bool isReplaced() const;  // another file, or none, has the path by now
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
    // The sentence for what SQLite answered last, with the cause in the user's words.
    [[nodiscard]] std::string explain(int result) const;

private:
    struct Close {
        void operator()(sqlite3* handle) const;
    };
    std::unique_ptr<sqlite3, Close> handle_;
    std::string path_;
};

// Begins on construction; what is not committed is undone.
class Transaction {
public:
    explicit Transaction(const Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    [[nodiscard]] const Result<void>& begun() const { return begun_; }
    [[nodiscard]] Result<void> commit();

private:
    const Database& database_;
    Result<void> begun_;
    bool isOpen_ = false;
};

}  // namespace tw::store
