//! Checks and stores what the user typed into the form of the first start.

use std::path::Path;

use uuid::Uuid;
use zeroize::Zeroizing;

use super::settings_file::rewrite;
use crate::failure::Failure;
use crate::service::Address;
use crate::settings::with_base_url;
use crate::token::Token;

/// A service to use from now on.
#[derive(Clone)]
pub(crate) struct NewService {
    /// Its base URL as typed.
    pub address: String,
    /// The token; `None` to enter it later.
    pub token: Option<Zeroizing<String>>,
    /// The first deployment to watch.
    pub deployment: Option<Uuid>,
}

/// The faults in a typed address and token; empty if there are none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NewServiceFaults {
    /// Of the address.
    pub address: String,
    /// Of the token.
    pub token: String,
}

impl NewService {
    /// Checks address and token, without a request.
    ///
    /// # Errors
    /// The message to show at each field.
    pub(crate) fn check(&self) -> Result<(), NewServiceFaults> {
        let faults = NewServiceFaults {
            address: address_fault(&self.address),
            token: self.token.as_ref().map_or_else(String::new, token_fault),
        };
        if faults == NewServiceFaults::default() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    /// Writes the address into the configuration file, which is made if it is
    /// not there; the rest of the file stays as it is.
    ///
    /// # Errors
    /// [`FailureKind::Other`](crate::failure::FailureKind::Other) if the file cannot be read or written.
    pub(crate) fn save(&self, file: &Path) -> Result<(), Failure> {
        let hint = "DRIFTLINE_BASE_URL sets the address without a file.";
        rewrite(file, hint, |text| Ok(with_base_url(text, &self.address)))
    }
}

/// A description of the fault in the address of a service; empty if there is none.
pub(crate) fn address_fault(typed: &str) -> String {
    let address = typed
        .parse::<Address>()
        .and_then(|address| address.may_carry_token(false));
    address.err().map_or_else(String::new, |e| e.to_string())
}

/// A description of the fault in a token; empty if there is none.
pub(crate) fn token_fault(typed: &Zeroizing<String>) -> String {
    match Token::new(typed.to_string()) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(address: &str, token: Option<&str>) -> NewService {
        NewService {
            address: address.to_owned(),
            token: token.map(|token| Zeroizing::new(token.to_owned())),
            deployment: None,
        }
    }

    #[test]
    fn each_field_is_told_what_is_wrong_with_it() {
        assert_eq!(new("https://a.example", Some("abc")).check(), Ok(()));
        assert_eq!(new("http://127.0.0.1:8080/x", None).check(), Ok(()));
        let faults = new("service.example", Some("a b")).check().unwrap_err();
        assert!(faults.address.contains("https://"), "{}", faults.address);
        assert!(!faults.token.is_empty());
        let faults = new("http://a.example", None).check().unwrap_err();
        assert!(faults.address.contains("plain http"), "{}", faults.address);
        assert!(faults.token.is_empty());
    }

    #[test]
    fn the_file_is_made_and_what_it_had_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("driftline").join("config.toml");
        new("https://a.example", None).save(&file).unwrap();
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
        new("https://b.example", None).save(&file).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            "base_url = \"https://b.example\"\n# mine\nunits = \"si\"\n"
        );
    }
}
