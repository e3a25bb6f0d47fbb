//! Fetches: begun when due, and their results. A track has the choices that it was
//! assembled with; if the user has changed them meanwhile, it is assembled again before
//! it is shown.

use std::sync::Arc;

use uuid::Uuid;

use crate::dashboard::compute::{Computed, JobKind};
use crate::dashboard::connection::Connection;
use crate::dashboard::effect::{Effect, Fetch};
use crate::dashboard::event::{FetchNews, RequestId};
use crate::dashboard::keymap::Action;
use crate::dashboard::notice::Loads;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::exchange::Progress;
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};
use crate::map::{LoadedTrack, PreparedTrack};
use crate::track::{FlagOverrides, TrackOptions};
use crate::watch::agenda::places;
use crate::watch::overview::ReadOverview;
use crate::watch::{FetchRequest, Flags, Keep, Turn, Update, Wanted};

/// Fetches that are in progress at once, slow ones not counted.
const FETCHES_AT_ONCE: usize = 4;

impl Shared {
    /// Shows how far a request is. When it turns slow, the next one begins.
    pub(crate) fn progressed(&mut self, request: RequestId, progress: Progress) {
        let loading = self
            .deployments
            .with_request(request)
            .and_then(|uuid| self.deployments.get_mut(uuid))
            .and_then(|deployment| deployment.track.loading.as_mut());
        let Some(loading) = loading else {
            return;
        };
        let turned_slow = progress.is_slow && !loading.progress.is_slow;
        loading.progress = progress;
        if turned_slow {
            self.refresh_due();
        }
    }

    /// Begins the fetches that are due.
    pub(crate) fn refresh_due(&mut self) {
        if self.service.token.is_wanted() {
            return;
        }
        // Slow transfers leave room for others.
        let loading = self.deployments.loading();
        let (slow, others): (Vec<_>, Vec<_>) =
            loading.partition(|(_, loading)| loading.progress.is_slow);
        let room = places(FETCHES_AT_ONCE, slow.len()).saturating_sub(others.len());
        let now = self.now;
        let open = self.deployments.open;
        let agenda = &mut self.deployments.agenda;
        let due = if self.deployments.paused {
            agenda.asked_for(now, room)
        } else {
            agenda.due(now, room, open)
        };
        for uuid in due {
            self.fetch_in_turn(uuid);
        }
    }

    /// Fetches a deployment at the user's request; supersedes a fetch in progress.
    pub(crate) fn fetch(&mut self, uuid: Uuid) {
        self.deployments.agenda.ask(uuid, self.now);
        self.fetch_in_turn(uuid)
    }

    /// Fetches a deployment whose file has changed; a new deployment is on the watch
    /// list by now.
    pub(crate) fn file_changed(&mut self, uuid: Uuid) {
        // It may be new on the list.
        self.look_for_changes_again();
        if self.deployments.get(uuid).is_some() {
            self.fetch(uuid);
        }
    }

    /// Fetches a deployment, in turn with other programs on the same archive unless the
    /// user requests it; supersedes a fetch in progress.
    pub(crate) fn fetch_in_turn(&mut self, uuid: Uuid) {
        let request = self.next_request();
        let now = self.now;
        let refresh_s = self.refresh_s();
        let whole = self.deployments.are_all_held() || self.is_wanted_whole(uuid);
        let turn = if self.deployments.agenda.is_asked_for(uuid) {
            Turn::Now
        } else {
            let agenda = &self.deployments.agenda;
            let is_retry = agenda.has_failed(uuid) || agenda.is_down();
            Turn::Leased {
                refresh_s,
                is_retry,
            }
        };
        self.deployments.agenda.begin(uuid, now);
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        let superseded = deployment.track.cancel();
        deployment.track.begin(request, now);
        let held = deployment.track.get().cloned();
        let wanted = if whole || deployment.track.is_held() {
            let shown = held.as_ref().map(|held| Arc::clone(held.track()));
            Wanted::Track { shown }
        } else {
            Wanted::Overview
        };
        let of = FetchRequest {
            deployment: deployment.deployment.id.clone(),
            options: deployment.options(now),
            flags: Flags::Given,
            keep: Keep::Always,
            wanted,
            turn,
        };
        self.cancel(superseded);
        self.send(Effect::Update(Fetch { request, of, held }));
    }

    /// Fetches the open track on its tab, else all deployments.
    pub(crate) fn refresh_now(&mut self) {
        if let Connection::Refused(_) = self.service.connection {
            // Another program may have stored a token meanwhile.
            self.service.connection = Connection::Untried;
            self.service.token.forget_answers();
            self.deployments.agenda.forget_failures(self.now);
            self.deployments.look_at_service();
        }
        if let (TabId::Track, Some(uuid)) = (self.screen.tab, self.deployments.open) {
            if let Some(deployment) = self.deployments.get(uuid) {
                let name = deployment.name();
                self.say_loading(format!("loading {name}"), Loads::One(uuid));
            }
            self.fetch(uuid);
            return self.look_for_changes();
        }
        match self.deployments.list.as_slice() {
            [] if self.screen.tab == TabId::Deployments => {
                let add = self.key_of(Action::AddDeployment);
                self.notify(format!("nothing to load: {add} adds a deployment"));
            }
            [] => self.notify("no deployment is on the list: nothing is loaded"),
            [deployment] => self.say_loading(format!("loading {}", deployment.name()), Loads::All),
            all => {
                let words = format!("loading all {} deployments", all.len());
                self.say_loading(words, Loads::All);
            }
        }
        self.fetch_all();
        self.look_for_changes();
    }

