//! Quadtrees of legs: the more legs, the smaller the squares.

use super::face::{FACES, Point, Square, pieces};
use super::stroke::Ends;
use crate::geo::sphere::MEAN_RADIUS_M;

/// Parts of legs in a square above which it is quartered.
const MOST: u32 = 32;
/// Side of the smallest square in metres: a dot on the closest map.
const FINEST_M: f64 = 0.1;
/// Smallest square as a fraction of a long leg (the 98th percentile). Legs
/// longer than a number of smallest squares are stored apart. Both limit the
/// number of squares that a leg is cut into.
const LEG_SHARE: f64 = 1.0 / 512.0;
const LONGEST_IN_SQUARES: f64 = 4096.0;
/// Legs sampled to estimate their length.
const SAMPLE: usize = 4096;
/// Legs inserted together.
const CHUNK: usize = 512;
/// Marks a missing index.
pub(super) const NONE: u32 = u32::MAX;

/// The part of a leg in a square, as 65,535ths of its side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    pub(super) fix: u32,
    pub(super) from: (u16, u16),
    pub(super) to: (u16, u16),
    /// The next entry of the square.
    pub(super) next: u32,
}

/// The content of a square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Node {
    /// Nothing.
    Empty,
    /// A few legs: the first of its entries, and their number.
    Few { newest: u32, first: u32, count: u32 },
    /// Four quarters, starting at this index.
    Quartered { newest: u32, quarters: u32 },
    /// Only the fact that it has legs: it is a smallest square, or all its
    /// quarters are full.
    Full { newest: u32, quarters: u32 },
}

impl Node {
    /// The newest fix of its legs, if it has legs.
    pub(super) fn newest(self) -> Option<u32> {
        match self {
            Self::Empty => None,
            Self::Few { newest, .. }
            | Self::Quartered { newest, .. }
            | Self::Full { newest, .. } => Some(newest),
        }
    }
}

/// A part of a leg during insertion.
#[derive(Debug, Clone, Copy)]
struct Piece {
    fix: u32,
    from: Point,
    to: Point,
}

/// A square in the tree, which may be quartered `depth` more times.
#[derive(Debug, Clone, Copy)]
struct Located {
    index: u32,
    square: Square,
    depth: u32,
}

/// Legs sorted into squares.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    /// Free indices among the entries.
    free: Vec<u32>,
    /// Legs that are drawn individually.
    pub(super) apart: Vec<u32>,
    /// Number of quarterings from a whole face to the smallest square.
    depth: u32,
}

impl Tree {
    /// Builds a tree from fixes, newest first, each with the ends of its leg.
    pub(super) fn build(
        fixes: impl Iterator<Item = u32> + Clone,
        ends: impl Fn(u32) -> Ends,
    ) -> Self {
        let finest = finest(fixes.clone(), &ends);
        let mut depth = 0;
        while Square::WHOLE.size / f64::from(1u32 << (depth + 1)) >= finest && depth < 30 {
            depth += 1;
        }
        let mut tree = Self {
            nodes: vec![Node::Empty; FACES],
            entries: Vec::new(),
            free: Vec::new(),
            apart: Vec::new(),
            depth,
        };
        let mut stacks: [Vec<Piece>; FACES] = Default::default();
        let mut waiting = 0;
        for fix in fixes {
            let Ends { from, to } = ends(fix);
            if from.chord(to) > LONGEST_IN_SQUARES * finest {
                tree.apart.push(fix);
                continue;
            }
            pieces(from, to, |face, from, to| {
                if let Some(stack) = stacks.get_mut(face) {
                    stack.push(Piece { fix, from, to });
                }
            });
            waiting += 1;
            if waiting == CHUNK {
                tree.sort_in(&mut stacks);
                waiting = 0;
            }
        }
        tree.sort_in(&mut stacks);
        tree.free = Vec::new();
        tree.nodes.shrink_to_fit();
        tree.entries.shrink_to_fit();
        tree
    }

    pub(super) fn node(&self, index: u32) -> Node {
        self.nodes
            .get(index as usize)
            .copied()
            .unwrap_or(Node::Empty)
    }

    fn set(&mut self, index: u32, node: Node) {
        if let Some(old) = self.nodes.get_mut(index as usize) {
            *old = node;
        }
    }

    fn sort_in(&mut self, stacks: &mut [Vec<Piece>; FACES]) {
        for (face, stack) in (0u32..).zip(stacks) {
            if !stack.is_empty() {
                let whole = Located {
                    index: face,
                    square: Square::WHOLE,
                    depth: self.depth,
                };
                self.insert(whole, stack, 0);
                stack.clear();
            }
        }
    }

