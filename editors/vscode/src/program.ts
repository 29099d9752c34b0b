// Finds the program `vectorcode` and runs it. Knows nothing of VS Code, so that tests can use it.

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import * as path from "node:path";

/** What the program answered: `code` 1 means that nothing was found, 2 an error that `errors` explains. */
export interface Output {
  code: number;
  text: string;
  errors: string;
}

/** The path of the program: the one in the settings, or the first on the search path that says it is ours. */
export async function findProgram(setting: string, searchPath = process.env.PATH ?? ""): Promise<string | undefined> {
  const candidates = setting ? [setting] : onSearchPath(searchPath);
  for (const candidate of candidates) {
    if (await isOurs(candidate)) return candidate;
  }
  return undefined;
}

/** Relative entries are left out: they would lead to a program of the project that is open. */
function onSearchPath(searchPath: string): string[] {
  const name = process.platform === "win32" ? "vectorcode.exe" : "vectorcode";
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name));
}

/** Other programs have the same name. Ours answers `vectorcode 0.1.0`. */
async function isOurs(program: string): Promise<boolean> {
  try {
    await access(program, constants.X_OK);
    const { code, text } = await run(program, ["--version"], path.dirname(program));
    return code === 0 && /^vectorcode \d+\.\d+/.test(text);
  } catch {
    return false;
  }
}

/** Runs the program without a shell. Rejects only if it cannot be started, was cancelled, or wrote too much. */
export function run(program: string, args: string[], cwd: string, signal?: AbortSignal): Promise<Output> {
  const options = { cwd, signal, maxBuffer: 64 * 1024 * 1024, windowsHide: true };
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, text, errors) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve({ code: typeof error?.code === "number" ? error.code : 0, text, errors });
    });
    child.stdin?.end();
  });
}
