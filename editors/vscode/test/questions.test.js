// Asks the real program. VECTORCODE names it; otherwise it is looked for on the search path.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");
const { findProgram } = require("../out/program.js");
const questions = require("../out/questions.js");

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "vectorcode-vscode-"));
const root = path.join(scratch, "project");
let project;

const FILES = {
  "src/retry.ts":
    "/** Charges again after a failure, waiting longer each time. */\nexport function chargeWithBackoff(charge: () => boolean) {\n  for (let wait = 1; !charge(); wait *= 2) {}\n}\n",
  "src/order.ts": 'import { chargeWithBackoff } from "./retry";\n\nexport function placeOrder() {\n  chargeWithBackoff(() => true);\n}\n',
  "test/retry.test.ts":
    'import { chargeWithBackoff } from "../src/retry";\n\nfunction retriesThreeTimes() {\n  chargeWithBackoff(() => true);\n}\n',
};

before(async () => {
  process.env.HOME = path.join(scratch, "home");
  for (const [name, text] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: root });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
  project = { program: await findProgram(process.env.VECTORCODE ?? ""), root };
  assert.ok(project.program, "no vectorcode found: set VECTORCODE");
});

after(() => fs.rmSync(scratch, { recursive: true, force: true }));

const names = (groups) => groups.map((group) => [group.title, group.places.map((place) => `${place.path}:${place.line}`)]);

test("there is no status before the first search, and one after it", async () => {
  assert.equal(await questions.status(project), undefined);
  const [results] = await questions.search(project, "try again after a failure", 5);
  assert.equal(results.places[0].title, "chargeWithBackoff");
  assert.match(results.places[0].code, /waiting longer/);
  assert.equal((await questions.status(project)).files, 3);
});

test("a query that looks like an option is a query", async () => {
  assert.ok(Array.isArray(await questions.search(project, "--help", 5)));
});

test("callers of a word that is defined in another file", async () => {
  const groups = await questions.callers(project, { word: "chargeWithBackoff", path: "src/order.ts", line: 4 });
  assert.equal(groups[0].title, "Callers of chargeWithBackoff");
  assert.ok(names(groups)[0][1].includes("src/order.ts:4"));
});

test("a word that is no symbol stands for the definition around it", async () => {
  const groups = await questions.impact(project, { word: "let", path: "src/retry.ts", line: 3 });
  assert.deepEqual(groups.map((group) => group.title), ["Tests to run", "Uses chargeWithBackoff"]);
  assert.ok(groups[0].places.some((place) => place.path === "test/retry.test.ts"));
});

test("similar code of a line", async () => {
  const groups = await questions.similar(project, "src/order.ts", 4);
  assert.ok(groups.length > 0);
});

test("an error carries the program's message and hint", async () => {
  await assert.rejects(questions.callers(project, { word: "nosuch", path: "src/none.ts", line: 1 }), questions.QuestionError);
});

test("what an uncommitted change may reach", async () => {
  fs.writeFileSync(path.join(root, "src/retry.ts"), FILES["src/retry.ts"].replace("wait *= 2", "wait *= 3"));
  const groups = await questions.changes(project);
  assert.deepEqual(names(groups)[0], ["Changed", ["src/retry.ts:1"]]);
  assert.ok(groups.some((group) => group.title === "Used by"));
});

test("another program with the same name is not ours, nor is one in a relative folder", async () => {
  const other = path.join(scratch, "other");
  fs.mkdirSync(other);
  fs.writeFileSync(path.join(other, "vectorcode"), "#!/bin/sh\necho 'usage: vectorcode {query,vectorise}'\n", { mode: 0o755 });
  assert.equal(await findProgram("", [other, "."].join(path.delimiter)), undefined);
  const found = await findProgram("", [other, path.dirname(project.program)].join(path.delimiter));
  assert.equal(path.dirname(found), path.dirname(project.program));
});
