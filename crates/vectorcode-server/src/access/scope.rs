//! The scopes of access tokens. Each scope includes those before it.

use vectorcode_core::choices;

choices! {
    /// What a token allows.
    pub enum Scope: "scope" {
        Read = "read", "Search and read";
        Index = "index", "Also index, cancel and watch";
        Admin = "admin", "Also remove indexes, change settings and register repositories";
    }
}
