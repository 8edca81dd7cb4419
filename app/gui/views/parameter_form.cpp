#include "app/gui/views/parameter_form.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include "app/gui/views/parameter_control.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {
namespace {

QString lookUp(const staging::Bindings& bindings, const std::string& name)
{
    const auto found = bindings.find(name);
    return found == bindings.end() ? QString() : QString::fromStdString(found->second);
}

// As traced; while the kernel does not trace, as the file says.
const staging::Instance& instanceOf(const staging::Kernel& kernel, const driver::CompileSnapshot& snapshot,
                                    const std::string& chosen)
{
    if (snapshot.function || kernel.instances.empty())
        return snapshot.instance;
    const auto found = std::find_if(kernel.instances.begin(), kernel.instances.end(),
                                    [&](const staging::Instance& i) { return i.name == chosen; });
    return found == kernel.instances.end() ? kernel.instances.front() : *found;
}

}  // namespace

ParameterForm::ParameterForm(Workbench& workbench, QWidget* parent) : QScrollArea(parent), workbench_(workbench)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void ParameterForm::showKernel(const staging::Kernel* kernel, const driver::CompileSnapshot& snapshot)
{
    const auto entries = kernel ? entriesOf(*kernel, snapshot) : std::vector<Entry>();
    QString shape = kernel ? QString::fromStdString(kernel->name) : QString();
    for (const auto& e : entries)
        shape += QStringLiteral("|%1:%2:%3").arg(e.name, e.choices.join(QLatin1Char(','))).arg(e.literal.isEmpty());
    if (shape != shape_) {
        shape_ = shape;
        rebuild(entries);
    }
    for (const auto& e : entries)
        update(e);
}

std::vector<ParameterForm::Entry> ParameterForm::entriesOf(const staging::Kernel& kernel,
                                                           const driver::CompileSnapshot& snapshot) const
{
    std::vector<Entry> entries;
    const auto& overlay = workbench_.choice();
    const auto& traced = instanceOf(kernel, snapshot, overlay.instance);
    for (const auto& p : kernel.parameters) {
        Entry e;
        e.name = QString::fromStdString(p.name);
        e.isNumber = p.isNumber;
        e.range = p.range;
        e.literal = lookUp(overlay.params, p.name);
        if (e.literal.isEmpty())
            e.literal = lookUp(traced.params, p.name);
        if (e.literal.isEmpty() && p.defaultText)
            e.literal = QString::fromStdString(*p.defaultText);
        if (const auto tunable = kernel.tunable.find(p.name); tunable != kernel.tunable.end()) {
            for (const auto& value : tunable->second)
                e.choices << QString::fromStdString(value);
        }
        e.canWrite = p.defaultText && QString::fromStdString(*p.defaultText) != e.literal;
        e.isMissing = e.literal.isEmpty();
        entries.push_back(std::move(e));
    }
    for (const auto& [name, literal] : traced.dims) {
        const QString overlaid = lookUp(overlay.dims, name);
        Entry e;
        e.name = QString::fromStdString(name);
        e.literal = overlaid.isEmpty() ? QString::fromStdString(literal) : overlaid;
        e.isNumber = true;
        e.isDimension = true;
        entries.push_back(std::move(e));
    }
    return entries;
}

void ParameterForm::rebuild(const std::vector<Entry>& entries)
{
    rows_.clear();
    auto* panel = new QWidget;
    panel->setProperty("role", "panel");
    auto* grid = new QGridLayout(panel);
    grid->setContentsMargins(12, 8, 10, 12);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(5);
    grid->setColumnStretch(1, 1);
    int line = 0;
    bool dimensionsBegan = false;
    for (const auto& entry : entries) {
        if (entry.isDimension && !dimensionsBegan) {
            auto* heading = new QLabel(tr("Extents"), panel);
            heading->setProperty("role", "title");
            heading->setContentsMargins(0, 8, 0, 2);
            grid->addWidget(heading, line++, 0, 1, 3);
            dimensionsBegan = true;
        }
        addRow(*grid, line++, entry);
    }
    if (entries.empty()) {
        auto* none = new QLabel(tr("This kernel has no parameters."), panel);
        none->setProperty("role", "muted");
        none->setWordWrap(true);
        grid->addWidget(none, line++, 0, 1, 3);
    }
    grid->setRowStretch(line, 1);
    setWidget(panel);
}

void ParameterForm::addRow(QGridLayout& grid, int line, const Entry& entry)
{
    Row row;
    row.label = new QLabel(entry.name);
    row.control = ParameterControl::make(entry.literal, entry.isNumber, entry.choices, nullptr);
    row.control->setAccessibleName(entry.name);
    row.label->setBuddy(row.control);
    grid.addWidget(row.label, line, 0);
    grid.addWidget(row.control, line, 1);
    const std::string name = entry.name.toStdString();
    if (entry.isDimension) {
        connect(row.control, &ParameterControl::changed, this,
                [this, name](const QString& literal) { workbench_.setDimension(name, literal.toStdString()); });
    } else {
        row.write = new QToolButton;
        row.write->setIcon(icon(QStringLiteral("write")));
        row.write->setToolTip(tr("Write this value to the source as the default of %1").arg(entry.name));
        row.write->setAccessibleName(row.write->toolTip());
        grid.addWidget(row.write, line, 2);
        connect(row.control, &ParameterControl::changed, this,
                [this, name](const QString& literal) { workbench_.setParameter(name, literal.toStdString()); });
        connect(row.write, &QToolButton::clicked, this, [this, key = entry.name] {
            const Row& r = rows_.at(key);
            Q_EMIT writeRequested(r.range, r.control->literal(), key);
        });
    }
    rows_.emplace(entry.name, row);
}

void ParameterForm::update(const Entry& entry)
{
    auto& row = rows_.at(entry.name);
    row.range = entry.range;
    row.control->setLiteral(entry.literal);
    if (row.write)
        row.write->setEnabled(entry.canWrite);
    row.label->setProperty("role", entry.isMissing ? "error" : "");
    row.label->setToolTip(entry.isMissing ? tr("%1 has no default and no call gives it").arg(entry.name) : QString());
    row.label->style()->unpolish(row.label);
    row.label->style()->polish(row.label);
}

}  // namespace tw::gui
