//! What stands before a name, taken apart: `self`, `super()`, `self.gateway`, `Mailer`, `create(x)`.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver<'r> {
    /// The object or type that the code belongs to.
    Own,
    /// Its base class.
    Parent,
    /// Names, the last nearest to what is used; the first may be `self`.
    Chain(Vec<&'r str>),
    /// What a function gives back.
    Call(&'r str),
    Unknown,
}

const OWN: [&str; 8] = ["self", "this", "Self", "cls", "static", "me", "@", "__MODULE__"];
const PARENT: [&str; 4] = ["super", "super()", "parent", "base"];

impl<'r> Receiver<'r> {
    /// In Rust, `super` is a module.
    pub fn parse(text: &'r str, is_rust: bool) -> Self {
        let text = plain(text);
        if is_own(text) {
            return Self::Own;
        }
        if !is_rust && PARENT.contains(&text) {
            return Self::Parent;
        }
        if let Some(head) = text.strip_suffix(')') {
            return called(head).map_or(Self::Unknown, Self::Call);
        }
        let names: Vec<&str> =
            text.split(['.', ':', '>', '\\', '?', '!', '-']).filter(|part| !part.is_empty()).collect();
        if names.is_empty() || !names.iter().all(|name| is_name(name)) {
            return Self::Unknown;
        }
        Self::Chain(names)
    }
}

pub(super) fn is_own(name: &str) -> bool {
    OWN.contains(&name)
}

fn plain(text: &str) -> &str {
    let mut text = text.trim();
    for prefix in ["await ", "new ", "&mut "] {
        text = text.strip_prefix(prefix).unwrap_or(text).trim_start();
    }
    text.trim_start_matches(['&', '*', '$', '('])
}

fn is_name(name: &str) -> bool {
    let name = name.strip_prefix(['@', '$']).unwrap_or(name);
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// The name before the arguments: `create` of `shop.create(a, b(c)`, whose last parenthesis was taken off.
fn called(head: &str) -> Option<&str> {
    let mut depth = 1;
    for (at, c) in head.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let before = &head[..at];
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            return before.get(start..).filter(|name| is_name(name));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_fall_into_kinds() {
        let parse = |text| Receiver::parse(text, false);
        assert_eq!(parse("self"), Receiver::Own);
        assert_eq!(parse("$this"), Receiver::Own);
        assert_eq!(parse("super()"), Receiver::Parent);
        assert_eq!(parse("self.gateway"), Receiver::Chain(vec!["self", "gateway"]));
        assert_eq!(parse("$this->gateway"), Receiver::Chain(vec!["this", "gateway"]));
        assert_eq!(parse("std::fs"), Receiver::Chain(vec!["std", "fs"]));
        assert_eq!(parse("create(config.gateway)"), Receiver::Call("create"));
        assert_eq!(parse("shop.create(a, b(c))"), Receiver::Call("create"));
        assert_eq!(parse("items[0]"), Receiver::Unknown);
        assert_eq!(parse("…"), Receiver::Unknown);
        assert_eq!(Receiver::parse("super", true), Receiver::Chain(vec!["super"]));
    }
}