    /// Fetches all deployments.
    fn fetch_all(&mut self) {
        for deployment in &self.deployments.list {
            self.deployments.agenda.ask(deployment.uuid(), self.now);
        }
        self.refresh_due();
    }

    /// Warns that the archive was lost, until Esc. Its fixes come with the next answers.
    pub(crate) fn archive_lost(&mut self, words: String) {
        self.warn_until_esc(words);
        self.fetch_all();
    }

    /// `true` if a map shows the track of a deployment, or will.
    fn is_wanted_whole(&self, uuid: Uuid) -> bool {
        let mark = self
            .deployments
            .get(uuid)
            .and_then(|deployment| deployment.mark);
        self.deployments.open == Some(uuid) || mark.is_some()
    }
}

impl Shared {
    /// Handles the news of a fetch; ignores those of a superseded request.
    pub(crate) fn fetch_news(&mut self, request: RequestId, news: FetchNews) {
        let uuid = self.deployments.with_request(request);
        let known = uuid.and_then(|uuid| Some((uuid, self.deployments.get_mut(uuid)?)));
        let Some((uuid, known)) = known else {
            return;
        };
        if !matches!(news, FetchNews::Assembled(_)) {
            known.track.loading = None;
        }
        match news {
            FetchNews::Assembled(loaded) => self.assembled(uuid, loaded),
            FetchNews::NotDue { wait_s } => self.not_due(uuid, wait_s),
            FetchNews::Ended { outcome, track } => self.fetch_ended(uuid, outcome, track),
        }
    }

    /// Shows a track that is not archived yet, unless a track is shown already.
    fn assembled(&mut self, uuid: Uuid, loaded: LoadedTrack) {
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        let chosen = deployment.options(loaded.options.now);
        if deployment.track.newest().is_some() || !loaded.options.same_choices(&chosen) {
            return;
        }
        self.show_track(uuid, loaded)
    }

    /// Shows the archived track if there is none yet, or if another program has stored a
    /// newer one. Archived flags apply from now on, after those set since the start.
    pub(crate) fn stored_arrived(
        &mut self,
        uuid: Uuid,
        overrides: FlagOverrides,
        loaded: Option<LoadedTrack>,
    ) {
        let is_open = self.deployments.open == Some(uuid);
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        deployment.overrides = overrides.merged_with(&deployment.overrides);
        match loaded {
            Some(loaded) => {
                deployment.has_baseline = true;
                match deployment.track.newest() {
                    None => self.take(uuid, loaded),
                    Some(shown) if is_newer(&loaded, shown) => self.take_of_another(uuid, loaded),
                    Some(_) => self.reassemble(uuid),
                }
            }
            // The response could not be stored: only the service has the track.
            None if (is_open || deployment.mark.is_some())
                && !deployment.track.is_held()
                && deployment.track.has_data() =>
            {
                self.fetch(uuid)
            }
            None => self.reassemble(uuid),
        }
    }

    /// The overviews of deployments were read, or computed from stored fixes.
    pub(crate) fn overviews_arrived(&mut self, read: Vec<ReadOverview>) {
        let now = self.now;
        let mut changed: Vec<Uuid> = Vec::new();
        let mut answers = Vec::new();
        for read in read {
            let Some(deployment) = self.deployments.get_mut(read.uuid) else {
                continue;
            };
            deployment.has_baseline = true;
            if !read.overrides.is_empty() {
                deployment.overrides = read.overrides.merged_with(&deployment.overrides);
            }
            let Some(overview) = read.overview else {
                continue;
            };
            let before = deployment.track.fetched_at();
            // A newer response is shown already.
            let is_overtaken =
                before.is_some_and(|before| read.fetched_at < before && before <= now);
            if !deployment.track.is_held() && !is_overtaken {
                let had = deployment.overview().map_or(0, |overview| overview.fixes);
                let new = overview.fixes.saturating_sub(had);
                let at = read.fetched_at;
                deployment.track.show_overview(overview, read.options, at);
                // Another program has fetched it: that counts as fetched.
                if before.is_some_and(|before| at > before) {
                    deployment.of_another(new);
                    answers.push((read.uuid, at.min(now)));
                }
            }
            if deployment.track.is_held()
                || deployment
                    .track
                    .shows_other_choices(&deployment.options(now))
            {
                changed.push(read.uuid);
            }
        }
        self.deployments.values_changed();
        for (uuid, at) in answers {
            self.deployments.answered_to_another(uuid, at);
        }
        for uuid in changed {
            self.reassemble(uuid);
        }
    }

