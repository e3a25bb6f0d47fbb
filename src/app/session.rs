//! A session: one profile at one service, with its token after the first
//! look-up.

pub(crate) mod connect;
pub(crate) mod login;

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::Mutex;

use crate::failure::{Failure, FailureKind};
use crate::plant::log::PlantService;
use crate::service::{Address, Client, Connection, ProgressSink};
use crate::token::{Account, Source, Token, keyring};
use crate::watch::DeploymentId;
use crate::watch::listed::DeploymentList;
use crate::watch::{Answer, RequestBasis};

/// The source of a session's token.
#[derive(Debug, Clone)]
pub(crate) enum TokenFrom {
    /// `DRIFTLINE_TOKEN`, else the keyring.
    EnvironmentOrKeyring,
    /// This token: the environment and the keyring are never read (the demo).
    Given(Token),
    /// The service takes none.
    NotNeeded,
}

/// The options of a session.
#[derive(Clone)]
pub(crate) struct Setup {
    /// Name of the profile.
    pub profile: String,
    /// The address of its requests, and their limits.
    pub connection: Connection,
    /// The source of the token.
    pub token: TokenFrom,
    /// Receives a sentence about a long wait.
    pub waiting: Option<Waiting>,
}

/// A callback that receives a sentence about a long wait.
pub(crate) type Waiting = Arc<dyn Fn(&'static str) + Send + Sync>;

/// Wait after which the reason is shown to the user.
const UNEXPLAINED: Duration = Duration::from_secs(2);

impl Setup {
    /// A setup with the default limits, and the token of the environment or the keyring.
    pub(crate) fn new(profile: impl Into<String>, base: Address, sandbox: Address) -> Self {
        Self {
            profile: profile.into(),
            connection: Connection::new(base, sandbox),
            token: TokenFrom::EnvironmentOrKeyring,
            waiting: None,
        }
    }
}

/// The failure for plants at a service of another kind.
pub(crate) fn no_plants() -> Failure {
    Failure::usage("this kind of service has no plants")
        .with_hint("Choose a profile without `service`.")
}

/// A profile at a service. A clone is cheap and shares the token.
#[derive(Clone)]
pub(crate) struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    setup: Setup,
    client: Client,
    // Locked during a look-up, so that the keyring is read once only.
    slot: Mutex<Slot>,
}

#[derive(Default)]
struct Slot {
    token: Option<(Token, Source)>,
    // Whether the service has accepted the token.
    worked: bool,
    // Whether it was typed in, so that it may be stored nowhere else.
    typed: bool,
    // When and how the last look-up failed; requests that waited for it share
    // the failure.
    failed: Option<(Instant, Failure)>,
}

impl Session {
    /// Creates a session, without network or keyring access.
    ///
    /// # Errors
    /// [`FailureKind::Usage`] if the token would be sent over plain http to
    /// another computer.
    pub(crate) fn new(setup: Setup) -> Result<Self, Failure> {
        let connection = &setup.connection;
        let addresses = if connection.needs_token() {
            vec![&connection.base, &connection.sandbox]
        } else {
            Vec::new()
        };
        for address in addresses {
            address
                .may_carry_token(connection.allow_insecure_http)
                .map_err(|error| Failure::usage(format!("{error} {:?}", setup.profile)))?;
        }
        let client = Client::new(connection.clone());
        let token = match &setup.token {
            TokenFrom::EnvironmentOrKeyring => None,
            TokenFrom::Given(token) => Some((token.clone(), Source::Given)),
            TokenFrom::NotNeeded => Some((Token::none(), Source::Given)),
        };
        Ok(Self {
            inner: Arc::new(Inner {
                setup,
                client,
                slot: Mutex::new(Slot {
                    token,
                    ..Slot::default()
                }),
            }),
        })
    }

    /// Name of the profile.
    pub(crate) fn profile(&self) -> &str {
        &self.inner.setup.profile
    }

