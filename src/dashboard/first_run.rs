//! The form of the first start: the address of the service, a token and a first
//! deployment. The dashboard shows it where no service is set.

pub(crate) mod screen;

use strum::{IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::effect::Secret;
use super::key::{Key, KeyCode};
use super::widgets::field::{Field, SecretField};
use crate::text;
use crate::text::choice;

/// The form.
#[derive(Debug, Clone, Default)]
pub(crate) struct FirstRun {
    /// The base URL of the service, or `demo`.
    pub address: Field,
    /// The token; empty to enter it later.
    pub token: SecretField,
    /// A UUID, or a URL that contains one; empty for none.
    pub deployment: Field,
    /// The field with the cursor.
    pub focus: FirstRunField,
}

/// A field of the form, in the order of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[allow(missing_docs)] // each variant is the field it names
pub(crate) enum FirstRunField {
    #[default]
    Address,
    Token,
    Deployment,
}

/// A filled form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstRunAnswers {
    /// The address as typed.
    pub address: String,
    /// The token; `None` without one.
    pub token: Option<Secret>,
    /// The first deployment to watch.
    pub deployment: Option<Uuid>,
}

/// The effect of a key on the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FirstRunStep {
    /// The form stays.
    Stay,
    /// The user wants the embedded service.
    Demo,
    /// The form is filled.
    Done(FirstRunAnswers),
    /// The user quits.
    Quit,
}

impl FirstRun {
    /// Handles a key. Enter goes to the next field, and in the last one ends the
    /// form.
    ///
    /// A field that is left is checked by the caller: see [`Self::left`].
    pub(crate) fn key(&mut self, key: Key) -> FirstRunStep {
        match key.code {
            KeyCode::Char('c') if key.ctrl => return FirstRunStep::Quit,
            KeyCode::Tab | KeyCode::Down => self.focus = choice::next(self.focus),
            KeyCode::BackTab | KeyCode::Up => self.focus = choice::step(self.focus, -1),
            KeyCode::Enter if self.is_demo() => return FirstRunStep::Demo,
            KeyCode::Enter if self.focus == FirstRunField::Deployment => return self.finish(),
            KeyCode::Enter => self.focus = choice::next(self.focus),
            _ => match self.focus {
                FirstRunField::Address => {
                    self.address.key(key);
                }
                FirstRunField::Token => self.token.key(key),
                FirstRunField::Deployment => {
                    self.deployment.key(key);
                }
            },
        }
        FirstRunStep::Stay
    }

    /// Stores the fault of the field that the cursor has left, empty for none. The
    /// cursor returns to a faulty field.
    pub(crate) fn left(&mut self, field: FirstRunField, fault: String) {
        if !fault.is_empty() {
            self.focus = field;
        }
        match field {
            FirstRunField::Address => self.address.error = fault,
            FirstRunField::Token => self.token.error = fault,
            FirstRunField::Deployment => self.deployment.error = fault,
        }
    }

    /// A description of the fault in the deployment; empty if there is none.
    pub(crate) fn deployment_fault(&self) -> String {
        let typed = self.deployment.text().trim();
        if typed.is_empty() || text::find_uuid(typed).is_some() {
            String::new()
        } else {
            "not a UUID, and no URL that contains one".to_owned()
        }
    }

    /// Inserts pasted text into the field with the cursor.
    pub(crate) fn paste(&mut self, text: &str) {
        match self.focus {
            FirstRunField::Address => self.address.paste(text.trim()),
            FirstRunField::Token => self.token.paste(text),
            FirstRunField::Deployment => self.deployment.paste(text.trim()),
        }
    }

    fn is_demo(&self) -> bool {
        self.address.text().trim().eq_ignore_ascii_case("demo")
    }

