#include "tests/differential/random_kernel.h"

#include <random>
#include <vector>

#include <fmt/format.h>

namespace tw::test {

namespace {

struct Tile {
    std::string name, type;
    bool shared = false;
    bool exact = false;  // holds what an input holds
};
struct Vector {
    std::string name, type;
    int axis = 0;  // that was reduced away
};

bool isFloat(const std::string& type) { return type.starts_with("float") || type.starts_with("bfloat"); }

class Writer {
public:
    explicit Writer(std::uint32_t seed) : random_(seed) {}

    std::string make()
    {
        chooseShape();
        for (int n = pick(1, 3); n > 0; --n)
            input(any(kTypes));
        for (int n = pick(1, 2); n > 0; --n)
            load();
        for (int n = pick(3, 8); n > 0; --n)
            statement();
        finish();
        return fmt::format("import tilelang\nimport tilelang.language as T\n\n\n@T.prim_func\ndef main({}):\n"
                           "    with T.Kernel({}, {}, threads={}) as (bx, by):\n{}",
                           parameters_, gridX_, gridY_, threads_, body_);
    }

private:
    static inline const std::vector<std::string> kTypes{"float32", "float32", "float16", "float16", "bfloat16", "int32", "int8", "uint8", "float64", "float8_e4m3fn"};

    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(int oneIn) { return pick(1, oneIn) == 1; }
    template <class T>
    const T& any(const std::vector<T>& list) { return list[static_cast<std::size_t>(pick(0, static_cast<int>(list.size()) - 1))]; }
    std::string fresh(const char* stem) { return fmt::format("{}{}", stem, names_++); }

    template <class... Args>
    void line(fmt::format_string<Args...> text, Args&&... args)
    {
        body_ += std::string(static_cast<std::size_t>(8 + 4 * depth_), ' ') + fmt::format(text, std::forward<Args>(args)...) + "\n";
    }
    void parallel() { line("for i, j in T.Parallel({}, {}):", rows_, columns_); }

    void chooseShape()
    {
        multiplies_ = !chance(3);
        threads_ = multiplies_ ? 32 << pick(0, 3) : any(std::vector<int>{32, 64, 96, 128, 160, 192, 256});
        do {
            rows_ = multiplies_ ? 16 * pick(1, 4) : pick(1, 50);
            columns_ = multiplies_ ? 16 * pick(1, 4) : pick(1, 60);
        } while (multiplies_ && !hasPartition());
        gridX_ = pick(1, 3);
        gridY_ = pick(1, 3);
        height_ = gridY_ * rows_ - (chance(2) ? pick(0, rows_ - 1) : 0);
        width_ = gridX_ * columns_ - (chance(2) ? pick(0, columns_ - 1) : 0);
    }
    // Warps in powers of two along both axes of the result.
    [[nodiscard]] bool hasPartition() const
    {
        const int warps = threads_ / 32;
        for (int m = 1; m <= warps; m *= 2)
            if (rows_ % (16 * m) == 0 && columns_ % (8 * (warps / m)) == 0)
                return true;
        return false;
    }

    void parameter(const std::string& name, int h, int w, const std::string& type)
    {
        parameters_ += fmt::format("{}{}: T.Tensor(({}, {}), \"{}\")", parameters_.empty() ? "" : ", ", name, h, w, type);
    }
    void input(const std::string& type)
    {
        inputs_.push_back({fresh("X"), type});
        parameter(inputs_.back().name, height_, width_, type);
    }
    Tile newTile(const std::string& type)
    {
        Tile tile{fresh("t"), type, chance(2), false};
        line("{} = T.alloc_{}(({}, {}), \"{}\")", tile.name, tile.shared ? "shared" : "fragment", rows_, columns_, type);
        return tile;
    }

    void load()
    {
        const Tile from = any(inputs_);
        Tile tile = newTile(from.type);
        line("T.copy({}[by * {}, bx * {}], {})", from.name, rows_, columns_, tile.name);
        tile.exact = true;
        tiles_.push_back(tile);
    }

