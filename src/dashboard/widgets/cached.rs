//! A value that is computed once for the same inputs.

/// A value that is computed again only when its inputs change.
#[derive(Debug)]
pub(crate) struct Cached<I, V>(Option<(I, V)>);

impl<I, V> Default for Cached<I, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<I: PartialEq, V> Cached<I, V> {
    /// The value for these inputs.
    pub(crate) fn get(&mut self, inputs: I, compute: impl FnOnce(&I) -> V) -> &mut V {
        let same = self.0.take().filter(|(known, _)| *known == inputs);
        let known = same.unwrap_or_else(|| {
            let value = compute(&inputs);
            (inputs, value)
        });
        &mut self.0.insert(known).1
    }
}
