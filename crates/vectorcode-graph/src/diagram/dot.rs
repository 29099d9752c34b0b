//! Draws a graph as Graphviz DOT.

use std::fmt::Write;

use vectorcode_core::api::{GraphNode, GraphResponse, NodeKind};

use super::{by_folder, colours, edge_label, is_dashed, label};

/// The graph as a Graphviz digraph.
pub fn dot(response: &GraphResponse) -> String {
    let mut out = String::from(
        "digraph vectorcode {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=9];\n",
    );
    let colours = colours(response);
    for (number, (folder, nodes)) in by_folder(response).into_iter().enumerate() {
        if folder.is_empty() {
            write_nodes(&mut out, "  ", &nodes, &colours);
            continue;
        }
        let _ =
            writeln!(out, "  subgraph cluster_{number} {{\n    label={};\n    color=gray;", quoted(folder));
        write_nodes(&mut out, "    ", &nodes, &colours);
        out.push_str("  }\n");
    }
    for edge in &response.edges {
        let mut attributes = Vec::new();
        attributes.extend(edge_label(edge).map(|label| format!("label={}", quoted(&label))));
        attributes.extend(is_dashed(edge).then(|| "style=dashed".to_owned()));
        let attributes =
            if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        let _ = writeln!(out, "  n{} -> n{}{attributes};", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}

fn write_nodes(out: &mut String, indent: &str, nodes: &[(usize, &GraphNode)], colours: &[(&str, &str)]) {
    for (place, node) in nodes {
        let colour = colours.iter().find(|(language, _)| node.language.as_deref() == Some(*language));
        let _ = writeln!(out, "{indent}n{place} [{}];", attributes(node, colour.map(|(_, colour)| *colour)));
    }
}

fn attributes(node: &GraphNode, fill: Option<&str>) -> String {
    let shape = match node.kind {
        NodeKind::File => "",
        NodeKind::Symbol => ", shape=ellipse",
        NodeKind::External => ", style=dashed",
        NodeKind::Folder => ", shape=folder",
    };
    let color = if node.is_test { ", color=gray" } else { "" };
    let fill =
        fill.map_or_else(String::new, |fill| format!(", style=\"rounded,filled\", fillcolor=\"{fill}\""));
    format!("label={}{shape}{color}{fill}", quoted(&label(node)))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::hostile;
    use super::*;

    #[test]
    fn names_are_quoted() {
        let drawn = dot(&hostile());
        assert!(drawn.contains(r#"n0 [label="operator<\"&`#>;--\n[x].ts", shape=ellipse]"#), "{drawn}");
        assert!(drawn.contains(r#"label="src/we\"ird";"#), "{drawn}");
        assert!(drawn.contains(r#"n0 -> n1 [label="guess", style=dashed];"#), "{drawn}");
        assert_eq!(drawn.matches('{').count(), drawn.matches('}').count());
    }
}