    void statement()
    {
        switch (pick(0, 11)) {
        case 0: return load();
        case 1: case 2: return elementwise();
        case 3: return update();
        case 4: return convert();
        case 5: return reduction();
        case 6: return scan();
        case 7: return transposed();
        case 8: return repeated();
        case 9: return conditional();
        case 10: return depth_ == 0 ? histogram() : update();
        default: return multiplies_ && !hasProduct_ && depth_ == 0 ? product() : elementwise();
        }
    }

    // ---- expressions ----
    // Floats stay within 8, integers within 0 to 15.
    static std::string bounded(const std::string& value, const std::string& type)
    {
        if (!isFloat(type))
            return fmt::format("T.cast({} % 16, \"{}\")", value, type);
        return fmt::format("T.cast(T.clamp({}, -8, 8), \"{}\")", value, type);
    }
    std::string leaf(const std::string& i, const std::string& j, bool floats)
    {
        if (chance(6))
            return floats ? fmt::format("{}.{}", pick(0, 3), chance(2) ? 5 : 0) : fmt::format("({} + {})", chance(2) ? i : j, pick(0, 5));
        std::vector<std::string> found;
        for (const Tile& t : tiles_)
            if (isFloat(t.type) == floats)
                found.push_back(fmt::format("{}[{}, {}]", t.name, i, j));
        for (const Vector& v : vectors_)
            if (isFloat(v.type) == floats)
                found.push_back(fmt::format("{}[{}]", v.name, v.axis == 0 ? j : i));
        if (found.empty())
            return floats ? "1.5" : fmt::format("({} + {})", i, j);
        const std::string value = any(found);
        return floats ? fmt::format("T.cast({}, \"float32\")", value) : fmt::format("T.cast({}, \"int32\")", value);
    }
    std::string expression(int depth, bool floats)
    {
        if (depth == 0)
            return leaf("i", "j", floats);
        const std::string a = expression(depth - 1, floats);
        const std::string b = expression(pick(0, depth - 1), floats);
        switch (pick(0, 7)) {
        case 0: return fmt::format("({} + {})", a, b);
        case 1: return fmt::format("({} - {})", a, b);
        case 2: return fmt::format("({} * {})", a, b);
        case 3: return fmt::format("T.max({}, {})", a, b);
        case 4: return fmt::format("T.min({}, {})", a, b);
        case 5: return fmt::format("T.if_then_else({}, {}, {})", condition(), a, b);
        case 6: return floats ? fmt::format("T.abs({})", a) : fmt::format("({} // {})", a, pick(1, 5));
        default: return floats ? special(a) : fmt::format("(({} ^ {}) & 15)", a, b);
        }
    }
    std::string special(const std::string& a)
    {
        switch (pick(0, 2)) {
        case 0: return fmt::format("T.exp2(T.min({}, 3.0))", a);
        case 1: return fmt::format("T.sqrt(T.abs({}))", a);
        default: return fmt::format("T.tanh({})", a);
        }
    }
    // Of indices and of exact values.
    std::string condition()
    {
        const char* const relations[] = {"<", "<=", ">", ">=", "==", "!="};
        std::string left = chance(2) ? "i" : "j + bx";
        for (const Tile& t : tiles_)
            if (t.exact && isFloat(t.type) && chance(3))
                left = fmt::format("T.cast({}[i, j], \"float32\")", t.name);
        return fmt::format("{} {} {}", left, relations[pick(0, 5)], left.starts_with("T.") ? std::string("0.5") : fmt::format("{}", pick(0, 20)));
    }

