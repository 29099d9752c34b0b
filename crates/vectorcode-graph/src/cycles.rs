//! Cycles: finds groups of nodes that all reach each other, and a shortest cycle in each.

use std::collections::VecDeque;

/// In a very large group, at most this many members are tried as the start of the shortest cycle.
const MAX_STARTS: usize = 64;

/// The strongly connected components with more than one member, by Tarjan's algorithm without recursion. Members and groups are
/// in ascending order.
pub fn groups(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Tarjan::new(edges);
    for node in 0..edges.len() {
        if search.numbers[node].is_none() {
            search.run(node);
        }
    }
    search.groups.sort();
    search.groups
}

struct Tarjan<'e> {
    edges: &'e [Vec<usize>],
    /// The order in which nodes were visited.
    numbers: Vec<Option<usize>>,
    /// The earliest node on the stack that is reachable from each node.
    lowest: Vec<usize>,
    stack: Vec<usize>,
    on_stack: Vec<bool>,
    met: usize,
    groups: Vec<Vec<usize>>,
}

impl<'e> Tarjan<'e> {
    fn new(edges: &'e [Vec<usize>]) -> Self {
        let count = edges.len();
        Self {
            edges,
            numbers: vec![None; count],
            lowest: vec![0; count],
            stack: Vec::new(),
            on_stack: vec![false; count],
            met: 0,
            groups: Vec::new(),
        }
    }

    /// Visits everything reachable from `root`; `open` replaces the call stack of a recursion.
    fn run(&mut self, root: usize) {
        let mut open = vec![(root, 0)];
        self.enter(root);
        while let Some((node, place)) = open.last_mut() {
            let node = *node;
            let Some(next) = self.edges[node].get(*place).copied() else {
                open.pop();
                self.leave(node, open.last().map(|(parent, _)| *parent));
                continue;
            };
            *place += 1;
            match self.numbers[next] {
                None => {
                    self.enter(next);
                    open.push((next, 0));
                }
                Some(number) if self.on_stack[next] => self.lowest[node] = self.lowest[node].min(number),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.numbers[node] = Some(self.met);
        self.lowest[node] = self.met;
        self.met += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn leave(&mut self, node: usize, parent: Option<usize>) {
        if let Some(parent) = parent {
            self.lowest[parent] = self.lowest[parent].min(self.lowest[node]);
        }
        if self.numbers[node] != Some(self.lowest[node]) {
            return;
        }
        let start = self.stack.iter().rposition(|member| *member == node).unwrap_or(0);
        let mut group = self.stack.split_off(start);
        for member in &group {
            self.on_stack[*member] = false;
        }
        if group.len() > 1 {
            group.sort_unstable();
            self.groups.push(group);
        }
    }
}

/// A shortest cycle inside a group: a chain of edges, whose last node leads back to the first.
pub fn shortest_circle(edges: &[Vec<usize>], group: &[usize]) -> Vec<usize> {
    let starts = group.iter().take(MAX_STARTS);
    let circles = starts.filter_map(|start| circle_through(edges, group, *start));
    circles.min_by_key(Vec::len).unwrap_or_default()
}

fn circle_through(edges: &[Vec<usize>], group: &[usize], start: usize) -> Option<Vec<usize>> {
    let place = |node: usize| group.binary_search(&node).ok();
    let mut before: Vec<Option<usize>> = vec![None; group.len()];
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for next in edges[node].iter().copied() {
            if next == start {
                let mut chain: Vec<usize> =
                    std::iter::successors(Some(node), |node| place(*node).and_then(|place| before[place]))
                        .collect();
                chain.reverse();
                return Some(chain);
            }
            let Some(place) = place(next) else { continue };
            if before[place].is_none() {
                before[place] = Some(node);
                open.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NODES: usize = 8;

    /// Reachability, by Warshall's algorithm.
    fn reaches(edges: &[Vec<usize>]) -> Vec<Vec<bool>> {
        let mut reach: Vec<Vec<bool>> =
            edges.iter().map(|next| (0..NODES).map(|node| next.contains(&node)).collect()).collect();
        for via in 0..NODES {
            for from in 0..NODES {
                for to in 0..NODES {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        reach
    }

    fn graphs() -> impl Strategy<Value = Vec<Vec<usize>>> {
        prop::collection::vec(prop::collection::vec(0..NODES, 0..4), NODES)
    }

    proptest! {
        #[test]
        fn groups_are_those_of_brute_force(edges in graphs()) {
            let reach = reaches(&edges);
            let mut expected: Vec<Vec<usize>> = (0..NODES)
                .map(|node| (0..NODES).filter(|other| *other == node || (reach[node][*other] && reach[*other][node])).collect())
                .filter(|group: &Vec<usize>| group.len() > 1)
                .collect();
            expected.sort();
            expected.dedup();
            prop_assert_eq!(groups(&edges), expected);
        }

        #[test]
        fn every_group_has_a_circle_of_real_edges(edges in graphs()) {
            let edges: Vec<Vec<usize>> = edges
                .into_iter()
                .enumerate()
                .map(|(node, next)| next.into_iter().filter(|other| *other != node).collect())
                .collect();
            for group in groups(&edges) {
                let circle = shortest_circle(&edges, &group);
                prop_assert!(circle.len() > 1);
                for (place, node) in circle.iter().enumerate() {
                    prop_assert!(group.contains(node));
                    prop_assert!(edges[*node].contains(&circle[(place + 1) % circle.len()]));
                }
            }
        }
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_needs_no_stack() {
        let count = 100_000;
        let edges: Vec<Vec<usize>> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        assert_eq!(groups(&edges).len(), 1);
    }
}