    /// A fetch has ended: shows its track if that was drawn, else its overview.
    fn fetch_ended(
        &mut self,
        uuid: Uuid,
        outcome: Result<Box<Update>, Failure>,
        track: Option<Arc<PreparedTrack>>,
    ) {
        let now = self.now;
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        match outcome {
            Ok(update) => {
                deployment.track.failure = None;
                deployment.track.is_answered = true;
                // The first response of a deployment adds nothing.
                deployment.delta = update.delta.filter(|_| deployment.has_baseline);
                deployment.has_baseline = true;
                deployment.unstored.clone_from(&update.unstored);
                deployment.notes.clone_from(&update.notes);
                self.service.connection = Connection::Good(now);
                self.service.token.accept();
                match track {
                    Some(track) => {
                        let options = update.options;
                        let fetched_at = update.fetched_at;
                        let loaded = LoadedTrack {
                            track,
                            options,
                            fetched_at,
                        };
                        self.take(uuid, loaded)
                    }
                    None => self.take_overview(uuid, *update),
                }
                self.deployments.answered(uuid, now);
            }
            Err(failure) if failure.kind == FailureKind::Interrupted => {
                self.deployments.agenda.given_up(uuid, now);
            }
            Err(failure) => {
                deployment.track.failure = Some((failure.clone(), now));
                deployment.track.is_answered =
                    Refusal::from_failure(&failure) == Some(Refusal::OfDeployment);
                self.deployments.values_changed();
                self.failed(uuid, failure);
            }
        }
        self.refresh_due();
    }

    /// A track that arrived is shown, or assembled again first where the user
    /// has chosen otherwise since it was begun.
    pub(crate) fn take(&mut self, uuid: Uuid, loaded: LoadedTrack) {
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        if loaded
            .options
            .same_choices(&deployment.options(loaded.options.now))
        {
            return self.show_track(uuid, loaded);
        }
        deployment.track.pending = Some(loaded);
        self.reassemble(uuid)
    }

    /// Shows the overview of a track after a fetch. If the track itself is in memory or
    /// needed, it is fetched.
    fn take_overview(&mut self, uuid: Uuid, update: Update) {
        let wanted = self.is_wanted_whole(uuid);
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        if deployment.track.is_held() || wanted {
            return self.fetch(uuid);
        }
        let at = update.fetched_at;
        deployment
            .track
            .show_overview(update.overview, update.options, at);
        self.deployments.values_changed();
        self.reassemble(uuid)
    }

    /// Assembles the newest track again if the choices have changed.
    pub(crate) fn reassemble(&mut self, uuid: Uuid) {
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        let options = deployment.options(self.now);
        if let Some(pending) = &deployment.track.pending
            && pending.options.same_choices(&options)
        {
            // The user went back to the choices that it was made with.
            let pending = pending.clone();
            return self.take(uuid, pending);
        }
        let newest = deployment.track.newest().cloned();
        let is_other = deployment.track.shows_other_choices(&options);
        match newest {
            Some(loaded) if !loaded.options.same_choices(&options) => {
                return self.assemble_again(uuid, loaded, options);
            }
            None if is_other => self.send(Effect::LoadOverviews(vec![(uuid, options)])),
            _ => {}
        }
        self.cancel_job(JobKind::Assembled(uuid));
    }

    /// Assembles a track with other choices, and shows it unless something newer arrived or
    /// something else was chosen meanwhile.
    fn assemble_again(&mut self, uuid: Uuid, loaded: LoadedTrack, options: TrackOptions) {
        let fixes = loaded.track.len();
        let work = move || {
            let track = Arc::new(loaded.track.track().reassembled(&options));
            Computed::Assembled(LoadedTrack {
                track: Arc::new(PreparedTrack::new(track)),
                options: Box::new(options),
                ..loaded
            })
        };
        self.compute(JobKind::Assembled(uuid), fixes, work);
    }

    /// Shows a track: list, rows, cursor and time range follow.
    pub(in crate::dashboard) fn show_track(&mut self, uuid: Uuid, loaded: LoadedTrack) {
        self.cancel_job(JobKind::Assembled(uuid));
        let Some(deployment) = self.deployments.get_mut(uuid) else {
            return;
        };
        deployment.track.show(loaded);
        // The rows are sorted once before the next frame: until then a key acts on the
        // row that the user sees.
        self.deployments.values_changed();
        if self.deployments.open.is_none() {
            self.deployments.open = Some(uuid);
        }
        self.deployments.let_go();
    }
}

/// `true` if a stored track has more than the shown one: it was received later, or by a
/// computer whose clock is behind.
fn is_newer(stored: &LoadedTrack, shown: &LoadedTrack) -> bool {
    stored.fetched_at > shown.fetched_at || stored.track.len() > shown.track.len()
}
