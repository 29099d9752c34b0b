// The view of results: groups of places. A selected place is shown in a preview editor, and the view keeps the keyboard.

import * as path from "node:path";
import * as vscode from "vscode";
import type { Group, Place } from "./questions";

type Row = Group | Place;

const isGroup = (row: Row): row is Group => "places" in row;

export class Results implements vscode.TreeDataProvider<Row> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private groups: Group[] = [];
  private root = "";

  constructor(context: vscode.ExtensionContext) {
    this.view = vscode.window.createTreeView("vectorcode.results", { treeDataProvider: this });
    context.subscriptions.push(this.view, this.changed);
  }

  /** Shows an answer, with the question above it. */
  async show(question: string, groups: Group[], root: string): Promise<void> {
    this.groups = groups;
    this.root = root;
    this.view.description = question;
    this.view.message = groups.length ? undefined : "Nothing found.";
    this.changed.fire();
    await vscode.commands.executeCommand("vectorcode.results.focus");
    if (groups.length) await this.view.reveal(groups[0].places[0], { focus: true, select: true });
  }

  getChildren(row?: Row): Row[] {
    if (!row) return this.groups.length === 1 ? this.groups[0].places : this.groups;
    return isGroup(row) ? row.places : [];
  }

  getParent(row: Row): Row | undefined {
    if (isGroup(row) || this.groups.length === 1) return undefined;
    return this.groups.find((group) => group.places.includes(row));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (isGroup(row)) {
      const item = new vscode.TreeItem(row.title, vscode.TreeItemCollapsibleState.Expanded);
      item.description = String(row.places.length);
      return item;
    }
    const uri = vscode.Uri.file(path.join(this.root, row.path));
    const item = new vscode.TreeItem(row.title);
    item.description = row.detail;
    item.resourceUri = uri;
    item.iconPath = vscode.ThemeIcon.File;
    item.tooltip = row.code === undefined ? undefined : new vscode.MarkdownString().appendCodeblock(row.code, "");
    const selection = new vscode.Range(row.line - 1, 0, Math.max(row.line, row.endLine) - 1, 0);
    item.command = { command: "vscode.open", title: "Open", arguments: [uri, { preview: true, preserveFocus: true, selection }] };
    return item;
  }
}
