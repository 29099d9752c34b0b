//! Edits of TOML tables that keep their comments and layout.

use toml_edit::{Item, Table, TableLike, Value};

/// Sets a key; the comment after its old value stays.
pub fn set_value(table: &mut dyn TableLike, key: &str, value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// A table without its own header: only `[mcp_servers.vectorcode]` is printed, as users write it.
pub fn implicit_table() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}
