//! The source of the records of a deployment: a service over HTTP, a program that a service
//! is, or files. Whatever is done with them afterwards is the same.

pub(crate) mod files;
pub(crate) mod input;

use std::sync::Arc;
use std::time::Instant;

use crate::app::session::{Session, Setup, no_plants};
use crate::failure::Failure;
use crate::service::{Command, ProgressSink};
use crate::track::field::FieldChoice;
use crate::watch::DeploymentId;
use crate::watch::{Answer, RequestBasis};
use files::Files;

/// A source of records. A clone is cheap and shares all of it.
#[derive(Clone)]
pub(crate) enum Source {
    /// A service over HTTP.
    Service(Session),
    /// A program that prints records. The session is for the list of deployments, which such a
    /// service may have at a URL.
    Command(Arc<Command>, Session),
    /// Files and pipes.
    Files(Arc<Files>),
}

impl Source {
    /// The source that a setup describes, before any request.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub(crate) fn new(setup: Setup) -> Result<Self, Failure> {
        let command = Command::new(&setup.connection);
        let session = Session::new(setup)?;
        Ok(match command {
            Some(command) => Self::Command(Arc::new(command), session),
            None => Self::Service(session),
        })
    }

    /// The records of a deployment. A service sends them only if they changed since those of the
    /// validators in `basis`. Dropping the future
    /// cancels the request.
    ///
    /// # Errors
    /// [`Failure`] of the request, or of reading the file.
    pub(crate) async fn track(
        &self,
        deployment: &DeploymentId,
        basis: &RequestBasis,
        progress: Option<ProgressSink>,
    ) -> Result<Answer, Failure> {
        let began = Instant::now();
        let mut answer = match self {
            Self::Service(session) => session.track(deployment, basis, progress).await,
            Self::Command(command, _) => command.track(deployment, basis).await,
            Self::Files(files) => Files::track(files, deployment.uuid).await,
        }?;
        answer.took_s = began.elapsed().as_secs_f64();
        Ok(answer)
    }

    /// The name by which its responses are stored.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Service(session) | Self::Command(_, session) => session.service_name(),
            Self::Files(_) => "files".to_owned(),
        }
    }

    /// The fields that are requested in addition to the three numbers; `None` for all.
    pub(crate) fn fields(&self) -> Option<&FieldChoice> {
        match self {
            Self::Service(session) | Self::Command(_, session) => session.client().asked_fields(),
            Self::Files(_) => None,
        }
    }

    /// The session with the service, for its token, its list and its plants.
    ///
    /// # Errors
    /// A failure of the kind `Usage` for files, which have none.
    pub(crate) fn session(&self) -> Result<&Session, Failure> {
        match self {
            Self::Service(session) | Self::Command(_, session) => Ok(session),
            Self::Files(_) => Err(no_plants()),
        }
    }
}
