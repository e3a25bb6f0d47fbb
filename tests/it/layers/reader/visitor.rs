//! The walk through a file's syntax that fills a [`File`].

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, Stmt, Type, UseTree, Visibility};

use super::attributes;
use super::tokens;
use super::{Associated, Binding, Declared, File, Kind, NamedPath, Role, Segments, Word};

/// Attributes that name conditions and lints, not items.
const CONDITIONS: &[&str] = &["cfg", "allow", "expect", "warn", "deny"];

/// Fills `file` with what `syntax` holds.
pub(super) fn visit(file: &mut File, syntax: &syn::File) {
    let mut visitor = Visitor {
        module: file.place.clone(),
        test: attributes::only_tests(&syntax.attrs),
        bound: Vec::new(),
        blocks: Vec::new(),
        self_types: Vec::new(),
        file,
    };
    visitor.enter_module();
    visitor.visit_file(syntax);
}

struct Visitor<'a> {
    file: &'a mut File,
    /// The module that the walk is in.
    module: Segments,
    /// Whether the walk is in what only tests compile.
    test: bool,
    /// Variables and type parameters, an entry for each item around.
    bound: Vec<BTreeSet<String>>,
    /// What the blocks around bind: a `use` with its path, an item with none.
    blocks: Vec<BTreeMap<String, Option<Segments>>>,
    /// The type of each `impl` around; none where it has no plain name.
    self_types: Vec<Option<Segments>>,
}

impl Visitor<'_> {
    fn enter_module(&mut self) {
        self.file.modules.entry(self.module.clone()).or_default();
    }

    /// Walks on with `walk`, as tests if `attributes` say so.
    fn within(&mut self, attributes: &[Attribute], walk: impl FnOnce(&mut Self)) {
        let before = self.test;
        self.test |= attributes::only_tests(attributes);
        walk(self);
        self.test = before;
    }

    /// Walks an item, whose variables and type parameters end with it.
    fn within_item(&mut self, attributes: &[Attribute], walk: impl FnOnce(&mut Self)) {
        self.bound.push(BTreeSet::new());
        self.within(attributes, walk);
        self.bound.pop();
    }

    fn bind(&mut self, name: &Ident) {
        if let Some(bound) = self.bound.last_mut() {
            bound.insert(plain(name));
        }
    }

    /// Binds `name` in the block or the module that the walk is in.
    fn bind_item(&mut self, name: String, binding: Binding) {
        if let Some(block) = self.blocks.last_mut() {
            let path = match binding {
                Binding::Import(path) => Some(path),
                _ => None,
            };
            block.insert(name, path);
        } else if let Some(module) = self.file.modules.get_mut(&self.module) {
            module.names.entry(name).or_default().push(binding);
        }
    }

    fn declare(&mut self, kind: Kind, name: &Ident, test: bool) {
        self.file.declared.push(Declared {
            kind,
            name: plain(name),
            module: self.module.clone(),
            line: name.span().start().line,
            test,
        });
    }

    fn word(&mut self, text: &'static str, span: Span) {
        self.file.words.push(Word {
            text,
            line: span.start().line,
            test: self.test,
        });
    }

    /// Adds a mention of `segments`, unless they begin with what a function,
    /// a block or an `impl` around binds to something of its own.
    fn mention(&mut self, mut segments: Segments, line: usize) {
        if segments[0] == "Self" {
            match self.self_types.last() {
                Some(Some(of)) if segments.len() > 1 => {
                    segments.splice(..1, of.iter().cloned());
                }
                _ => return,
            }
        }
        let is_bound = self.bound.iter().any(|bound| bound.contains(&segments[0]));
        // A path goes on from a type parameter, not from a variable.
        let may_be_type = segments[0].starts_with(char::is_uppercase);
        if is_bound && (segments.len() == 1 || may_be_type) {
            return;
        }
        for block in self.blocks.iter().rev() {
            match block.get(&segments[0]) {
                Some(Some(path)) => {
                    segments.splice(..1, path.iter().cloned());
                    break;
                }
                Some(None) => return,
                None => {}
            }
        }
        self.note(segments, line, Role::Mention);
    }

    fn note(&mut self, segments: Segments, line: usize, role: Role) {
        self.file.paths.push(NamedPath {
            segments,
            module: self.module.clone(),
            line,
            test: self.test,
            role,
        });
    }

    fn mention_tokens(&mut self, tokens: &TokenStream) {
        for (segments, line) in tokens::paths(tokens.clone()) {
            self.mention(segments, line);
        }
        for word in ["async", "await"] {
            for line in tokens::lines_with(tokens.clone(), word) {
                self.file.words.push(Word {
                    text: word,
                    line,
                    test: self.test,
                });
            }
        }
    }

    fn use_tree(&mut self, tree: &UseTree, prefix: &[String], role: Role) {
        let with = |name: &Ident| {
            let mut whole = prefix.to_vec();
            if name != "self" || prefix.is_empty() {
                whole.push(plain(name));
            }
            whole
        };
        match tree {
            UseTree::Path(path) => {
                let whole = with(&path.ident);
                self.use_tree(&path.tree, &whole, role);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, prefix, role);
                }
            }
            UseTree::Glob(glob) => {
                let mut whole = prefix.to_vec();
                if let Some(module) = self.file.modules.get_mut(&self.module) {
                    module.globs.push(whole.clone());
                }
                whole.push("*".to_owned());
                self.note(whole, glob.star_token.spans[0].start().line, role);
            }
            UseTree::Name(name) => {
                let whole = with(&name.ident);
                let bound = whole.last().cloned().unwrap_or_default();
                self.note(whole.clone(), name.ident.span().start().line, role);
                self.bind_item(bound, Binding::Import(whole));
            }
            UseTree::Rename(name) => {
                let whole = with(&name.ident);
                self.note(whole.clone(), name.ident.span().start().line, role);
                if name.rename != "_" {
                    self.bind_item(plain(&name.rename), Binding::Import(whole));
                }
            }
        }
    }

    /// Binds and declares what the item defines, if it defines something.
    fn define(&mut self, item: &Item) {
        let (name, is_type) = match item {
            Item::Const(item) => (&item.ident, false),
            Item::Static(item) => (&item.ident, false),
            Item::Fn(item) => (&item.sig.ident, false),
            Item::Enum(item) => (&item.ident, true),
            Item::Struct(item) => (&item.ident, true),
            Item::Trait(item) => (&item.ident, true),
            Item::TraitAlias(item) => (&item.ident, true),
            Item::Type(item) => (&item.ident, true),
            Item::Union(item) => (&item.ident, true),
            Item::Mod(item) => {
                self.bind_item(plain(&item.ident), Binding::Module);
                return;
            }
            _ => return,
        };
        self.bind_item(plain(name), Binding::Item { is_type });
        if is_type {
            let test = self.test || attributes::only_tests(attributes::of_item(item));
            self.declare(Kind::Type, name, test);
        }
    }
}

fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

fn segments(path: &syn::Path) -> Segments {
    let names = path.segments.iter().map(|segment| plain(&segment.ident));
    names.collect()
}

fn line(path: &syn::Path) -> usize {
    let first = path.segments.first();
    first.map_or(0, |segment| segment.ident.span().start().line)
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_file(&mut self, file: &'ast syn::File) {
        for item in &file.items {
            self.define(item);
        }
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        self.within_item(attributes::of_item(item), |visitor| {
            visit::visit_item(visitor, item);
        });
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let kind = match item.content {
            Some(_) => Kind::InlineModule,
            None => Kind::FileModule,
        };
        self.declare(kind, &item.ident, self.test);
        self.module.push(plain(&item.ident));
        if let Some((_, items)) = &item.content {
            self.enter_module();
            let blocks = std::mem::take(&mut self.blocks);
            for item in items {
                self.define(item);
            }
            visit::visit_item_mod(self, item);
            self.blocks = blocks;
        }
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let role = match &item.vis {
            Visibility::Inherited => Role::Import,
            Visibility::Restricted(within) if within.path.is_ident("self") => Role::Import,
            _ => Role::Reexport,
        };
        self.use_tree(&item.tree, &[], role);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let of = match &*item.self_ty {
            Type::Path(path) if path.qself.is_none() => Some(segments(&path.path)),
            _ => None,
        };
        if let (None, Some(of)) = (&item.trait_, &of) {
            for inner in &item.items {
                let name = match inner {
                    ImplItem::Fn(inner) => &inner.sig.ident,
                    ImplItem::Const(inner) => &inner.ident,
                    _ => continue,
                };
                let test = self.test || attributes::only_tests(attributes::of_impl_item(inner));
                self.file.associated.push(Associated {
                    of: of.clone(),
                    name: plain(name),
                    module: self.module.clone(),
                    test,
                });
            }
        }
        self.self_types.push(of);
        visit::visit_item_impl(self, item);
        self.self_types.pop();
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.self_types.push(None);
        visit::visit_item_trait(self, item);
        self.self_types.pop();
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        self.within_item(attributes::of_impl_item(item), |visitor| {
            visit::visit_impl_item(visitor, item);
        });
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        self.within_item(attributes::of_trait_item(item), |visitor| {
            visit::visit_trait_item(visitor, item);
        });
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.blocks.push(BTreeMap::new());
        for statement in &block.stmts {
            if let Stmt::Item(item) = statement {
                self.define(item);
            }
        }
        visit::visit_block(self, block);
        self.blocks.pop();
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.within(&local.attrs, |visitor| {
            // What is bound is not known yet in the value it is bound to.
            if let Some(init) = &local.init {
                visitor.visit_local_init(init);
            }
            visitor.visit_pat(&local.pat);
        });
    }

    fn visit_stmt_macro(&mut self, statement: &'ast syn::StmtMacro) {
        self.within(&statement.attrs, |visitor| {
            visit::visit_stmt_macro(visitor, statement);
        });
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.within(&field.attrs, |visitor| visit::visit_field(visitor, field));
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        self.within(&field.attrs, |visitor| {
            visit::visit_field_value(visitor, field);
        });
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.within(&variant.attrs, |visitor| {
            visit::visit_variant(visitor, variant);
        });
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.within(&arm.attrs, |visitor| visit::visit_arm(visitor, arm));
    }

    fn visit_expr_block(&mut self, block: &'ast syn::ExprBlock) {
        self.within(&block.attrs, |visitor| {
            visit::visit_expr_block(visitor, block);
        });
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        if plain(&pattern.ident).starts_with(char::is_uppercase) {
            let line = pattern.ident.span().start().line;
            self.mention(vec![plain(&pattern.ident)], line);
        } else {
            self.bind(&pattern.ident);
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_type_param(&mut self, parameter: &'ast syn::TypeParam) {
        self.bind(&parameter.ident);
        visit::visit_type_param(self, parameter);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.mention(segments(path), line(path));
        visit::visit_path(self, path);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        match &path.qself {
            Some(of) => self.visit_qualified(of, &path.path),
            None => self.visit_path(&path.path),
        }
    }

    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        match &path.qself {
            Some(of) => self.visit_qualified(of, &path.path),
            None => self.visit_path(&path.path),
        }
    }

    // The path of `pub(super)` names nothing that is used.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        if path.segments.len() > 1 {
            self.mention(segments(path), line(path));
        }
        match &attribute.meta {
            // The names in these are those of conditions and lints.
            Meta::List(list) if CONDITIONS.iter().any(|name| list.path.is_ident(name)) => {}
            Meta::List(list) => self.mention_tokens(&list.tokens),
            Meta::NameValue(pair) => self.visit_expr(&pair.value),
            Meta::Path(_) => {}
        }
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        if called.path.segments.len() > 1 {
            self.mention(segments(&called.path), line(&called.path));
        }
        self.mention_tokens(&called.tokens);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        if let Some(word) = &signature.asyncness {
            self.word("async", word.span);
        }
        visit::visit_signature(self, signature);
    }

    fn visit_expr_async(&mut self, block: &'ast syn::ExprAsync) {
        self.word("async", block.async_token.span);
        visit::visit_expr_async(self, block);
    }

    fn visit_expr_await(&mut self, wait: &'ast syn::ExprAwait) {
        self.word("await", wait.await_token.span);
        visit::visit_expr_await(self, wait);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        if let Some(word) = &closure.asyncness {
            self.word("async", word.span);
        }
        visit::visit_expr_closure(self, closure);
    }
}

impl Visitor<'_> {
    /// Walks `<of as a::Trait>::name`, of which `a::Trait` is a path.
    fn visit_qualified(&mut self, of: &syn::QSelf, path: &syn::Path) {
        self.visit_type(&of.ty);
        if of.position > 0 {
            let names = segments(path)[..of.position].to_vec();
            self.mention(names, line(path));
        }
        for segment in &path.segments {
            visit::visit_path_arguments(self, &segment.arguments);
        }
    }
}
