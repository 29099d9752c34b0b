//! Queries on the graph. Each returns nodes and edges.

mod files;
mod impact;
mod map;
mod overview;
mod symbols;

pub use files::{cycles, file_path, file_surroundings};
pub use impact::{file_impact, symbol_impact};
pub use map::folder_map;
pub use overview::{overview, stats};
pub use symbols::{symbol_path, symbol_surroundings};

/// The direction in which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what a node imports or calls.
    Forward,
    /// To what imports or calls a node.
    Backward,
    Both,
}

impl Direction {
    fn is_forward(self) -> bool {
        self != Self::Backward
    }

    fn is_backward(self) -> bool {
        self != Self::Forward
    }
}

/// The bounds of a query: direction, depth and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub direction: Direction,
    pub depth: u32,
    /// Maximum number of nodes in the response.
    pub limit: usize,
}