    /// Inserts the parts from `start` on, newest first, into a square that may
    /// be quartered `depth` more times. They are older than its content.
    fn insert(&mut self, at: Located, stack: &mut Vec<Piece>, start: usize) {
        let Some(first) = stack.get(start) else {
            return;
        };
        let Located {
            index,
            square,
            depth,
        } = at;
        match self.node(index) {
            Node::Full { .. } => {}
            Node::Quartered { newest, quarters } => {
                self.share_out(at, newest, quarters, stack, start);
            }
            node @ (Node::Empty | Node::Few { .. }) => {
                let (newest, head, count) = match node {
                    Node::Few {
                        newest,
                        first,
                        count,
                    } => (newest, first, count),
                    _ => (first.fix, NONE, 0),
                };
                let come = u32::try_from(stack.len() - start).unwrap_or(u32::MAX);
                if count.saturating_add(come) <= MOST {
                    let first = self.append(square, head, stack.get(start..).unwrap_or_default());
                    let count = count + come;
                    let few = Node::Few {
                        newest,
                        first,
                        count,
                    };
                    self.set(index, few);
                } else if depth == 0 {
                    self.take_entries(square, head, |_| {});
                    let quarters = NONE;
                    self.set(index, Node::Full { newest, quarters });
                } else {
                    let quarters = u32::try_from(self.nodes.len()).unwrap_or(NONE);
                    self.nodes.extend([Node::Empty; 4]);
                    // The present entries are newer than the inserted ones.
                    let end = stack.len();
                    self.take_entries(square, head, |piece| stack.push(piece));
                    stack.extend_from_within(start..end);
                    self.share_out(at, newest, quarters, stack, end);
                    stack.truncate(end);
                }
            }
        }
    }

    /// Distributes the parts from `start` on among a square's quarters.
    fn share_out(
        &mut self,
        at: Located,
        newest: u32,
        quarters: u32,
        stack: &mut Vec<Piece>,
        start: usize,
    ) {
        self.set(at.index, Node::Quartered { newest, quarters });
        let child = |number: usize| Located {
            index: quarters + u32::try_from(number).unwrap_or(0),
            square: at.square.quarter(number),
            depth: at.depth - 1,
        };
        let pieces = stack.get(start..).unwrap_or_default();
        let quarter = pieces
            .first()
            .map_or(0, |piece| at.square.quarter_of(piece.from));
        let all_in_quarter = pieces.iter().all(|piece| {
            at.square.quarter_of(piece.from) == quarter && at.square.quarter_of(piece.to) == quarter
        });
        if all_in_quarter {
            self.insert(child(quarter), stack, start);
        } else {
            for number in 0..4 {
                let child = child(number);
                let end = stack.len();
                if matches!(self.node(child.index), Node::Full { .. }) {
                    continue;
                }
                for at in start..end {
                    if let Some(&piece) = stack.get(at)
                        && let Some((from, to)) = child.square.cut(piece.from, piece.to)
                    {
                        stack.push(Piece { from, to, ..piece });
                    }
                }
                self.insert(child, stack, end);
                stack.truncate(end);
            }
        }
        if (0..4).all(|number| matches!(self.node(child(number).index), Node::Full { .. })) {
            self.set(at.index, Node::Full { newest, quarters });
        }
    }

    /// Appends parts to a square's entries; returns the index of the first
    /// entry.
    fn append(&mut self, square: Square, head: u32, pieces: &[Piece]) -> u32 {
        let mut first = head;
        let mut last = head;
        while let Some(entry) = self.entries.get(last as usize)
            && entry.next != NONE
        {
            last = entry.next;
        }
        for piece in pieces {
            let entry = Entry {
                fix: piece.fix,
                from: share(square, piece.from),
                to: share(square, piece.to),
                next: NONE,
            };
            let index = match self.free.pop() {
                Some(index) => {
                    if let Some(free) = self.entries.get_mut(index as usize) {
                        *free = entry;
                    }
                    index
                }
                None => {
                    self.entries.push(entry);
                    u32::try_from(self.entries.len() - 1).unwrap_or(NONE)
                }
            };
            match self.entries.get_mut(last as usize) {
                Some(before) => before.next = index,
                None => first = index,
            }
            last = index;
        }
        first
    }

    /// Removes all entries from a square.
    fn take_entries(&mut self, square: Square, head: u32, mut each: impl FnMut(Piece)) {
        let mut at = head;
        while let Some(entry) = self.entries.get(at as usize).copied() {
            each(Piece {
                fix: entry.fix,
                from: point(square, entry.from.0, entry.from.1),
                to: point(square, entry.to.0, entry.to.1),
            });
            self.free.push(at);
            at = entry.next;
        }
    }

    /// The entries of a square, starting with `first`.
    pub(super) fn entries(&self, first: u32) -> impl Iterator<Item = Entry> + '_ {
        let mut at = first;
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize).copied()?;
            at = entry.next;
            Some(entry)
        })
    }
}

/// Side of the smallest square, in coordinates of a face.
fn finest(fixes: impl Iterator<Item = u32> + Clone, ends: &impl Fn(u32) -> Ends) -> f64 {
    let stride = (fixes.clone().count() / SAMPLE).max(1);
    let mut lengths: Vec<f64> = fixes
        .step_by(stride)
        .map(|fix| {
            let Ends { from, to } = ends(fix);
            from.chord(to)
        })
        .collect();
    let percentile = lengths.len().saturating_sub(1) * 98 / 100;
    let long = if lengths.is_empty() {
        0.0
    } else {
        *lengths.select_nth_unstable_by(percentile, f64::total_cmp).1
    };
    (long * LEG_SHARE).max(FINEST_M / MEAN_RADIUS_M)
}

/// A point of a square as fractions of its side.
fn share(square: Square, point: Point) -> (u16, u16) {
    let part = |at: f64, from: f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
        let part = ((at - from) / square.size * 65_535.0).round() as u16;
        part
    };
    (part(point.0, square.u), part(point.1, square.v))
}

/// The point at these fractions of a square's side.
pub(super) fn point(square: Square, across: u16, down: u16) -> Point {
    let at = |share: u16, from: f64| from + f64::from(share) / 65_535.0 * square.size;
    (at(across, square.u), at(down, square.v))
}
