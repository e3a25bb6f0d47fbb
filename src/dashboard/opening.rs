//! Opens the dialogs that depend on the selection, on requests in progress or on data.

use uuid::Uuid;

use super::Dashboard;
use super::deployments::deployment::Listing;
use super::dialogs::Dialog;
use super::dialogs::card::Card;
use super::dialogs::details::{Details, Subject};
use super::dialogs::edit::EditForm;
use super::dialogs::export::ExportForm;
use super::dialogs::palette::Command;
use super::dialogs::prompt::{Prompt, Purpose};
use super::dialogs::question::{Deed, Question};
use super::dialogs::quit::Quit;
use super::dialogs::token::TokenForm;
use super::effect::Effect;
use super::keymap::Scope;
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::tabs::Tab;
use crate::dashboard::widgets::text::Text;
use crate::failure::Failure;

impl Dashboard {
    /// Runs a command of the palette.
    pub(super) fn run(&mut self, command: Command) {
        match command {
            Command::Act(action, scope) => {
                if !scope.is_active_on(self.shell.shared.screen.tab)
                    && let Scope::On(tab) = scope
                {
                    self.shell.show_tab(tab);
                }
                self.act(action);
            }
            Command::Open(uuid) => self.shell.open_track(uuid),
            Command::Show(field) => {
                (self.shell.tabs.track).show_field(&mut self.shell.shared, field)
            }
        }
    }

    /// Quits; first asks while a create or delete is in progress.
    pub(super) fn quit(&mut self) {
        let is_asked = matches!(self.dialogs.last(), Some(Dialog::Quit(_)));
        if !self.shell.tabs.plants.is_busy() || is_asked {
            return self.shell.shared.send(Effect::Quit);
        }
        self.open(Quit::Asked);
    }

    /// Shows everything that is known of the fix under the cursor of Track, or of the
    /// selected deployment.
    pub(super) fn show_details(&mut self) {
        let shell = &mut self.shell;
        match (shell.shared.screen.tab, shell.selected()) {
            (TabId::Track, _) if shell.tabs.track.cursor_fix(&shell.shared).is_none() => {
                shell.shared.notify("no fix is selected")
            }
            (TabId::Track, _) => self.open(Details::new(Subject::Fix)),
            (_, None) => shell.shared.notify("no deployment is selected"),
            (_, Some(selected)) => {
                let uuid = selected.uuid();
                shell.shared.read_last_values(|read| read == uuid);
                self.open(Details::new(Subject::Deployment(uuid)));
            }
        }
    }

    /// Shows where to look for the selected or open deployment.
    pub(super) fn show_card(&mut self) {
        let shell = &mut self.shell;
        let Some(known) = shell.chosen_deployment() else {
            shell.shared.notify("no deployment is selected");
            return;
        };
        let uuid = known.uuid();
        let name = known.name();
        shell.open_picture(uuid);
        shell.shared.look_for(uuid);
        self.open(Card::new(uuid, name));
    }

    /// Opens the field for a search of this tab's rows, with `text` in it.
    pub(super) fn ask_what_to_find(&mut self, text: &str) {
        self.shell.begin_search();
        self.open(Prompt::new(Purpose::Find, text));
    }

    /// Asks before it removes the selected deployment from the list.
    pub(super) fn ask_to_remove_deployment(&mut self) {
        match self.shell.selected() {
            Some(selected) if selected.listing == Listing::Configured => {
                let words = |name: &str| format!("{name} is named in the settings file");
                let said = Text::named(&selected.name(), words);
                self.shell.shared.warn(said);
            }
            Some(selected) => {
                let deed = Deed::RemoveDeployment {
                    deployment: selected.uuid(),
                    name: selected.name(),
                };
                self.open(Question::new(deed));
            }
            None => self.shell.shared.notify("no deployment is selected"),
        }
    }

    /// Opens the form of the deployment that is selected, or open on Track.
    pub(super) fn edit(&mut self) {
        let shell = &mut self.shell;
        let Some(known) = shell.chosen_deployment() else {
            shell.shared.notify("no deployment is selected");
            return;
        };
        let uuid = known.uuid();
        let is_held = known.track.is_held();
        let form = EditForm::new(known, shell.shared.settings.notation());
        self.open(form);
        // The names of its fields are known by them.
        self.shell.shared.read_last_values(|read| read == uuid);
        // A circle is proposed once the track is there.
        if !is_held {
            self.shell.shared.load_stored(uuid);
        }
    }

    /// Opens the dialog that writes the open track, or that of the selected deployment, to
    /// a file.
    pub(super) fn ask_to_export(&mut self) {
        let shell = &mut self.shell;
        let known = shell.deployment().or(shell.shared.open_deployment());
        let Some(known) = known.filter(|known| known.track.has_data()) else {
            shell.shared.warn("there is no track to export yet");
            return;
        };
        let uuid = known.uuid();
        let is_held = known.track.loaded().is_some();
        let form = ExportForm::new(known, shell);
        if !is_held {
            shell.shared.load_stored(uuid);
        }
        self.open(form);
    }

    /// The track of a deployment, or of one that is not known, could not be read: the form
    /// that waits for it says so, unless the service sends it.
    pub(super) fn not_read(&mut self, of: Option<Uuid>, failure: &Failure) {
        if let Some(Dialog::Export(form)) = self.dialogs.last_mut()
            && of.is_none_or(|uuid| uuid == form.deployment)
            && let Some(known) = self.shell.shared.deployments.get(form.deployment)
            && !known.track.is_held()
            && known.track.loading.is_none()
        {
            form.failed(failure, false);
        }
    }

    /// Opens the token dialog if it is due and no other dialog is open.
    pub(super) fn ask_for_token_when_due(&mut self) {
        let shared = &mut self.shell.shared;
        let is_busy = shared.deployments.loading().next().is_some();
        if self.dialogs.is_empty()
            && let Some(why) = shared.service.token.ask(is_busy, shared.now)
        {
            self.open(TokenForm::unasked(why));
        }
    }
}

impl Shell {
    /// Shows a deployment's track.
    pub(crate) fn open_track(&mut self, uuid: Uuid) {
        let shared = &mut self.shared;
        if shared.screen.tab != TabId::Track {
            shared.screen.full = false;
            shared.screen.pane = Pane::first_of_track(shared.screen.width);
        }
        shared.screen.show_tab(TabId::Track);
        self.tabs.deployments.select(uuid);
        if shared.deployments.open != Some(uuid) {
            self.tabs.track.open_another(shared, uuid);
        }
        shared.deployments.opened.retain(|opened| *opened != uuid);
        shared.deployments.opened.push(uuid);
        let together = shared.together().into_iter();
        let uuids: Vec<Uuid> = together.map(|deployment| deployment.uuid()).collect();
        for uuid in uuids {
            shared.bring_track(uuid);
        }
        self.tabs.track.search_track(shared);
    }
}
