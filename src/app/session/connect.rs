//! Builds a session and an archive from the settings.

use std::sync::Arc;

use crate::app::session::{Setup, TokenFrom};
use crate::app::store::Store;
use crate::app::watch_list;
use crate::archive::Listed;
use crate::failure::{Failure, FailureKind};
use crate::mapping::{Mapping, Service};
use crate::plant::log::PlantService;
use crate::service::Address;
use crate::settings::{Settings, Source};
use crate::token::Token;
use crate::track::field::FieldChoice;

/// The session setup from the settings.
///
/// # Errors
/// [`FailureKind::Usage`] if no service is set, or a setting is invalid.
pub(crate) fn setup(settings: &Settings) -> Result<Setup, Failure> {
    let is_command = |service: &Mapping| !service.command.is_empty();
    let base = match &settings.service {
        Some(service) if is_command(service) => Some(NOWHERE),
        _ => settings.base_url.as_deref(),
    };
    let Some(base) = base else {
        return Err(Failure::usage(format!("no service is set for profile '{}'", settings.profile))
            .with_hint(match &settings.config {
                Some(file) => format!(
                    "Set base_url in {}, DRIFTLINE_BASE_URL or --base-url; `driftline demo` needs none.",
                    file.display()
                ),
                None => {
                    "Set DRIFTLINE_BASE_URL or --base-url; `driftline demo` needs none.".to_owned()
                }
            }));
    };
    let base = address(as_given(settings, "base_url"), base)?;
    let sandbox = match &settings.sandbox_url {
        Some(sandbox) => address(as_given(settings, "sandbox_url"), sandbox)?,
        None => base.clone(),
    };
    let mut setup = Setup::new(settings.profile.clone(), base, sandbox);
    setup.connection.allow_insecure_http = settings.allow_insecure_http;
    setup.connection.timeout = settings.timeout;
    setup.connection.max_response = settings.max_response;
    setup.connection.fields = settings.fields.clone().map(FieldChoice::new);
    if let Some(service) = service(settings)? {
        if !service.mapping.needs_token() {
            setup.token = TokenFrom::NotNeeded;
        }
        setup.connection.service = Some(Arc::new(service));
    }
    Ok(setup)
}

/// The address of a service that a program requests.
const NOWHERE: &str = "http://localhost";

/// The service in use, if it has a different interface. Its name is its base URL, or the
/// profile of a program.
///
/// # Errors
/// [`FailureKind::Usage`] if the address is invalid.
pub(crate) fn service(settings: &Settings) -> Result<Option<Service>, Failure> {
    let Some(mapping) = settings.service.clone() else {
        return Ok(None);
    };
    let name = match &settings.base_url {
        Some(base) => canonical_address("base_url", base)?,
        None => settings.profile.clone(),
    };
    Ok(Some(Service { name, mapping }))
}

/// Looks at the addresses of the settings, which some commands never request.
///
/// # Errors
/// [`FailureKind::Usage`] if one is invalid.
pub(crate) fn check_addresses(settings: &Settings) -> Result<(), Failure> {
    let addresses = [
        ("base_url", &settings.base_url),
        ("sandbox_url", &settings.sandbox_url),
    ];
    for (name, url) in addresses {
        if let Some(url) = url {
            address(as_given(settings, name), url)?;
        }
    }
    Ok(())
}

/// The service that plants belong to, as the plant log has it; `None` if no service is set.
///
/// # Errors
/// [`FailureKind::Usage`] if an address is invalid.
pub(crate) fn plant_service(settings: &Settings) -> Result<Option<PlantService>, Failure> {
    let Some(base) = &settings.base_url else {
        return Ok(None);
    };
    let base = canonical_address("base_url", base)?;
    let sandbox = match &settings.sandbox_url {
        Some(sandbox) => canonical_address("sandbox_url", sandbox)?,
        None => base.clone(),
    };
    Ok(Some(PlantService { base, sandbox }))
}

/// The session setup for the embedded service, with its own token; the
/// environment and the keyring are not read.
///
/// # Errors
/// [`FailureKind::Usage`] if a URL or the token is invalid.
pub(crate) fn embedded_setup(
    profile: &str,
    base_url: &str,
    sandbox_url: &str,
    token: &str,
) -> Result<Setup, Failure> {
    let mut setup = Setup::new(
        profile,
        address("base_url", base_url)?,
        address("sandbox_url", sandbox_url)?,
    );
    let token = Token::new(token.to_owned()).map_err(|error| Failure::usage(error.to_string()))?;
    setup.token = TokenFrom::Given(token);
    Ok(setup)
}

/// The archive from the settings, not opened yet, which lists the deployments of the
/// service in use.
pub(crate) fn store(settings: &Settings) -> Store {
    let listed = match service(settings) {
        Ok(Some(service)) => Listed::Of(service.name),
        Ok(None) | Err(_) => Listed::Plain {
            base: base_in_use(settings),
            others: services_of_other_profiles(settings),
        },
    };
    store_listing(settings, listed)
}

/// The name of the service in use, by which its deployments are stored; `None` without one.
pub(crate) fn name_in_use(settings: &Settings) -> Option<String> {
    match service(settings) {
        Ok(Some(service)) => Some(service.name),
        Ok(None) | Err(_) => base_in_use(settings),
    }
}

fn base_in_use(settings: &Settings) -> Option<String> {
    let base = settings.base_url.as_ref()?;
    canonical_address("base_url", base).ok()
}

/// The base URLs and the names of the other profiles, and the other base URLs of that in use.
pub(crate) fn services_of_other_profiles(settings: &Settings) -> Vec<String> {
    let in_use = base_in_use(settings);
    let profiles = settings.profiles.iter();
    let of_profiles = profiles.flat_map(|(name, urls)| {
        let is_other = *name != settings.profile;
        let urls = urls
            .iter()
            .filter_map(|url| canonical_address("base_url", url).ok())
            .filter(|url| is_other || Some(url) != in_use.as_ref());
        urls.chain(is_other.then(|| name.clone()))
            .collect::<Vec<_>>()
    });
    of_profiles.collect()
}

/// As [`store`], but it lists the deployments of all services.
pub(crate) fn store_of_all(settings: &Settings) -> Store {
    store_listing(settings, Listed::All)
}

fn store_listing(settings: &Settings, listed: Listed) -> Store {
    match &settings.archive {
        Some(archive) => {
            let named = *settings.source("archive") != Source::Default;
            let configured = watch_list::all_configured(settings);
            Store::for_watching(archive.clone(), named, configured, listed)
        }
        None => Store::nowhere("HOME is unset, empty or relative"),
    }
}

/// The name of a setting as it was given: `--base-url`, `DRIFTLINE_BASE_URL` or `base_url`.
fn as_given(settings: &Settings, name: &'static str) -> &'static str {
    match settings.source(name) {
        Source::Flag(given) | Source::Environment(given) => given,
        Source::File { .. } | Source::Default | Source::Session => name,
    }
}

/// A base URL in canonical form.
///
/// # Errors
/// [`FailureKind::Usage`] with the name of the setting.
pub(crate) fn canonical_address(name: &str, value: &str) -> Result<String, Failure> {
    address(name, value).map(|address| address.to_string())
}

fn address(name: &str, value: &str) -> Result<Address, Failure> {
    value.parse::<Address>().map_err(|error| {
        Failure::new(
            FailureKind::Usage,
            format!("{name} cannot be used: {error}"),
            "An address looks like https://service.example/api.",
        )
    })
}
