//! Which service the embedded one behaves like.

/// Which service the embedded one behaves like.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Like {
    /// The service as its interface is described.
    #[default]
    Described,
    /// An open-source backend of such a service.
    Django,
}
