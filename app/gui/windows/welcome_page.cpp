#include "app/gui/windows/welcome_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/gui/widgets/theme.h"

namespace tw::gui {

WelcomePage::WelcomePage(QWidget* parent) : QWidget(parent), recent_(new QVBoxLayout)
{
    setProperty("role", "panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* logo = new QLabel(this);
    logo->setPixmap(QIcon(QStringLiteral(":/icons/tilewright.svg")).pixmap(64, 64));
    auto* title = new QLabel(tr("Tilewright"), this);
    title->setFont(uiFont(22));
    auto* hint = new QLabel(tr("Open a TileLang file: its kernels are compiled as you type,\n"
                               "and every stage is linked to the line that it came from."),
                            this);
    hint->setProperty("role", "muted");
    auto* keys = new QLabel(tr("Or drop one here, or a .twr capture.\nCtrl+Shift+P finds every command, F1 explains a name."), this);
    keys->setProperty("role", "muted");
    auto* open = new QPushButton(icon(QStringLiteral("open"), palette().color(QPalette::HighlightedText)), tr("Open a file…"), this);
    open->setProperty("primary", true);
    auto* fresh = new QPushButton(icon(QStringLiteral("new")), tr("New kernel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addWidget(fresh);
    buttons->addStretch();
    recent_->setSpacing(2);
    auto* column = new QVBoxLayout;
    column->setSpacing(10);
    column->addStretch(2);
    for (auto* label : {logo, title, hint})
        column->addWidget(label);
    column->addSpacing(6);
    column->addLayout(buttons);
    column->addWidget(keys);
    column->addSpacing(10);
    column->addLayout(recent_);
    column->addStretch(3);
    auto* layout = new QHBoxLayout(this);
    layout->addStretch();
    layout->addLayout(column);
    layout->addStretch();
    connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
    connect(fresh, &QPushButton::clicked, this, &WelcomePage::newRequested);
}

void WelcomePage::setRecentFiles(const QStringList& paths)
{
    while (auto* item = recent_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (paths.isEmpty())
        return;
    auto* heading = new QLabel(tr("Recent"), this);
    heading->setProperty("role", "title");
    recent_->addWidget(heading);
    for (const auto& path : paths.mid(0, 6)) {
        auto* link = new QLabel(QStringLiteral("<a href='%1' style='text-decoration:none'>%2</a>&nbsp;&nbsp;%3")
                                    .arg(path.toHtmlEscaped(), QFileInfo(path).fileName().toHtmlEscaped(),
                                         QFileInfo(path).path().toHtmlEscaped()),
                                this);
        link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        link->setProperty("role", "muted");
        connect(link, &QLabel::linkActivated, this, &WelcomePage::fileRequested);
        recent_->addWidget(link);
    }
}

}  // namespace tw::gui
