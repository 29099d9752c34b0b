//! Access tokens of a server: `vectorcode token` creates them, a private file stores their hashes, and a running server looks
//! them up in the current version of that file.

mod file;
mod table;

pub use self::file::{NewToken, TokenFile, TokenRecord};
pub use self::table::TokenTable;
