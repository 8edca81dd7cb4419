// Puts the costs of the shown capture into the margins of the editors and code views, wherever they show the very text that it measured.
#pragma once

#include <QObject>

namespace tw::gui {

class DocumentArea;
class ProfileSession;
class View;

class HeatMargins : public QObject {
    Q_OBJECT

public:
    HeatMargins(ProfileSession& session, DocumentArea& documents, const QList<View*>& views, QObject* parent);

private:
    void update();

    ProfileSession& session_;
    DocumentArea& documents_;
    const QList<View*>& views_;
};

}  // namespace tw::gui
