//! What attributes say: whether only tests compile an item.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, Item, Meta, Token, TraitItem};

/// Whether one of `attributes` says that only tests compile the item: `#[test]`,
/// `#[tokio::test]`, `#[cfg(test)]` or `#[cfg(all(…, test))]`.
pub(super) fn only_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let last = attribute.path().segments.last();
        if attribute.path().is_ident("cfg") {
            attribute
                .parse_args::<Meta>()
                .is_ok_and(|meta| holds_for_tests_only(&meta))
        } else {
            last.is_some_and(|last| last.ident == "test")
        }
    })
}

fn holds_for_tests_only(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|parts| parts.iter().any(holds_for_tests_only)),
        _ => false,
    }
}

/// The number of lines of the inline modules of the file that are named
/// `tests`.
pub(super) fn lines_of_inline_tests(file: &syn::File) -> usize {
    let tests = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.ident == "tests" && only_tests(&module.attrs) => {
            let (brace, _) = module.content.as_ref()?;
            let first = module.attrs.first()?.span().start().line;
            Some(brace.span.close().end().line + 1 - first)
        }
        _ => None,
    });
    tests.sum()
}

/// The attributes of any item.
pub(super) fn of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of an item inside an `impl`.
pub(super) fn of_impl_item(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of an item inside a `trait`.
pub(super) fn of_trait_item(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        TraitItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}
