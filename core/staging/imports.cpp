// import statements: modules of ours, files beside the opened one, foreign modules.
#include <fmt/format.h>

#include "core/staging/builtins.h"
#include "core/staging/guards.h"
#include "core/staging/library.h"
#include "core/staging/modules/modules.h"
#include "core/staging/trace/tracer.h"
#include "core/syntax/parser.h"

namespace tw::staging {

using namespace syntax;

std::shared_ptr<Environment> Interpreter::makeGlobals(const std::shared_ptr<const Module>& module, const std::string& name)
{
    auto globals = std::make_shared<Environment>();
    globals->module = module;
    globals->names["__name__"] = Value(name);
    globals->names["__file__"] = Value(module->source->name());
    globals->names["__doc__"] = Value();
    scopes_.push_back(globals);
    return globals;
}

void Interpreter::runModule(const Module& module, const std::shared_ptr<Environment>& globals)
{
    const FrameGuard frame(*this, nullptr, globals, {});
    execBlock(module.body, globals);
}

std::optional<Value> Interpreter::ownModule(const std::string& name)
{
    if (name == "tilelang.language")
        return Value(makeTileLanguageModule());
    if (auto module = makeTilelangModule(*this, name))
        return Value(module);
    if (auto module = makeTileModule(name))
        return Value(module);
    if (auto module = makeStandardModule(name))
        return Value(module);
    if (auto module = makeLibraryModule(*this, name))
        return Value(module);
    return std::nullopt;
}

namespace {

// Names of modules: "pkg.helpers", and "./../helpers" for one that is found by its place from the opened file on.
constexpr std::string_view kByPlace = "./";

bool isByPlace(const std::string& name) { return name.starts_with(kByPlace); }

std::string pathOf(const std::string& name)
{
    if (isByPlace(name))
        return name.substr(kByPlace.size());
    std::string path = name;
    std::replace(path.begin(), path.end(), '.', '/');
    return path;
}

// As a person would write it.
std::string shownName(std::string name)
{
    name = isByPlace(name) ? name.substr(kByPlace.size()) : name;
    while (name.starts_with("../"))
        name.erase(0, 3);
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

std::string memberName(const std::string& module, const std::string& member) { return module + (isByPlace(module) ? "/" : ".") + member; }

// The folder of a module's file, `up` levels higher: of "pkg/a.py" with 0 "pkg". Above the opened file's folder: "..".
std::string folderAt(const std::string& file, int up)
{
    std::string folder = file.rfind('/') == std::string::npos ? "" : file.substr(0, file.rfind('/'));
    for (int i = 0; i < up; ++i) {
        const auto slash = folder.rfind('/');
        const std::string last = slash == std::string::npos ? folder : folder.substr(slash + 1);
        if (folder.empty() || last == "..")
            folder += folder.empty() ? ".." : "/..";
        else
            folder = slash == std::string::npos ? "" : folder.substr(0, slash);
    }
    return folder;
}

}  // namespace

// "helpers", "pkg.helpers": the text beside the opened file, run in its own globals. A module that is being imported
// already (a cycle) gives what it has so far.
std::optional<Value> Interpreter::siblingModule(const std::string& name, const SourceRange&)
{
    if (!setup_.readSibling)
        return std::nullopt;
    std::string path = pathOf(name);
    const std::string key = std::string(kByPlace) + path;
    if (const auto known = modules_.find(key); known != modules_.end() && !isOpaque(known->second))
        return known->second;
    auto read = setup_.readSibling(path);
    if (!read && (read = setup_.readSibling(path + "/__init__")))
        path += "/__init__";
    if (!read)
        return std::nullopt;
    auto source = std::make_shared<const SourceText>(path + ".py", std::move(*read));
    const std::uint32_t file = sources().add(source);
    DiagnosticSink problems;
    auto parsed = parse(source, file, problems);
    parsedModules_.push_back(parsed);
    auto module = std::make_shared<ModuleValue>();
    module->name = shownName(name);
    module->globals = makeGlobals(parsed, module->name);
    modules_[name] = modules_[key] = Value(module);
    for (const Diagnostic& problem : problems.all())
        diagnostics().report(problem);
    // Errors of a sibling's own statements do not belong to the opened file's kernels.
    const int depth = kernelDepth_;
    kernelDepth_ = 0;
    struct Leave {
        int& now;
        int before;
        ~Leave() { now = before; }
    } leave{kernelDepth_, depth};
    runModule(*parsed, module->globals);
    return modules_[name];
}

namespace {

// What files import from the package `tilelang` itself; the rest of it is too little known to correct anybody.
const std::vector<std::string> kMainNames = {"language", "jit", "autotune", "autotuner", "compile", "kernel", "PassConfigKey"};

// What a file may have meant by a module that is not there: import tilelang.langauge, import tilelng.
std::string meantModule(const std::string& name)
{
    constexpr std::string_view kPackage = "tilelang";
    const auto dot = std::min(name.find('.'), name.size());
    const std::string root = name.substr(0, dot), rest = name.substr(dot);
    if (root != kPackage)
        return nearestName(root, {std::string(kPackage)}).empty() ? "" : std::string(kPackage) + rest;
    const std::string near = rest.empty() ? "" : nearestName(rest.substr(1), {"language", "autotuner", "transform"});
    return near.empty() ? "" : root + "." + near;
}

}  // namespace

Value Interpreter::importModule(const std::string& name, const SourceRange& range)
{
    if (const auto it = modules_.find(name); it != modules_.end())
        return it->second;
    auto module = isByPlace(name) ? std::nullopt : ownModule(name);
    if (!module)
        module = siblingModule(name, range);
    if (!module && !isByPlace(name)) {
        modules_[name] = makeOpaque(name);  // while its parent is asked
        // A member of a module of ours: tilelang.autotuner.autotune, os.path.
        const auto dot = name.rfind('.');
        if (dot != std::string::npos) {
            const Value parent = importModule(name.substr(0, dot), range);
            if (!isOpaque(parent))
                module = findAttribute(parent, name.substr(dot + 1), range);
        }
    }
    if (!module && tryDepth_ == 0) {
        if (const std::string near = meantModule(name); !near.empty()) {
            // Said, and taken for what it is like, so that nothing else goes wrong because of it.
            Diagnostic& diagnostic = diagnostics().error(Code::kImport, range, fmt::format("there is no module `{}`; did you mean `{}`?", name, near));
            if (range.end - range.begin == name.size())
                diagnostic.fixits.push_back({range, near});
            module = importModule(near, range);
        }
    }
    const Value value = module ? *module : makeOpaque(shownName(name));
    modules_[name] = value;
    return value;
}

void Interpreter::execImport(const Import& node, const std::shared_ptr<Environment>& scope)
{
    for (const ImportName& one : node.names) {
        const std::string& name = one.name.text;
        const Value module = importModule(name, one.name.range);
        if (one.alias) {
            requireImportable(module, one.name);
            bindName(scope, one.alias->text, module);
            continue;
        }
        requireImportable(module, one.name);
        const auto dot = name.find('.');
        if (dot == std::string::npos) {
            bindName(scope, name, module);
            continue;
        }
        // import a.b binds a; a.b must then be found in it
        const std::string root = name.substr(0, dot);
        const Value top = importModule(root, one.name.range);
        bindName(scope, root, top);
        if (auto* parent = top.object<ModuleValue>(); parent && parent->globals) {
            const auto next = name.find('.', dot + 1);
            const std::string child = name.substr(0, next);
            parent->globals->names[child.substr(dot + 1)] = importModule(child, one.name.range);
        }
    }
}

// `try: import x except ImportError: x = None`: a foreign module is taken to be missing only where the file itself says
// that it may be.
void Interpreter::requireImportable(const Value& module, const Identifier& name)
{
    if (!isOpaque(module) || tryDepth_ == 0)
        return;
    static const std::set<std::string, std::less<>> kInstalled = {"torch", "numpy", "triton", "einops", "tvm", "pytest", "scipy"};
    const std::string root = name.text.substr(0, name.text.find('.'));
    if (!kInstalled.contains(root))
        raise("ModuleNotFoundError", Code::kImport, name.range, fmt::format("No module named '{}'", name.text));
}

Value Interpreter::moduleMember(const Value& module, const std::string& moduleName, const Identifier& name)
{
    if (isOpaque(module)) {  // tilelang.tools.cuda is foreign, its iket is ours
        auto own = isByPlace(moduleName) ? std::nullopt : ownModule(moduleName + "." + name.text);
        return own ? *own : makeOpaque(shownName(memberName(moduleName, name.text)));
    }
    if (auto found = findAttribute(module, name.text, name.range))
        return *found;
    const std::string full = memberName(moduleName, name.text);
    if (auto own = isByPlace(full) ? std::nullopt : ownModule(full))
        return modules_[full] = *own;
    if (auto sibling = siblingModule(full, name.range))
        return *sibling;
    const auto* known = module.object<ModuleValue>();
    const bool isLanguage = known && known->name == "tilelang.language";
    if (known && (isLanguage || known->name == "tilelang") && surveying() && tryDepth_ == 0)
        if (const std::string near = nearestName(name.text, isLanguage ? known->names : kMainNames); !near.empty()) {
            Diagnostic& diagnostic = diagnostics().error(
                Code::kImport, name.range, fmt::format("`{}` has no `{}`; did you mean `{}`?", known->name, name.text, near));
            diagnostic.fixits.push_back({name.range, near});
            return *findAttribute(module, near, name.range);
        }
    if (known && !known->globals && moduleName != "tilelang" && moduleName != "tilelang.language")
        return makeOpaque(full);
    unknownAttribute(module, name);
}

void Interpreter::importStar(const Value& module, const std::shared_ptr<Environment>& scope)
{
    const auto* known = module.object<ModuleValue>();
    if (!known)
        return;
    if (known->globals) {
        const auto names = known->globals->names;
        for (const auto& [name, value] : names)
            if (name[0] != '_')
                bindName(scope, name, value);
        return;
    }
    for (const std::string& name : known->names)
        if (name[0] != '_')
            if (auto value = findAttribute(module, name, current_))
                bindName(scope, name, *value);
}

void Interpreter::execImportFrom(const ImportFrom& node, const std::shared_ptr<Environment>& scope, const SourceRange& range)
{
    std::string name = node.module.text;
    if (node.level == 0 && name == "__future__")
        return;
    if (node.level > 0) {
        // Relative to the importing file's package.
        const bool isOpened = !scope->module || scope->module->file == 0;
        const std::string folder = folderAt(isOpened ? std::string() : std::string(scope->module->source->name()), node.level - 1);
        name = std::string(kByPlace) + folder + (folder.empty() || name.empty() ? "" : "/") + pathOf(name);
    }
    if (node.level > 0 && node.module.text.empty()) {
        // from . import helpers: a module of the package, else what the package's own file defines
        const bool isHere = name == kByPlace;
        const std::string package = isHere ? name + "__init__" : name;
        for (const ImportName& one : node.names) {
            Value value = one.name.text == "*" ? Value() : importModule(isHere ? name + one.name.text : memberName(name, one.name.text), one.name.range);
            if (one.name.text == "*")
                importStar(importModule(package, one.name.range), scope);
            else
                bindName(scope, one.alias ? one.alias->text : one.name.text,
                         isOpaque(value) ? moduleMember(importModule(package, one.name.range), name, one.name) : value);
        }
        return;
    }
    const Value module = importModule(name, node.module.range.isKnown() ? node.module.range : range);
    requireImportable(module, {shownName(name), range});
    for (const ImportName& one : node.names) {
        if (one.name.text == "*") {
            importStar(module, scope);
            continue;
        }
        bindName(scope, one.alias ? one.alias->text : one.name.text, moduleMember(module, name, one.name));
    }
}

}  // namespace tw::staging
