//! Checks and stores what the user typed into the form of the first start.

use std::path::Path;

use super::settings_file::rewrite;
use crate::failure::Failure;
use crate::service::Address;
use crate::settings::with_base_url;
use crate::token::Token;

/// A description of the fault in the address of a service; empty if there is none.
pub(crate) fn address_fault(typed: &str) -> String {
    let address = typed
        .parse::<Address>()
        .and_then(|address| address.may_carry_token(false));
    address.err().map_or_else(String::new, |e| e.to_string())
}

/// A description of the fault in a token; empty if there is none.
pub(crate) fn token_fault(typed: &str) -> String {
    let token = Token::new(typed.to_owned());
    token.err().map_or_else(String::new, |e| e.to_string())
}

/// Writes the address into the configuration file, which is made if it is not there; the
/// rest of the file stays as it is.
///
/// # Errors
/// [`FailureKind::Other`](crate::failure::FailureKind::Other) if the file cannot be read or written.
pub(crate) fn save_address(file: &Path, address: &str) -> Result<(), Failure> {
    let hint = "DRIFTLINE_BASE_URL sets the address without a file.";
    rewrite(file, hint, |text| Ok(with_base_url(text, address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_told_what_is_wrong_with_it() {
        assert_eq!(address_fault("https://a.example"), "");
        assert_eq!(address_fault("http://127.0.0.1:8080/x"), "");
        assert_eq!(token_fault("abc"), "");
        assert!(address_fault("service.example").contains("https://"));
        assert!(address_fault("http://a.example").contains("plain http"));
        assert!(!token_fault("a b").is_empty());
    }

    #[test]
    fn the_file_is_made_and_what_it_had_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("driftline").join("config.toml");
        save_address(&file, "https://a.example").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "base_url = \"https://a.example\"\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&file), 0o600);
            assert_eq!(mode(file.parent().unwrap()), 0o700);
        }
        std::fs::write(&file, "# mine\nunits = \"si\"\n").unwrap();
        save_address(&file, "https://b.example").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            "base_url = \"https://b.example\"\n# mine\nunits = \"si\"\n"
        );
    }
}
