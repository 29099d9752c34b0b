//! Draws a graph as a Mermaid flowchart.

use std::fmt::Write;

use vectorcode_core::api::{GraphNode, GraphResponse, NodeKind};

use super::{by_folder, colours, edge_label, is_dashed, label};

/// The graph as a Mermaid flowchart.
pub fn mermaid(response: &GraphResponse) -> String {
    let mut out = String::from("flowchart LR\n");
    for (number, (folder, nodes)) in by_folder(response).into_iter().enumerate() {
        if folder.is_empty() {
            write_nodes(&mut out, "  ", &nodes);
            continue;
        }
        let _ = writeln!(out, "  subgraph f{number}[\"{}\"]", escaped(folder));
        write_nodes(&mut out, "    ", &nodes);
        out.push_str("  end\n");
    }
    for edge in &response.edges {
        let arrow = if is_dashed(edge) { "-.->" } else { "-->" };
        let label = edge_label(edge).map_or_else(String::new, |label| format!("|{label}|"));
        let _ = writeln!(out, "  n{} {arrow}{label} n{}", edge.from, edge.to);
    }
    write_languages(&mut out, response);
    write_classes(&mut out, &response.nodes);
    out
}

fn write_languages(out: &mut String, response: &GraphResponse) {
    for (number, (language, colour)) in colours(response).into_iter().enumerate() {
        let _ = writeln!(out, "  %% {}", escaped(language));
        let (name, style) = (format!("language{number}"), format!("fill:{colour},color:#000"));
        write_class(out, &response.nodes, &name, &style, |node| node.language.as_deref() == Some(language));
    }
}

fn write_nodes(out: &mut String, indent: &str, nodes: &[(usize, &GraphNode)]) {
    for (place, node) in nodes {
        write_node(out, indent, *place, node);
    }
}

fn write_node(out: &mut String, indent: &str, place: usize, node: &GraphNode) {
    let (open, close) = match node.kind {
        NodeKind::File => ("[", "]"),
        NodeKind::Symbol => ("(", ")"),
        NodeKind::External => ("([", "])"),
        NodeKind::Folder => ("[[", "]]"),
    };
    let _ = writeln!(out, "{indent}n{place}{open}\"{}\"{close}", escaped(&label(node)));
}

fn write_classes(out: &mut String, nodes: &[GraphNode]) {
    let has_others = nodes.iter().any(|node| node.distance > 0);
    write_class(out, nodes, "asked", "stroke-width:3px", |node| has_others && node.distance == 0);
    write_class(out, nodes, "test", "stroke-dasharray:4", |node| node.is_test);
    write_class(out, nodes, "external", "fill:none", |node| node.kind == NodeKind::External);
}

fn write_class(
    out: &mut String,
    nodes: &[GraphNode],
    name: &str,
    style: &str,
    belongs: impl Fn(&GraphNode) -> bool,
) {
    let members: Vec<String> = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| belongs(node))
        .map(|(place, _)| format!("n{place}"))
        .collect();
    if !members.is_empty() {
        let _ = writeln!(out, "  classDef {name} {style}\n  class {} {name}", members.join(","));
    }
}

/// Escapes the characters that have a meaning inside quotes. Mermaid has HTML entities, with `#` instead of `&`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            '"' | '#' | '&' | '<' | '>' | '`' | '\\' => {
                let _ = write!(out, "#{};", c as u32);
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::hostile;
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_labels() {
        let drawn = mermaid(&hostile());
        assert!(drawn.contains(r#"n0("operator#60;#34;#38;#96;#35;#62;;--<br/>[x].ts")"#), "{drawn}");
        assert!(drawn.contains(r#"["src/we#34;ird"]"#), "{drawn}");
        for line in drawn.lines().filter(|line| line.contains('"')) {
            assert_eq!(line.matches('"').count(), 2, "{line}");
        }
    }

    #[test]
    fn guesses_are_dashed_and_say_so_and_bundles_are_counted() {
        let drawn = mermaid(&hostile());
        assert!(drawn.contains("n0 -.->|guess| n1"), "{drawn}");
        assert!(drawn.contains("n0 --> n2"), "{drawn}");
        assert!(drawn.contains("n0 -->|7| n3"), "{drawn}");
    }
}
