// Opens each kind of page of real projects, takes screenshots and runs `axe-core`. Run by page-audit.sh.

import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { basename, join } from "node:path";

const [binary, browserPath, tools, ...projects] = process.argv.slice(2);
const load = createRequire(join(tools, "package.json"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const QUESTION = process.env.QUESTION ?? "read the configuration";
const ONLY = process.env.ONLY;
const VIEWS = [["light", 1440, 900], ["dark", 1440, 900], ["light", 390, 844], ["dark", 390, 844]];
const FAILING = new Set(["serious", "critical"]);
let failures = 0;

const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

/** The indexed file with the most lines. */
async function longest(get, project) {
  const files = execFileSync("git", ["-C", project, "ls-files", "-z"], { maxBuffer: 1 << 28 }).toString().split("\0").filter(Boolean);
  const lines = (path) => { try { return readFileSync(join(project, path), "latin1").split("\n").length; } catch { return 0; } };
  const sorted = files.map((path) => [lines(path), path]).sort(([a], [b]) => b - a);
  for (const [, path] of sorted) {
    const answer = await get(`file?path=${encodeURIComponent(path)}&start=1&end=1`).catch(() => null);
    if (answer?.definitions?.length) return path;
  }
  return files[0];
}

/** The pages: name, URL, what must be there, and what to do then. */
async function pages(get, project) {
  const { most_imported: central } = await get("overview?limit=5");
  const found = await get(`search?q=${encodeURIComponent(QUESTION)}`);
  const file = encodeURIComponent(central[0]?.path ?? found.hits[0].file_path);
  const hit = found.hits.find(({ symbol, kind }) => symbol && /function|method|class|struct/.test(kind)) ?? found.hits[0];
  const symbol = encodeURIComponent(`${hit.file_path}#${hit.symbol}`);
  const big = encodeURIComponent(await longest(get, project));
  const q = encodeURIComponent(QUESTION);
  return [
    ["start", "/", ".landing .card"],
    ["search", `/?q=${q}`, ".hit .code"],
    ["weak", "/?q=sourdough+oven+temperature+of+a+bakery", ".hit"],
    ["nothing", `/?q=${q}&path=no/such/folder/`, "#results .empty"],
    ["filters", `/?q=${q}&language=${hit.language}&class=code&kind=function&tests=exclude`, "#results .hit:not(.ghost), #results .empty"],
    ["file", `/?file=${file}`, ".code.whole .line"],
    ["long", `/?file=${big}&line=1500`, ".code.whole .line"],
    ["references", `/?file=${encodeURIComponent(hit.file_path)}&symbol=${symbol}&view=references`, ".references, .pane .empty"],
    ["graph", `/?file=${file}&view=graph`, ".pane .node, .pane .empty"],
    ["symbol-graph", `/?file=${encodeURIComponent(hit.file_path)}&symbol=${symbol}&view=graph`, ".pane .node, .pane .empty"],
    ["map", "/?view=graph", ".pane .node, .pane .empty"],
    ["history", `/?file=${file}&view=history`, ".commits, .pane .empty"],
    ["similar", `/?file=${encodeURIComponent(hit.file_path)}&line=${hit.start_line}&end=${hit.end_line}&view=similar`, ".pane .hit"],
    ["folder", `/?folder=${encodeURIComponent(hit.file_path.split("/").slice(0, -1).join("/"))}`, ".landing .card"],
    ["unknown", `/?file=${file}&symbol=${file}%23nobody&view=references`, ".pane .empty"],
    ["missing", "/?file=no/such/file.rs", ".pane .empty, .pane [role=alert], .pane .problem"],
    ["status", "/", ".landing .card", (page) => page.locator("#status").click()],
    ["help", "/", ".landing .card", (page) => page.locator("#help").click()],
  ].filter(([name]) => !ONLY || ONLY.split(",").includes(name));
}

async function audit(browser, base, name, list) {
  for (const [scheme, width, height] of VIEWS) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce", hasTouch: width < 600 });
    // Long timeouts, for busy machines.
    context.setDefaultTimeout(120_000);
    for (const [what, path, ready, act] of list) {
      const where = `${name}-${what}-${width}-${scheme}`;
      const page = await context.newPage();
      const problem = (text) => { failures += 1; console.log(`FAIL ${where}: ${text}`); };
      page.on("pageerror", (error) => problem(error.message));
      page.on("console", (message) => message.type() === "error" && !["missing", "unknown"].includes(what) && problem(message.text()));
      if (process.env.WEB) await context.route(/\/(assets\/.*)?(\?.*)?$/, fromDisk);
      const began = Date.now();
      await page.goto(base + path);
      await page.locator(ready).first().waitFor().catch(() => problem(`no ${ready}`));
      const took = Date.now() - began;
      await act?.(page);
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(tools, "pages", `${where}.png`) });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) problem(`${over} px too wide`);
      const elements = await page.evaluate(() => document.querySelectorAll("*").length);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, impact, nodes } of violations) {
        const text = `${impact} ${id}: ${nodes.slice(0, 4).map((node) => node.target.join(" ")).join(", ")}`;
        if (FAILING.has(impact)) problem(text);
        else console.log(`note ${where}: ${text}`);
      }
      console.log(`${where}: ${took} ms, ${elements} elements, "${await page.title()}"`);
      await page.close();
    }
    await context.close();
  }
}

/** With WEB=folder the page's files are read from there, to look at changes without a build. */
async function fromDisk(route) {
  const { pathname } = new URL(route.request().url());
  const body = readFileSync(join(process.env.WEB, pathname === "/" ? "index.html" : pathname.replace("/assets/", "")));
  if (pathname !== "/") return route.fulfill({ body, contentType: { js: "text/javascript", css: "text/css", svg: "image/svg+xml" }[pathname.split(".").pop()] });
  const response = await route.fetch();
  await route.fulfill({ response, body });
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
for (const project of projects) {
  execFileSync(binary, ["index", "--fast", "--project-path", project], { stdio: "ignore" });
  const base = `http://127.0.0.1:${await freePort()}`;
  const server = spawn(binary, ["serve", "--http", base.slice("http://".length), "--project-path", project], { stdio: "ignore" });
  const get = async (path) => (await fetch(`${base}/api/v1/${path}`)).json();
  try {
    while ((await get("status").catch(() => ({}))).index === undefined) await new Promise((resolve) => setTimeout(resolve, 200));
    await audit(browser, base, basename(project), await pages(get, project));
  } finally {
    server.kill("SIGTERM");
  }
}
await browser.close();
console.log(`${failures} failures`);
process.exit(failures ? 1 : 0);
