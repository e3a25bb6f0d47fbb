//! The rule by which a host is this computer. It decides where a token may be
//! sent unencrypted, for which hosts a proxy is not used, which host names the
//! embedded service accepts, and which sources of a track may be one service.
//!
//! The rule applies to the parsed host: an IP address of 127.0.0.0/8, `::1`, or
//! one of 127.0.0.0/8 mapped into IPv6; the name `localhost` or one below it
//! (RFC 6761, section 6.3), in any case and with or without a trailing dot. A
//! name is loopback only if all its addresses are; the resolver checks that
//! with [`is_ip`].

use std::net::{IpAddr, Ipv6Addr};

/// `true` if an IP address is loopback, also one mapped into IPv6.
pub(crate) fn is_ip(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// `true` if a parsed host is loopback: a name, an IPv4 address of four numbers,
/// or an IPv6 address in brackets.
pub(crate) fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[') {
        return inner
            .strip_suffix(']')
            .and_then(|inner| inner.parse::<Ipv6Addr>().ok())
            .is_some_and(|ip| is_ip(ip.into()));
    }
    if let Ok(ip) = host.parse::<IpAddr>() {
        return is_ip(ip);
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    last.eq_ignore_ascii_case("localhost")
}

/// `true` if a host, with or without a port, is loopback.
pub(crate) fn is_authority(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    is_host(host)
}

/// `true` if a base URL in canonical form (`http://host:8080/api`) is loopback.
pub(crate) fn is_address(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    is_authority(rest.split('/').next().unwrap_or_default())
}

/// `true` if two base URLs may belong to one service. All loopback URLs may: a
/// tunnel may be behind them, and its port does not identify the service.
pub(crate) fn may_be_one_service(address: &str, other: &str) -> bool {
    address == other || (is_address(address) && is_address(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_loopback_alone_with_a_port_and_in_an_address() {
        for host in [
            "127.0.0.1",
            "127.255.255.254",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "demo.localhost",
        ] {
            assert!(is_host(host), "{host}");
            assert!(is_authority(&format!("{host}:8080")), "{host}");
            assert!(is_authority(&format!("{host}:")), "{host}");
            assert!(is_address(&format!("http://{host}")), "{host}");
            assert!(is_address(&format!("https://{host}:1/api/v1")), "{host}");
        }
        for host in [
            "",
            "0.0.0.0",
            "10.0.0.1",
            "127.1",
            "127.example",
            "127.0.0.1.evil.example",
            "[::]",
            "[::2]",
            "[::ffff:10.0.0.1]",
            "[127.0.0.1]",
            "[::1",
            "[localhost]",
            "localhost.evil.example",
            "xlocalhost",
            "localhost..",
        ] {
            assert!(!is_host(host), "{host}");
            assert!(!is_authority(&format!("{host}:8080")), "{host}");
            assert!(!is_address(&format!("http://{host}:1/localhost")), "{host}");
        }
    }

    #[test]
    fn the_port_of_a_tunnel_may_be_no_other_service() {
        assert!(may_be_one_service(
            "http://127.0.0.1:1/api",
            "http://localhost:2/api"
        ));
        // All spellings of loopback, by the rule of [`crate::os::loopback`].
        assert!(may_be_one_service(
            "http://[::ffff:7f00:1]:1",
            "http://demo.localhost/api"
        ));
        assert!(may_be_one_service("https://a.example", "https://a.example"));
        assert!(!may_be_one_service(
            "https://a.example",
            "https://a.example:444"
        ));
        assert!(!may_be_one_service(
            "http://127.0.0.1:1",
            "https://127.example"
        ));
    }
}