    // ---- statements ----
    void elementwise()
    {
        const Tile tile = newTile(any(kTypes));
        parallel();
        line("    {}[i, j] = {}", tile.name, bounded(expression(pick(1, 3), isFloat(tile.type)), tile.type));
        tiles_.push_back(tile);
    }
    void update()
    {
        Tile& tile = tiles_[static_cast<std::size_t>(pick(0, static_cast<int>(tiles_.size()) - 1))];
        tile.exact = false;
        const std::string value = bounded(expression(2, isFloat(tile.type)), tile.type);
        parallel();
        if (chance(3)) {
            line("    if {}:", condition());
            line("        {}[i, j] = {}", tile.name, value);
        } else {
            line("    {}[i, j] = {}", tile.name, value);
        }
    }
    void convert()
    {
        const Tile from = any(tiles_);
        const std::vector<std::string> floats{"float32", "float16", "bfloat16", "float64", "float8_e5m2"}, integers{"int32", "int8", "uint8", "int64"};
        const Tile tile = newTile(any(isFloat(from.type) ? floats : integers));
        line("T.copy({}, {})", from.name, tile.name);
        tiles_.push_back(tile);
    }
    void reduction()
    {
        const Tile from = any(tiles_);
        if (from.type.starts_with("float8"))
            return update();
        const int axis = pick(0, 1);
        Vector v{fresh("r"), from.type, axis};
        std::vector<std::string> kinds{"sum", "max", "min"};
        for (const char* kind : {"abssum", "absmax"})
            if (isFloat(from.type))
                kinds.push_back(kind);
        for (const char* kind : {"bitand", "bitor", "bitxor"})
            if (!isFloat(from.type))
                kinds.push_back(kind);
        const std::string kind = any(kinds);
        line("{} = T.alloc_fragment(({},), \"{}\")", v.name, axis == 0 ? columns_ : rows_, v.type);
        const bool keeps = kind != "abssum" && chance(3);
        if (keeps)
            line("T.fill({}, {})", v.name, pick(0, 3));
        line("T.reduce_{}({}, {}, dim={}{})", kind, from.name, v.name, axis == 0 ? "0" : chance(2) ? "1" : "-1", keeps ? ", clear=False" : "");
        if (v.type != "float16")  // sums of half floats may grow beyond what the next expression should see
            vectors_.push_back(v);
    }
    void scan()
    {
        const std::string type = chance(2) ? "float32" : "int32";
        const Tile tile = newTile(type);
        parallel();
        line("    {}[i, j] = {}", tile.name, bounded(expression(1, isFloat(type)), type));
        line("T.{}({}, dim={}, reverse={})", chance(4) ? "cummax" : "cumsum", tile.name, pick(0, 1), chance(2) ? "True" : "False");
        tiles_.push_back(tile);
    }
    void transposed()
    {
        const Tile from = any(tiles_);
        const Tile tile = newTile(from.type);
        const std::string turned = fresh("s");
        line("{} = T.alloc_shared(({}, {}), \"{}\")", turned, columns_, rows_, from.type);
        line("for i, j in T.Parallel({}, {}):", rows_, columns_);
        line("    {}[j, i] = {}[i, j]", turned, from.name);
        parallel();
        line("    {}[i, j] = {}[{}, i]", tile.name, turned, chance(2) ? "j" : fmt::format("{} - j", columns_ - 1));
        tiles_.push_back(tile);
    }
    // What is made inside ends there.
    void scoped(int statements)
    {
        const auto tiles = tiles_;
        const auto vectors = vectors_;
        ++depth_;
        for (int n = statements; n > 0; --n)
            chance(2) ? update() : statement();
        --depth_;
        const auto changed = tiles_;
        tiles_ = tiles;
        vectors_ = vectors;
        for (std::size_t k = 0; k < tiles_.size(); ++k)
            tiles_[k].exact = changed[k].exact;
    }
    void repeated()
    {
        if (depth_ > 1)
            return update();
        line("for {} in T.{}({}):", fresh("k"), chance(3) ? "unroll" : "serial", pick(1, 3));
        for (Tile& t : tiles_)
            t.exact = false;
        scoped(pick(1, 2));
    }
    void conditional()
    {
        if (depth_ > 1)
            return update();
        line("if {} % 2 == {}:", chance(2) ? "bx" : "by", pick(0, 1));
        scoped(pick(1, 2));
        if (chance(2)) {
            line("else:");
            scoped(1);
        }
    }
    // Whole numbers: sums of atomics are the same in any order.
    void histogram()
    {
        const std::string counts = fresh("H");
        parameter(counts, 1, 16, "int32");
        parallel();
        line("    T.atomic_add({}[0, {}], {})", counts, bounded(expression(1, false), "int32"), bounded(expression(1, false), "int32"));
    }

