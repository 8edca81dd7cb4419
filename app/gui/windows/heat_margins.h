// Puts the costs of the shown capture into the margins of the editors that show the very text that it measured.
#pragma once

#include <QObject>

namespace tw::gui {

class DocumentArea;
class ProfileSession;

class HeatMargins : public QObject {
    Q_OBJECT

public:
    HeatMargins(ProfileSession& session, DocumentArea& documents, QObject* parent);

private:
    void update();

    ProfileSession& session_;
    DocumentArea& documents_;
};

}  // namespace tw::gui