    fn finish(&mut self) -> FirstRunStep {
        let address = self.address.text().trim().to_owned();
        if address.is_empty() {
            "the address of the service, such as https://service.example/api"
                .clone_into(&mut self.address.error);
            self.focus = FirstRunField::Address;
            return FirstRunStep::Stay;
        }
        if self.token.is_too_long() {
            self.focus = FirstRunField::Token;
            return FirstRunStep::Stay;
        }
        let fault = self.deployment_fault();
        if !fault.is_empty() {
            self.deployment.error = fault;
            return FirstRunStep::Stay;
        }
        let deployment = text::find_uuid(self.deployment.text().trim());
        FirstRunStep::Done(FirstRunAnswers {
            address,
            token: (self.token.count() > 0).then(|| self.token.secret()),
            deployment,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa";

    fn press(form: &mut FirstRun, code: KeyCode) -> FirstRunStep {
        form.key(Key::plain(code))
    }

    fn filled(address: &str, token: &str, deployment: &str) -> FirstRunStep {
        let mut form = FirstRun::default();
        form.paste(address);
        press(&mut form, KeyCode::Enter);
        form.paste(token);
        press(&mut form, KeyCode::Tab);
        form.paste(deployment);
        press(&mut form, KeyCode::Enter)
    }

    #[test]
    fn three_fields_make_the_answers() {
        let url = format!("https://service.example/deployment/data/{UUID}");
        let FirstRunStep::Done(answers) = filled(" https://service.example \n", "abc\n", &url)
        else {
            panic!("the form is not done");
        };
        assert_eq!(answers.address, "https://service.example");
        assert_eq!(
            answers.token.map(|secret| secret.0.to_string()),
            Some("abc".to_owned())
        );
        assert_eq!(answers.deployment, UUID.parse().ok());
    }

    #[test]
    fn token_and_deployment_may_be_empty_and_the_address_may_not() {
        let FirstRunStep::Done(answers) = filled("https://service.example", "", "") else {
            panic!("the form is not done");
        };
        assert_eq!((answers.token, answers.deployment), (None, None));
        assert_eq!(filled("", "abc", UUID), FirstRunStep::Stay);
        assert_eq!(
            filled("https://service.example", "", "buoy 7"),
            FirstRunStep::Stay
        );
    }

    #[test]
    fn the_cursor_returns_to_a_field_that_is_left_with_a_fault() {
        let mut form = FirstRun::default();
        form.paste("service.example");
        press(&mut form, KeyCode::Tab);
        assert_eq!(form.focus, FirstRunField::Token);
        form.left(
            FirstRunField::Address,
            "must begin with https://".to_owned(),
        );
        assert_eq!(form.focus, FirstRunField::Address);
        assert_eq!(form.address.error, "must begin with https://");
        press(&mut form, KeyCode::Tab);
        form.left(FirstRunField::Address, String::new());
        assert_eq!(form.focus, FirstRunField::Token);
        assert!(form.address.error.is_empty());
    }

    #[test]
    fn demo_as_address_opens_the_demo_at_once() {
        let mut form = FirstRun::default();
        for letter in "Demo".chars() {
            form.key(Key::char(letter));
        }
        assert_eq!(press(&mut form, KeyCode::Enter), FirstRunStep::Demo);
    }

    #[test]
    fn every_printable_key_is_text_and_esc_keeps_the_form() {
        let mut form = FirstRun::default();
        for letter in "q?:/".chars() {
            assert_eq!(form.key(Key::char(letter)), FirstRunStep::Stay);
        }
        assert_eq!(press(&mut form, KeyCode::Esc), FirstRunStep::Stay);
        assert_eq!(form.address.text(), "q?:/");
        let interrupt = Key {
            ctrl: true,
            ..Key::char('c')
        };
        assert_eq!(form.key(interrupt), FirstRunStep::Quit);
    }

    #[test]
    fn a_token_that_is_too_long_is_refused() {
        let long = "x".repeat(5000);
        assert_eq!(
            filled("https://service.example", &long, ""),
            FirstRunStep::Stay
        );
    }
}
