//! Access tokens of a server: `vectorcode token` makes them, one private file keeps their hashes, and a running server looks
//! them up in that file as it is now.

mod file;
mod table;

pub use self::file::{NewToken, TokenFile, TokenRecord};
pub use self::table::TokenTable;
