// The state of the index in the status bar.

import * as vscode from "vscode";
import { type Project, status } from "./questions";

export class StatusBar {
  private readonly item = vscode.window.createStatusBarItem("vectorcode.status", vscode.StatusBarAlignment.Left, 0);

  constructor(context: vscode.ExtensionContext) {
    this.item.name = "vectorcode";
    context.subscriptions.push(this.item);
  }

  missing(): void {
    this.set("$(warning) vectorcode", "The program was not found. Click to install it.", "vectorcode.install");
  }

  busy(what: string): void {
    this.set("$(sync~spin) vectorcode", what, undefined);
  }

  async refresh(project: Project): Promise<void> {
    try {
      const now = await status(project);
      if (!now) {
        this.set("$(search) vectorcode", "No index yet: the first search makes it.", "vectorcode.search");
        return;
      }
      const files = `${now.files.toLocaleString()} files`;
      const share = now.total ? Math.floor((100 * now.embedded) / now.total) : 100;
      const hint = share < 100 ? `${files} indexed, ${share} % with vectors. Click to finish.` : `${files} indexed. Click to update.`;
      this.set(share < 100 ? `$(search) ${files}, ${share} %` : `$(search) ${files}`, hint, "vectorcode.index");
    } catch (error) {
      this.set("$(warning) vectorcode", error instanceof Error ? error.message : String(error), "vectorcode.index");
    }
  }

  private set(text: string, tooltip: string, command: string | undefined): void {
    Object.assign(this.item, { text, tooltip, command });
    this.item.show();
  }
}
