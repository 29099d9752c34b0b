// The questions that the extension asks, and their answers as places in files. Knows nothing of VS Code.

import { run } from "./program";

/** A line of the result list. Lines count from 1. */
export interface Place {
  path: string;
  line: number;
  endLine: number;
  title: string;
  detail: string;
  code?: string;
}

export interface Group {
  title: string;
  places: Place[];
}

/** The program's own message and hint. */
export class QuestionError extends Error {}

export interface Project {
  program: string;
  root: string;
}

/** Where the cursor is: a word, and the file, relative to the root and with `/`, and line around it. */
export interface Cursor {
  word?: string;
  path: string;
  line: number;
}

interface Hit {
  file_path: string;
  start_line: number;
  end_line: number;
  symbol: string | null;
  content: string;
  score: number;
  weak?: boolean;
}

interface Node {
  name: string;
  path?: string;
  line?: number | null;
  is_test?: boolean;
  distance: number;
}

interface Edge {
  from: number;
  to: number;
  confidence: string;
  line?: number;
}

interface Graph {
  nodes: Node[];
  edges: Edge[];
}

export async function search(project: Project, query: string, limit: number, signal?: AbortSignal): Promise<Group[]> {
  const answer = await ask<{ hits: Hit[] }>(project, ["search", "--json", "-n", String(limit), "--", query], signal);
  return hitGroups(answer?.hits ?? []);
}

export async function similar(project: Project, path: string, line: number, signal?: AbortSignal): Promise<Group[]> {
  const answer = await ask<{ hits: Hit[] }>(project, ["similar", "--json", "--", `${path}:${line}`], signal);
  return hitGroups(answer?.hits ?? []);
}

export async function callers(project: Project, cursor: Cursor, signal?: AbortSignal): Promise<Group[]> {
  const graph = await askAbout(project, "callers", cursor, signal);
  return graph.nodes.length < 2 ? [] : [{ title: `Callers of ${graph.nodes[0].name}`, places: reached(graph) }];
}

export async function impact(project: Project, cursor: Cursor, signal?: AbortSignal): Promise<Group[]> {
  const graph = await askAbout(project, "impact", cursor, signal);
  const isTest = new Set(graph.nodes.filter((node) => node.is_test).map((node) => node.path ?? node.name));
  const places = reached(graph);
  return nonEmpty([
    { title: "Tests to run", places: places.filter((place) => isTest.has(place.path)) },
    { title: `Uses ${graph.nodes[0]?.name ?? ""}`, places: places.filter((place) => !isTest.has(place.path)) },
  ]);
}

/** What the uncommitted change may reach. */
export async function changes(project: Project, signal?: AbortSignal): Promise<Group[]> {
  interface Changes {
    symbols: { name: string; path: string; start_line: number; end_line: number; change: string }[];
    tests: Node[];
    affected: Node[];
  }
  const answer = await ask<Changes>(project, ["graph", "impact", "--diff", "--json"], signal);
  if (!answer) return [];
  const changed = answer.symbols.map((symbol) => ({
    path: symbol.path,
    line: symbol.start_line,
    endLine: symbol.end_line,
    title: symbol.name,
    detail: symbol.change,
  }));
  return nonEmpty([
    { title: "Changed", places: changed },
    { title: "Tests to run", places: answer.tests.map((node) => nodePlace(node)) },
    { title: "Used by", places: answer.affected.map((node) => nodePlace(node)) },
  ]);
}

export interface Status {
  files: number;
  embedded: number;
  total: number;
}

/** The state of the index, or undefined where there is none yet. */
export async function status(project: Project): Promise<Status | undefined> {
  try {
    const answer = await ask<{ files: number; coverage: { embedded: number; total: number } }>(project, ["status", "--json"]);
    return answer && { files: answer.files, ...answer.coverage };
  } catch (error) {
    if (error instanceof QuestionError && /not initialized/.test(error.message)) return undefined;
    throw error;
  }
}

/** The word under the cursor may be defined here, or elsewhere, or be no symbol: then the definition around the line counts. */
async function askAbout(project: Project, action: string, cursor: Cursor, signal?: AbortSignal): Promise<Graph> {
  const here = `${cursor.path}:${cursor.line}`;
  const targets = cursor.word ? [`${cursor.path}#${cursor.word}`, cursor.word, here] : [here];
  let failure: unknown;
  for (const target of targets) {
    try {
      return (await ask<Graph>(project, ["graph", action, "--json", "--", target], signal)) ?? { nodes: [], edges: [] };
    } catch (error) {
      if (!(error instanceof QuestionError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function ask<T>(project: Project, args: string[], signal?: AbortSignal): Promise<T | undefined> {
  const output = await run(project.program, ["--quiet", "--project-path", project.root, ...args], project.root, signal);
  if (output.code > 1) throw new QuestionError(output.errors.trim().replace(/^error: /, "") || `exit code ${output.code}`);
  return output.text.trim() ? (JSON.parse(output.text) as T) : undefined;
}

function hitGroups(hits: Hit[]): Group[] {
  const [good, weak] = [hits.filter((hit) => !hit.weak), hits.filter((hit) => hit.weak)];
  return nonEmpty([
    { title: "Results", places: good.map(hitPlace) },
    { title: "Nothing below fits well", places: weak.map(hitPlace) },
  ]);
}

function hitPlace(hit: Hit): Place {
  return {
    path: hit.file_path,
    line: hit.start_line,
    endLine: hit.end_line,
    title: hit.symbol ?? hit.file_path.split("/").pop() ?? hit.file_path,
    detail: `${hit.file_path}:${hit.start_line}  ${hit.score.toFixed(2)}`,
    code: hit.content,
  };
}

/** The nodes that reach the first one, each at the line of its use. Those that only share a name come with their mark. */
function reached(graph: Graph): Place[] {
  return graph.nodes.slice(1).map((node, index) => {
    const edge = graph.edges.find((candidate) => candidate.from === index + 1);
    return nodePlace(node, edge);
  });
}

function nodePlace(node: Node, edge?: Edge): Place {
  const path = node.path ?? node.name;
  const line = edge?.line ?? node.line ?? 1;
  const marks = [edge && edge.confidence !== "certain" ? edge.confidence : "", node.distance > 1 ? `${node.distance} steps` : ""];
  const detail = [`${path}:${line}`, ...marks.filter(Boolean)].join("  ");
  return { path, line, endLine: line, title: node.name.split("/").pop() ?? node.name, detail };
}

function nonEmpty(groups: Group[]): Group[] {
  return groups.filter((group) => group.places.length > 0);
}