    void product()
    {
        static const std::vector<std::pair<std::string, std::string>> kinds{
            {"float16", "float32"}, {"float16", "float32"}, {"bfloat16", "float32"}, {"float16", "float16"}, {"int8", "int32"},
            {"uint8", "int32"}, {"float32", "float32"}, {"float8_e4m3fn", "float32"}, {"float64", "float64"}};
        const auto [type, sum] = any(kinds);
        const int step = any(std::vector<int>{16, 32, 32, 64}), steps = pick(1, 4);
        const int k = step * steps - (chance(3) ? pick(1, step - 1) : 0);
        const bool turnA = chance(2), turnB = chance(2), registers = !turnA && chance(4);
        const std::string a = fresh("A"), b = fresh("B"), as = fresh("a"), bs = fresh("b"), acc = fresh("acc");
        parameter(a, turnA ? k : height_, turnA ? height_ : k, type);
        parameter(b, turnB ? width_ : k, turnB ? k : width_, type);
        line("{} = T.alloc_{}(({}, {}), \"{}\")", as, registers ? "fragment" : "shared", turnA ? step : rows_, turnA ? rows_ : step, type);
        line("{} = T.alloc_shared(({}, {}), \"{}\")", bs, turnB ? columns_ : step, turnB ? step : columns_, type);
        line("{} = T.alloc_fragment(({}, {}), \"{}\")", acc, rows_, columns_, sum);
        const bool clears = chance(2);
        if (clears)
            line("T.clear({})", acc);
        line("for k in T.Pipelined({}, num_stages={}):", steps, pick(0, 4));
        line("    T.copy({}[{}, {}], {})", a, turnA ? fmt::format("k * {}", step) : fmt::format("by * {}", rows_),
             turnA ? fmt::format("by * {}", rows_) : fmt::format("k * {}", step), as);
        line("    T.copy({}[{}, {}], {})", b, turnB ? fmt::format("bx * {}", columns_) : fmt::format("k * {}", step),
             turnB ? fmt::format("k * {}", step) : fmt::format("bx * {}", columns_), bs);
        line("    T.gemm({}, {}, {}{}{}{})", as, bs, acc, turnA ? ", transpose_A=True" : "", turnB ? ", transpose_B=True" : "",
             clears ? "" : ", clear_accum=(k == 0)");
        const std::string out = fresh("P");
        parameter(out, height_, width_, sum);
        line("T.copy({}, {}[by * {}, bx * {}])", acc, out, rows_, columns_);
        const Tile tile = newTile("float32");
        parallel();
        line("    {}[i, j] = {}", tile.name, bounded(fmt::format("T.cast({}[i, j], \"float32\")", acc), "float32"));
        tiles_.push_back(tile);
        hasProduct_ = true;
    }

    void finish()
    {
        for (int n = pick(1, 2); n > 0; --n) {
            const Tile from = any(tiles_);
            const std::string out = fresh("Y");
            parameter(out, height_, width_, from.type);
            if (chance(2)) {
                line("T.copy({}, {}[by * {}, bx * {}])", from.name, out, rows_, columns_);
            } else {
                parallel();
                line("    {}[by * {} + i, bx * {} + j] = {}[i, j]", out, rows_, columns_, from.name);
            }
        }
        for (const Vector& v : vectors_)
            if (chance(2)) {
                const std::string out = fresh("V");
                parameter(out, gridX_ * gridY_, v.axis == 0 ? columns_ : rows_, v.type);
                line("T.copy({}, {}[by * {} + bx, 0:{}])", v.name, out, gridX_, v.axis == 0 ? columns_ : rows_);
            }
    }

    std::mt19937 random_;
    std::string parameters_, body_;
    std::vector<Tile> inputs_, tiles_;
    std::vector<Vector> vectors_;
    int rows_ = 0, columns_ = 0, threads_ = 0, gridX_ = 1, gridY_ = 1, height_ = 0, width_ = 0;
    int names_ = 0, depth_ = 0;
    bool multiplies_ = false, hasProduct_ = false;
};

}  // namespace

std::string randomKernel(std::uint32_t seed) { return Writer(seed).make(); }

}  // namespace tw::test
