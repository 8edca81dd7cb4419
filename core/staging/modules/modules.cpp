#include "core/staging/modules/modules.h"

namespace tw::staging {

std::shared_ptr<ModuleValue> makeStandardModule(const std::string& name)
{
    using Member = std::optional<Value> (*)(const std::string&);
    static const std::map<std::string, Member> plain = {
        {"math", mathMember},     {"itertools", itertoolsMember}, {"functools", functoolsMember}, {"operator", operatorMember},
        {"typing", typingMember}, {"typing_extensions", typingMember}, {"os", osMember},          {"argparse", argparseMember},
    };
    auto module = std::make_shared<ModuleValue>();
    module->name = name;
    if (const auto found = plain.find(name); found != plain.end()) {
        module->attribute = [member = found->second](Evaluator&, const std::string& attribute) { return member(attribute); };
        return module;
    }
    const std::string root = name.substr(0, name.find('.'));
    if (root != "torch" && root != "numpy" && name != "os.path")
        return nullptr;
    if (name == "os.path") {
        module->attribute = [](Evaluator& evaluator, const std::string& attribute) -> std::optional<Value> {
            const auto path = osMember("path");
            return evaluator.attribute(*path, {attribute, evaluator.currentRange()});
        };
        return module;
    }
    const std::string prefix = name == root ? "" : name.substr(root.size() + 1) + ".";
    module->attribute = [root, prefix](Evaluator&, const std::string& attribute) { return tensorLibraryMember(root, prefix + attribute); };
    return module;
}

}  // namespace tw::staging