    /// Base URL of the service.
    pub(crate) fn base(&self) -> &Address {
        &self.inner.setup.connection.base
    }

    /// The name of the service, by which its answers are known.
    pub(crate) fn service_name(&self) -> String {
        self.inner.setup.connection.service_name()
    }

    /// Base URL at which plants are created.
    pub(crate) fn sandbox(&self) -> &Address {
        &self.inner.setup.connection.sandbox
    }

    /// The service that plants belong to, as the plant log has it.
    pub(crate) fn plant_service(&self) -> PlantService {
        PlantService::new(self.base(), self.sandbox())
    }

    /// `true` if the token is sent unencrypted to another computer, as the
    /// profile allows; the screen shows that permanently.
    pub(crate) fn is_insecure(&self) -> bool {
        let may_not = |address: &&Address| address.may_carry_token(false).is_err();
        self.inner.setup.connection.needs_token()
            && [self.base(), self.sandbox()].iter().any(may_not)
    }

    /// The account of the token in the keyring.
    pub(crate) fn account(&self) -> Account {
        Account::new(self.profile(), &self.base().to_string())
    }

    pub(crate) fn client(&self) -> &Client {
        &self.inner.client
    }

    /// `true` if the service takes no token.
    pub(crate) fn needs_no_token(&self) -> bool {
        matches!(self.inner.setup.token, TokenFrom::NotNeeded)
    }

    /// `true` if the environment and the keyring are never read (the demo).
    pub(crate) fn keeps_to_itself(&self) -> bool {
        !matches!(self.inner.setup.token, TokenFrom::EnvironmentOrKeyring)
    }

    /// The token, looked up at the first call: environment, then keyring.
    pub(crate) async fn token(&self) -> Result<(Token, Source), Failure> {
        let asked = Instant::now();
        let mut slot = self.inner.slot.lock().await;
        if let Some(known) = slot.token.as_ref() {
            return Ok(known.clone());
        }
        if let Some((_, failure)) = slot.failed.as_ref().filter(|(at, _)| *at >= asked) {
            return Err(failure.clone());
        }
        match self.look_up().await {
            Ok(found) => {
                slot.token = Some(found.clone());
                Ok(found)
            }
            Err(failure) => {
                slot.failed = Some((Instant::now(), failure.clone()));
                Err(failure)
            }
        }
    }

    /// The token for a request about a plant.
    ///
    /// # Errors
    /// As [`Session::token`]; [`FailureKind::Usage`] where the service has no plants.
    pub(crate) async fn token_for_plants(&self) -> Result<(Token, Source), Failure> {
        match self.inner.setup.connection.service {
            None => self.token().await,
            Some(_) => Err(no_plants()),
        }
    }

    async fn look_up(&self) -> Result<(Token, Source), Failure> {
        let given = Token::from_environment().map_err(|error| {
            let hint = "It is the token alone, without quotes or line ends.";
            Failure::usage(error.to_string()).with_hint(hint)
        })?;
        if let Some(given) = given {
            return Ok(given);
        }
        let (why, hint) = match self.keyring(keyring::read(&self.account())).await {
            Ok(Some(token)) => return Ok((token, Source::Keyring)),
            Ok(None) => (
                "the OS keyring has no entry for it".to_owned(),
                "Run `driftline auth login`, or set DRIFTLINE_TOKEN. If you did log in, the keyring may be damaged: `secret-tool search service driftline` shows what it holds.",
            ),
            Err(error) => (error.to_string(), error.hint()),
        };
        Err(Failure::new(
            FailureKind::NotAuthenticated,
            format!(
                "no token for profile {:?} at {}: DRIFTLINE_TOKEN is not set, and {why}",
                self.profile(),
                self.base()
            ),
            hint,
        ))
    }

