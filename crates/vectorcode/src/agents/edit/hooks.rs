//! Edits the hooks of an agent: `hooks.<event>` is a list of groups, each with a matcher and a list of commands.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};

use super::EditError;
use super::json::{make_root, parse};
use crate::agents::entry::is_our_hook;

const HOOKS: &str = "hooks";

/// Where an agent lists hooks that run after a tool.
#[derive(Clone, Copy, Debug)]
pub struct HookSlot {
    pub event: &'static str,
    /// Regular expression that matches the tools after which our hook runs.
    pub matcher: &'static str,
    /// How long the agent waits for the hook, in the agent's own unit. Our hook stops long before that.
    pub timeout: u32,
}

/// Adds our hook. An existing one that starts a program at another path is replaced. Returns `None` if there is nothing to
/// change.
pub fn put_hook(text: &str, slot: HookSlot, command: &str) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let top = make_root(&root)?;
    let wrong = |key: &str, expected| EditError::WrongKind { key: key.to_owned(), expected };
    let all = top.object_value_or_create(HOOKS).ok_or_else(|| wrong(HOOKS, "an object"))?;
    let list = all.array_value_or_create(slot.event).ok_or_else(|| wrong(slot.event, "a list"))?;
    let ours = ours_in(&list);
    if ours.iter().any(|hook| hook.command == command) {
        return Ok(None);
    }
    ours.into_iter().for_each(OurHook::remove);
    if list.elements().is_empty() {
        list.ensure_multiline();
    }
    list.append(group(slot, command));
    Ok(Some(root.to_string()))
}

/// Removes our hook, and the list and object around it if they hold nothing else. Returns `None` if it is not there.
pub fn remove_hook(text: &str, slot: HookSlot) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let Some(top) = root.value().and_then(|top| top.as_object()) else { return Ok(None) };
    let Some(all) = top.object_value(HOOKS) else { return Ok(None) };
    let Some(list) = all.array_value(slot.event) else { return Ok(None) };
    let ours = ours_in(&list);
    if ours.is_empty() {
        return Ok(None);
    }
    ours.into_iter().for_each(OurHook::remove);
    if list.elements().is_empty() {
        remove_property(&all, slot.event);
    }
    if all.properties().is_empty() {
        remove_property(&top, HOOKS);
    }
    Ok(Some(root.to_string()))
}

fn remove_property(object: &CstObject, key: &str) {
    if let Some(property) = object.get(key) {
        property.remove();
    }
}

/// One occurrence of our command in a group of hooks.
struct OurHook {
    group: CstNode,
    hook: CstNode,
    command: String,
    is_alone: bool,
}

impl OurHook {
    /// Removes the whole group, unless it also holds the user's own commands.
    fn remove(self) {
        if self.is_alone { self.group.remove() } else { self.hook.remove() }
    }
}

fn ours_in(list: &CstArray) -> Vec<OurHook> {
    let mut ours = Vec::new();
    for group in list.elements() {
        let Some(hooks) = group.as_object().and_then(|group| group.array_value(HOOKS)) else { continue };
        let hooks = hooks.elements();
        let is_alone = hooks.len() == 1;
        for hook in hooks {
            if let Some(command) = command_of(&hook).filter(|command| is_our_hook(command)) {
                ours.push(OurHook { group: group.clone(), hook, command, is_alone });
            }
        }
    }
    ours
}

fn command_of(hook: &CstNode) -> Option<String> {
    hook.as_object()?.get("command")?.value()?.as_string_lit()?.decoded_value().ok()
}

fn group(slot: HookSlot, command: &str) -> CstInputValue {
    let text = |value: &str| CstInputValue::String(value.to_owned());
    let hook = CstInputValue::Object(vec![
        ("type".to_owned(), text("command")),
        ("command".to_owned(), text(command)),
        ("timeout".to_owned(), CstInputValue::Number(slot.timeout.to_string())),
    ]);
    CstInputValue::Object(vec![
        ("matcher".to_owned(), text(slot.matcher)),
        (HOOKS.to_owned(), CstInputValue::Array(vec![hook])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: HookSlot = HookSlot { event: "PostToolUse", matcher: "Grep|Read", timeout: 5 };

    #[test]
    fn a_hook_is_added_once_and_leaves_no_trace() {
        let before = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
        let with = put_hook(before, SLOT, "vectorcode hook").unwrap().unwrap();
        assert!(with.contains("// mine") && with.contains("\"command\": \"vectorcode hook\""), "{with}");
        assert_eq!(put_hook(&with, SLOT, "vectorcode hook").unwrap(), None);
        let without = remove_hook(&with, SLOT).unwrap().unwrap();
        assert!(!without.contains("hook") && without.contains("// mine"), "{without}");
        assert_eq!(remove_hook(before, SLOT).unwrap(), None);
    }

    #[test]
    fn hooks_of_others_stay() {
        let before = r#"{"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}]}}"#;
        let with = put_hook(before, SLOT, "/opt/vectorcode hook").unwrap().unwrap();
        let without = remove_hook(&with, SLOT).unwrap().unwrap();
        assert!(without.contains("\"fmt\"") && !without.contains("vectorcode"), "{without}");
        let shared = r#"{"hooks": {"PostToolUse": [{"hooks": [{"command": "fmt"}, {"command": "vectorcode hook"}]}]}}"#;
        let without = remove_hook(shared, SLOT).unwrap().unwrap();
        assert!(without.contains("\"fmt\"") && !without.contains("vectorcode"), "{without}");
    }

    #[test]
    fn a_moved_program_replaces_the_old_hook() {
        let old = put_hook("{}", SLOT, "/old/vectorcode hook").unwrap().unwrap();
        let new = put_hook(&old, SLOT, "/new/vectorcode hook").unwrap().unwrap();
        assert!(new.contains("/new/") && !new.contains("/old/"), "{new}");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(put_hook(r#"{"hooks": []}"#, SLOT, "vectorcode hook").is_err());
        assert!(put_hook(r#"{"hooks": {"PostToolUse": {}}}"#, SLOT, "vectorcode hook").is_err());
        assert!(put_hook("[]", SLOT, "vectorcode hook").is_err());
    }
}
