//! Resolves host names. A name for loopback must resolve to loopback addresses
//! only, or a token would leave this computer.

use std::net::{SocketAddr, ToSocketAddrs};
use std::thread;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::oneshot;

use crate::os::loopback;

/// Calls the system's resolver on a thread that does not delay the exit of the
/// program: a resolver can block for a long time.
pub(super) struct Resolver;

/// The error for a loopback name that resolves to another address.
#[derive(Debug, thiserror::Error)]
#[error("the name {name} resolves to {} here, which is not this machine", address.ip())]
pub(super) struct NotLoopback {
    /// The host name.
    pub name: String,
    /// The address that is not loopback.
    pub address: SocketAddr,
}

/// The error for a name without an address.
#[derive(Debug, thiserror::Error)]
#[error("the name {0} cannot be found")]
pub(super) struct NotFound(pub String);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            let (send, answer) = oneshot::channel();
            let asked = name.clone();
            thread::Builder::new()
                .name("resolver".to_owned())
                .spawn(move || {
                    let found = (asked.as_str(), 0)
                        .to_socket_addrs()
                        .map(Iterator::collect::<Vec<_>>);
                    // Fails if the request has ended meanwhile, which needs no
                    // handling.
                    let _ = send.send(found);
                })?;
            let found = match answer.await {
                Ok(Ok(found)) if !found.is_empty() => found,
                _ => return Err(NotFound(name).into()),
            };
            Ok(Box::new(checked(&name, found)?.into_iter()) as Addrs)
        })
    }
}

/// Returns the addresses of `name`, if all are permitted for that name.
fn checked(name: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, NotLoopback> {
    if loopback::is_host(name)
        && let Some(address) = found.iter().find(|found| !loopback::is_ip(found.ip()))
    {
        return Err(NotLoopback {
            name: name.to_owned(),
            address: *address,
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_must_be_loopback_in_all_its_addresses() {
        let loopback: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let elsewhere: SocketAddr = "10.0.0.1:0".parse().unwrap();
        assert!(checked("localhost", vec![loopback]).is_ok());
        assert!(checked("localhost", vec![loopback, elsewhere]).is_err());
        assert!(checked("a.localhost", vec![elsewhere]).is_err());
        assert!(checked("example.org", vec![loopback, elsewhere]).is_ok());
    }
}
