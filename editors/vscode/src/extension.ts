// The commands. Each asks the program one question and puts the answer into the view of results. The program brings the index
// up to date before it answers, so nothing runs between questions.

import * as path from "node:path";
import * as vscode from "vscode";
import { findProgram } from "./program";
import { type Cursor, type Group, type Project, callers, changes, impact, search, similar } from "./questions";
import { Results } from "./results";
import { StatusBar } from "./status";

const RELEASES = "https://github.com/alejandro-technology/vectorcode#readme";
/** Saves come in bursts; the figure in the status bar may be this late. */
const REFRESH_DELAY_MS = 3000;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const commands = new Commands(new Results(context), new StatusBar(context));
  const register = (name: string, action: () => Promise<void>) =>
    context.subscriptions.push(vscode.commands.registerCommand(`vectorcode.${name}`, action));
  register("search", () => commands.search());
  register("similar", () => commands.atCursor("Similar to", (project, cursor, signal) => similar(project, cursor.path, cursor.line, signal)));
  register("callers", () => commands.atCursor("Callers of", callers));
  register("impact", () => commands.atCursor("May reach:", impact));
  register("changes", () => commands.changes());
  register("index", () => commands.index());
  register("install", () => commands.install());
  commands.refreshLater(context);
  await commands.refresh();
}

type CursorQuestion = (project: Project, cursor: Cursor, signal: AbortSignal) => Promise<Group[]>;

class Commands {
  private lastQuery = "";

  constructor(
    private readonly results: Results,
    private readonly statusBar: StatusBar,
  ) {}

  async search(): Promise<void> {
    const project = await this.project();
    if (!project) return;
    const query = await vscode.window.showInputBox({
      title: "Search by meaning",
      prompt: "What does the code do?",
      placeHolder: "retry a failed payment",
      value: this.lastQuery,
    });
    if (!query?.trim()) return;
    this.lastQuery = query;
    const limit = vscode.workspace.getConfiguration("vectorcode").get<number>("limit", 20);
    await this.answer(query, project, (signal) => search(project, query, limit, signal));
  }

  async atCursor(verb: string, question: CursorQuestion): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const project = await this.project();
    if (!editor || !project) return;
    // The program reads the file from the disk.
    if (editor.document.isDirty && !(await editor.document.save())) return;
    const range = editor.document.getWordRangeAtPosition(editor.selection.active);
    const word = range && editor.document.getText(range);
    const relative = path.relative(project.root, editor.document.uri.fsPath).split(path.sep).join("/");
    const cursor = { word, path: relative, line: editor.selection.active.line + 1 };
    const subject = word ?? `${relative}:${cursor.line}`;
    await this.answer(`${verb} ${subject}`, project, (signal) => question(project, cursor, signal));
  }

  async changes(): Promise<void> {
    const project = await this.project();
    if (project) await this.answer("Uncommitted change", project, (signal) => changes(project, signal));
  }

  /** In a terminal, where its progress is seen and Ctrl-C stops it. */
  async index(): Promise<void> {
    const project = await this.project();
    if (!project) return;
    const execution = new vscode.ProcessExecution(project.program, ["index"], { cwd: project.root });
    const task = new vscode.Task({ type: "vectorcode" }, vscode.TaskScope.Workspace, "index", "vectorcode", execution);
    const started = await vscode.tasks.executeTask(task);
    const ended = vscode.tasks.onDidEndTask((event) => {
      if (event.execution !== started) return;
      ended.dispose();
      void this.refresh();
    });
  }

  /** Nothing is downloaded behind the user's back: the line goes into a terminal, and the user presses Enter. */
  async install(): Promise<void> {
    const withNpm = "npm install -g vectorcode";
    const other = "Other Ways";
    const choice = await vscode.window.showInformationMessage("The program vectorcode is needed. How do you want to install it?", withNpm, other);
    if (choice === other) await vscode.env.openExternal(vscode.Uri.parse(RELEASES));
    if (choice !== withNpm) return;
    const terminal = vscode.window.createTerminal("vectorcode");
    terminal.show();
    terminal.sendText(withNpm, false);
  }

  async refresh(): Promise<void> {
    const folder = currentFolder();
    if (!folder) return;
    const program = await this.program();
    if (program) await this.statusBar.refresh({ program, root: folder.uri.fsPath });
    else this.statusBar.missing();
  }

  refreshLater(context: vscode.ExtensionContext): void {
    let timer: NodeJS.Timeout | undefined;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
    };
    context.subscriptions.push(
      vscode.workspace.onDidSaveTextDocument(later),
      vscode.workspace.onDidChangeWorkspaceFolders(later),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("vectorcode") && later()),
      { dispose: () => clearTimeout(timer) },
    );
  }

  private async answer(question: string, project: Project, ask: (signal: AbortSignal) => Promise<Group[]>): Promise<void> {
    const options = { location: vscode.ProgressLocation.Notification, title: `vectorcode: ${question}`, cancellable: true };
    this.statusBar.busy(question);
    try {
      const groups = await vscode.window.withProgress(options, (_progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        return ask(abort.signal);
      });
      await this.results.show(question, groups, project.root);
    } catch (error) {
      if (error instanceof Error && error.name !== "AbortError") void vscode.window.showErrorMessage(`vectorcode: ${error.message}`);
    } finally {
      await this.statusBar.refresh(project);
    }
  }

  private async project(): Promise<Project | undefined> {
    const folder = currentFolder();
    if (!folder) {
      void vscode.window.showInformationMessage("vectorcode: open a folder first.");
      return undefined;
    }
    const program = await this.program();
    if (program) return { program, root: folder.uri.fsPath };
    await this.install();
    return undefined;
  }

  private async program(): Promise<string | undefined> {
    const program = await findProgram(vscode.workspace.getConfiguration("vectorcode").get<string>("program", ""));
    await vscode.commands.executeCommand("setContext", "vectorcode.isMissing", !program);
    return program;
  }
}

/** The folder of the file that is edited, or the first one. */
function currentFolder(): vscode.WorkspaceFolder | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return (uri && vscode.workspace.getWorkspaceFolder(uri)) ?? vscode.workspace.workspaceFolders?.[0];
}
