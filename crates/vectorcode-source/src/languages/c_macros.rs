//! Finds macros that expand to attributes: `API` in `class API Shop {` and `API Shop *open(void);`.
//!
//! The grammars do not expand macros. They take each for a type, and parse the class after it as a function. So these macros
//! are hidden from the parser.

use std::ops::Range;

use memchr::memchr2;

/// Keywords that are followed by the name of the type that they define.
const HEADS: [&str; 4] = ["class", "struct", "union", "enum"];

/// Words that can begin a declaration, so that a name before them is not a type.
const BEGINNINGS: [&str; 27] = [
    "namespace",
    "class",
    "struct",
    "union",
    "enum",
    "template",
    "typedef",
    "using",
    "extern",
    "static",
    "inline",
    "constexpr",
    "virtual",
    "explicit",
    "friend",
    "void",
    "bool",
    "int",
    "char",
    "unsigned",
    "signed",
    "long",
    "short",
    "float",
    "double",
    "auto",
    "wchar_t",
];

/// Suffixes of macros that annotate a member with the lock that it needs: `Shop shop GUARDED_BY(lock);`.
const ANNOTATIONS: [&str; 5] =
    ["GUARDED_BY", "LOCKS_REQUIRED", "LOCKS_EXCLUDED", "LOCK_FUNCTION", "LIFETIME_BOUND"];

/// Maximum length of the type between a macro and a name.
const MAX_TYPE_BYTES: usize = 200;

/// The positions of macros that expand to attributes.
pub(super) fn attribute_macros(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut words = Words { text, at: 0 };
    let mut before = "";
    while let Some(word) = words.next_word() {
        let name = &text[word.clone()];
        let after = &text[word.end..];
        if !is_macro_name(name) {
            before = name;
        } else if ANNOTATIONS.iter().any(|ending| name.ends_with(ending)) {
            found.push(word.start..word.end + argument_bytes(after));
        } else if is_attribute(before, after) {
            found.push(word);
        } else {
            before = name;
        }
    }
    found
}

/// The words of a text, without preprocessor directives.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl Words<'_> {
    fn next_word(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'#' => self.skip_directive(),
                byte if is_word(*byte) => {
                    let start = self.at;
                    self.at += bytes[start..].iter().take_while(|byte| is_word(**byte)).count();
                    return Some(start..self.at);
                }
                _ => self.at += 1,
            }
        }
        None
    }

    fn skip_directive(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(end) = memchr2(b'\n', b'\\', &bytes[self.at..]) {
            self.at += end + 1;
            if bytes[self.at - 1] == b'\n' {
                return;
            }
            // The directive continues on the next line.
            self.at = (self.at + 1).min(bytes.len());
        }
        self.at = bytes.len();
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn is_macro_name(name: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() > 2 && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(is_upper)
}

/// Whether the text after a name in capitals shows that it is neither a type nor the name of one.
fn is_attribute(before: &str, after: &str) -> bool {
    let Some((next, rest)) = first_word(after) else { return false };
    if HEADS.contains(&before) {
        let rest = rest.trim_start();
        return rest.starts_with('{')
            || (rest.starts_with(':') && !rest.starts_with("::"))
            || first_word(rest).is_some_and(|(word, _)| word == "final");
    }
    BEGINNINGS.contains(&next) || is_type_and_name(next, rest) || is_before_another(next, rest)
}

/// `API INLINE static int open(void)`.
fn is_before_another(next: &str, rest: &str) -> bool {
    let following = first_word(rest).map_or("", |(word, _)| word);
    is_macro_name(next) && BEGINNINGS.contains(&following)
}

/// Whether a type that begins with `last` continues at `text` and is followed by a name: ` *open(` and `::vector<int> all;`.
/// Also true for a constructor: `::Shop(` after `Shop`.
fn is_type_and_name<'t>(mut last: &'t str, text: &'t str) -> bool {
    let limit = text.floor_char_boundary(MAX_TYPE_BYTES);
    let mut rest = &text[..limit];
    while let Some(part) = rest.strip_prefix("::") {
        let Some((name, after)) = first_word(part) else { return part.starts_with('~') };
        if name == last && after.starts_with('(') {
            return true;
        }
        (last, rest) = (name, after);
    }
    if rest.starts_with('<') {
        let Some(after) = after_arguments(rest) else { return false };
        rest = after;
    }
    let name = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '*' || c == '&');
    if name.len() == rest.len() {
        return false;
    }
    first_word(name).is_some_and(|(name, after)| {
        !is_macro_name(name) && after.trim_start().starts_with(['(', ';', '=', '[', ':'])
    })
}

/// The text after its leading type arguments.
fn after_arguments(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b';' | b'{' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

/// The length of the parenthesised arguments at the start of a text.
fn argument_bytes(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().take(MAX_TYPE_BYTES) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    0
}

/// The first word of a text, after spaces and comments, and the text that follows it.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let mut text = text.trim_start();
    while let Some(after) = text
        .strip_prefix("//")
        .and_then(|comment| comment.split_once('\n'))
        .or_else(|| text.strip_prefix("/*").and_then(|comment| comment.split_once("*/")))
    {
        text = after.1.trim_start();
    }
    let end = text.bytes().take_while(|byte| is_word(*byte)).count();
    let is_name = end > 0 && !text.as_bytes()[0].is_ascii_digit();
    is_name.then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Vec<&str> {
        attribute_macros(text).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn macros_before_names_of_types_and_before_types_are_attributes() {
        assert_eq!(hidden("class SHOP_API Shop : public Base {"), ["SHOP_API"]);
        assert_eq!(hidden("class SHOP_API Shop final {"), ["SHOP_API"]);
        assert_eq!(hidden("enum class SHOP_API Kind { OPEN, CLOSED }"), ["SHOP_API"]);
        assert_eq!(hidden("SHOP_API Shop *shop_open(const char *name);"), ["SHOP_API"]);
        assert_eq!(hidden("SHOP_API std::vector<std::pair<int, Shop>> all();"), ["SHOP_API"]);
        assert_eq!(
            hidden("SHOP_BEGIN\n\n// What it sells.\n/* All of it. */ namespace shop {"),
            ["SHOP_BEGIN"]
        );
        assert_eq!(hidden("Shop shop GUARDED_BY(lock(a));"), ["GUARDED_BY(lock(a))"]);
        assert_eq!(hidden("void open() EXCLUSIVE_LOCKS_REQUIRED(lock);"), ["EXCLUSIVE_LOCKS_REQUIRED(lock)"]);
        assert_eq!(hidden("SHOP_INLINE shop::Shop::Shop(int n) : Base(n) {}"), ["SHOP_INLINE"]);
        assert_eq!(hidden("SHOP_API SHOP_INLINE static int open(void);"), ["SHOP_API", "SHOP_INLINE"]);
        assert_eq!(hidden("static FORCE_INLINE size_t size(void) {"), ["FORCE_INLINE"]);
    }

    #[test]
    fn types_and_values_in_capitals_stay() {
        for text in [
            "struct SHOP shop;",
            "struct SHOP shop = { 1 };",
            "FILE *file = open();",
            "HANDLE handle;",
            "DWORD count(HANDLE of);",
            "DWORD count UNUSED;",
            "class SHOP;",
            "class SHOP : public BASE {",
            "f(FIRST, SECOND * third);",
            "return LIMIT;",
            "TEST(Shop, Opens) {",
            "#define SHOP_API int f(",
        ] {
            assert_eq!(hidden(text), [""; 0], "{text}");
        }
    }
}