    /// The records of a deployment; with validators in `basis`, only if they changed.
    ///
    /// # Errors
    /// As of every request.
    pub(crate) async fn track(
        &self,
        deployment: &DeploymentId,
        basis: &RequestBasis,
        progress: Option<ProgressSink>,
    ) -> Result<Answer, Failure> {
        let (token, _) = self.token().await?;
        let answer = self
            .client()
            .deployment_data(&token, deployment, basis, progress);
        self.checked(answer.await).await
    }

    /// The deployments that the service lists.
    ///
    /// # Errors
    /// As of every request; [`FailureKind::Usage`] if it has no list.
    pub(crate) async fn listed(&self) -> Result<DeploymentList, Failure> {
        let (token, _) = self.token().await?;
        self.checked(self.client().listed(&token).await).await
    }

    /// Handles a failed request: discards a rejected token, so that the next
    /// request finds a token that was stored meanwhile. A 403 may be about what was
    /// requested: a token that has worked remains, and a typed token, which may be stored
    /// nowhere else.
    pub(crate) async fn token_failed(&self, failure: Failure) -> Failure {
        if self.needs_no_token() && failure.is_of_token() {
            return failure
                .with_hint("The service is set up with `auth = \"none\"`, so no token was sent: set `auth` to how it takes a token, such as \"bearer\".");
        }
        if self.keeps_to_itself() {
            return failure;
        }
        let mut slot = self.inner.slot.lock().await;
        let failure = match failure.kind {
            FailureKind::NotAuthenticated if failure.service.is_some() && !slot.typed => {
                failure.with_hint(other_token())
            }
            _ => failure,
        };
        let forget = match failure.kind {
            FailureKind::NotAuthenticated => !slot.typed,
            FailureKind::Forbidden => !slot.typed && !slot.worked,
            _ => false,
        };
        if forget {
            *slot = Slot::default();
        }
        failure
    }

    /// The result of a request, handled by [`Session::token_failed`] if it
    /// failed.
    pub(crate) async fn checked<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        match result {
            Ok(done) => {
                self.inner.slot.lock().await.worked = true;
                Ok(done)
            }
            Err(failure) => Err(self.token_failed(failure).await),
        }
    }

    /// Waits for the keyring; shows the reason after [`UNEXPLAINED`].
    pub(crate) async fn keyring<T>(&self, answer: impl Future<Output = T>) -> T {
        let mut answer = std::pin::pin!(answer);
        if let Ok(answer) = tokio::time::timeout(UNEXPLAINED, &mut answer).await {
            return answer;
        }
        if let Some(waiting) = &self.inner.setup.waiting {
            waiting("the OS keyring has not answered yet; a dialog of it may be open");
        }
        answer.await
    }

    /// Uses `token`, which was typed in, from now on.
    pub(crate) async fn adopt(&self, token: Token, source: Source) {
        *self.inner.slot.lock().await = Slot {
            token: Some((token, source)),
            typed: true,
            ..Slot::default()
        };
    }

    /// Discards the token, so that the next request looks it up again and finds
    /// a token that `driftline auth login` stored meanwhile.
    pub(crate) async fn forget_token(&self) {
        if !self.keeps_to_itself() {
            *self.inner.slot.lock().await = Slot::default();
        }
    }
}

/// A hint for a token that the service rejected, by its source.
fn other_token() -> String {
    let given = Token::from_environment().ok().flatten();
    match given.map(|(_, source)| source) {
        Some(Source::Environment) => "The token in DRIFTLINE_TOKEN is wrong, and the keyring is not asked while it is set: put a valid one there, or unset it to use that of `driftline auth login`.".to_owned(),
        Some(source) => format!("The token is that of {}: put a valid one there.", source.words()),
        None => "Log in again with `driftline auth login`, or set DRIFTLINE_TOKEN.".to_owned(),
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("profile", &self.profile())
            .field("base", self.base())
            .field("sandbox", self.sandbox())
            .finish_non_exhaustive()
    }
}
