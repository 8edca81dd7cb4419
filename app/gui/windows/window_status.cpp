#include "app/gui/windows/window_status.h"

#include <QLabel>
#include <QStyle>
#include <QTimer>

#include "app/gui/session/workbench.h"
#include "app/gui/windows/document_area.h"

namespace tw::gui {

WindowStatus::WindowStatus(Workbench& workbench, DocumentArea& documents, QWidget* parent)
    : QStatusBar(parent), workbench_(workbench), documents_(documents), state_(new QLabel(this)), time_(new QLabel(this)),
      caret_(new QLabel(this))
{
    setSizeGripEnabled(false);
    setContentsMargins(0, 0, 8, 0);
    state_->setContentsMargins(8, 0, 8, 0);
    time_->setContentsMargins(0, 0, 8, 0);
    caret_->setContentsMargins(8, 0, 8, 0);
    addWidget(state_);
    addWidget(time_);
    addPermanentWidget(caret_);
    connect(&workbench, &Workbench::snapshotChanged, this, &WindowStatus::updateState);
    connect(&workbench, &Workbench::busyChanged, this, [this](bool busy) {
        // Most compiles end before the eye could read a word; only a long one is worth saying.
        if (busy)
            QTimer::singleShot(200, this, &WindowStatus::updateState);
        else
            updateState();
    });
    connect(&documents, &DocumentArea::currentChanged, this, [this](DocumentPage* page) {
        if (page)
            connect(&page->editor(), &TextPane::caretMoved, this, &WindowStatus::updateCaret, Qt::UniqueConnection);
        updateCaret();
        updateState();
    });
    updateState();
}

void WindowStatus::updateState()
{
    const auto snapshot = workbench_.newest();
    QString text = tr("Ready"), role = QStringLiteral("muted"), time;
    if (workbench_.isBusy() && !documents_.current()) {
        text = tr("Ready");
    } else if (workbench_.isBusy()) {
        text = tr("Compiling…");
    } else if (snapshot) {
        const auto errors = std::count_if(snapshot->diagnostics.begin(), snapshot->diagnostics.end(),
                                          [](const Diagnostic& d) { return d.severity == Severity::kError; });
        text = errors == 0 ? tr("Compiles") : errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors);
        role = errors > 0 ? QStringLiteral("error") : QStringLiteral("good");
        const double total = snapshot->surveyMs + snapshot->traceMs + snapshot->passesMs + snapshot->codegenMs;
        time = tr("for %1 in %2 ms").arg(QString::fromStdString(snapshot->target.name)).arg(total, 0, 'f', total < 10 ? 1 : 0);
        time_->setToolTip(tr("survey %1 ms, trace %2 ms, passes %3 ms, code %4 ms")
                              .arg(snapshot->surveyMs, 0, 'f', 1)
                              .arg(snapshot->traceMs, 0, 'f', 1)
                              .arg(snapshot->passesMs, 0, 'f', 1)
                              .arg(snapshot->codegenMs, 0, 'f', 1));
    }
    state_->setText(text);
    state_->setProperty("role", role);
    state_->style()->unpolish(state_);
    state_->style()->polish(state_);
    time_->setText(time);
}

void WindowStatus::updateCaret()
{
    auto* page = documents_.current();
    if (!page)
        return caret_->clear();
    int line = 0, column = 0;
    page->editor().getCursorPosition(&line, &column);
    caret_->setText(tr("Ln %1, Col %2").arg(line + 1).arg(column + 1));
}

}  // namespace tw::gui
