//! Breadth-first search on any graph.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

/// All nodes within `depth` steps of `starts`, nearest first, with their distances.
pub fn within<N: Copy + Eq + Hash, E>(
    starts: &[N],
    depth: u32,
    mut next: impl FnMut(N) -> Result<Vec<N>, E>,
) -> Result<Vec<(N, u32)>, E> {
    let mut seen: FxHashSet<N> = FxHashSet::default();
    let mut found: Vec<(N, u32)> = Vec::new();
    for start in starts {
        if seen.insert(*start) {
            found.push((*start, 0));
        }
    }
    let mut at = 0;
    while let Some((node, distance)) = found.get(at).copied() {
        at += 1;
        if distance == depth {
            break;
        }
        for neighbour in next(node)? {
            if seen.insert(neighbour) {
                found.push((neighbour, distance + 1));
            }
        }
    }
    Ok(found)
}

/// A shortest path from one of `starts` to a node for which `is_end` holds, including both.
pub fn shortest<N: Copy + Eq + Hash, E>(
    starts: &[N],
    is_end: impl Fn(N) -> bool,
    mut next: impl FnMut(N) -> Result<Vec<N>, E>,
) -> Result<Option<Vec<N>>, E> {
    let mut before: FxHashMap<N, Option<N>> = starts.iter().map(|start| (*start, None)).collect();
    let mut open: VecDeque<N> = starts.iter().copied().collect();
    while let Some(node) = open.pop_front() {
        if is_end(node) {
            return Ok(Some(path_to(node, &before)));
        }
        for neighbour in next(node)? {
            if let Entry::Vacant(entry) = before.entry(neighbour) {
                entry.insert(Some(node));
                open.push_back(neighbour);
            }
        }
    }
    Ok(None)
}

fn path_to<N: Copy + Eq + Hash>(end: N, before: &FxHashMap<N, Option<N>>) -> Vec<N> {
    let mut way = vec![end];
    while let Some(Some(node)) = way.last().and_then(|last| before.get(last)) {
        way.push(*node);
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    const NODES: u32 = 9;

    fn neighbours(edges: &[(u32, u32)], node: u32) -> Vec<u32> {
        edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| *to).collect()
    }

    /// All distances, by relaxing every edge repeatedly.
    fn distances(edges: &[(u32, u32)], start: u32) -> Vec<Option<u32>> {
        let mut distance = vec![None; NODES as usize];
        distance[start as usize] = Some(0);
        for _ in 0..NODES {
            for (from, to) in edges {
                let Some(steps) = distance[*from as usize] else { continue };
                let known = &mut distance[*to as usize];
                *known = Some(known.map_or(steps + 1, |old: u32| old.min(steps + 1)));
            }
        }
        distance
    }

    fn graphs() -> impl Strategy<Value = Vec<(u32, u32)>> {
        prop::collection::vec((0..NODES, 0..NODES), 0..25)
    }

    proptest! {
        #[test]
        fn distances_are_those_of_brute_force(edges in graphs(), start in 0..NODES, depth in 0..NODES) {
            let Ok(found) = within(&[start], depth, |node| Ok::<_, Infallible>(neighbours(&edges, node)));
            let expected = distances(&edges, start);
            for node in 0..NODES {
                let reached = found.iter().find(|(other, _)| *other == node).map(|(_, steps)| *steps);
                prop_assert_eq!(reached, expected[node as usize].filter(|steps| *steps <= depth));
            }
            prop_assert!(found.is_sorted_by_key(|(_, steps)| *steps));
        }

        #[test]
        fn a_shortest_path_is_real_and_as_short_as_can_be(edges in graphs(), from in 0..NODES, to in 0..NODES) {
            let next = |node| Ok::<_, Infallible>(neighbours(&edges, node));
            let Ok(way) = shortest(&[from], |node| node == to, next);
            let expected = distances(&edges, from)[to as usize];
            prop_assert_eq!(way.as_ref().map(|way| way.len() as u32 - 1), expected);
            if let Some(way) = way {
                prop_assert_eq!((way.first(), way.last()), (Some(&from), Some(&to)));
                prop_assert!(way.is_sorted_by(|a, b| edges.contains(&(*a, *b))));
            }
        }
    }
}
