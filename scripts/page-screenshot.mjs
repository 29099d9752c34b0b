// Makes the pictures of the web page for the README: searches in this repository.
// Run by page-screenshot.sh.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [binary, browserPath, tools] = process.argv.slice(2);
const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");

/** Maximum size of a picture, so that the README loads quickly. */
const MAX_BYTES = 120_000;
const SIZE = { width: 1360, height: 850 };
/** What each picture shows, in which colours, and what must be there before it is taken. */
const PICTURES = {
  "page-search": { path: "/?q=retry+after+a+failed+request", scheme: "light", open: ".hit-link", ready: ".code.whole .its-definition" },
  "page-start": { path: "/", scheme: "dark", ready: ".map-card .node" },
};

const scratch = mkdtempSync(join(tmpdir(), "vectorcode-picture-"));
/** A project that is already indexed; without it, a copy of this repository is indexed. */
const given = process.env.PROJECT;
const environment = given ? process.env : { ...process.env, HOME: join(scratch, "home"), XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "", XDG_STATE_HOME: "" };
const project = given ?? join(scratch, "vectorcode");

/** The files of the last commit, so that stray files of the working tree are not in the picture. */
function copyProject() {
  mkdirSync(project);
  const archive = execFileSync("git", ["archive", "HEAD"], { maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", project], { input: archive });
}

const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

async function ready(base) {
  for (;;) {
    const status = await fetch(`${base}/api/v1/status`).then((answer) => answer.json(), () => null);
    if (status?.index?.files > 0 && !status.index.pending.length) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Uses Chromium to write WebP, which playwright cannot. Lowers the quality until the picture is small enough. */
async function capture(page) {
  const session = await page.context().newCDPSession(page);
  for (let quality = 90; ; quality -= 10) {
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
    const bytes = Buffer.from(data, "base64");
    if (bytes.length <= MAX_BYTES || quality <= 30) return bytes;
  }
}

if (!given) {
  copyProject();
  execFileSync(binary, ["index", "--project-path", project], { env: environment, stdio: "ignore" });
}
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const server = spawn(binary, ["serve", "--http", `127.0.0.1:${port}`, "--project-path", project], { env: environment, stdio: "ignore" });
try {
  await ready(base);
  // Another query loads the models. The query in the picture must not come from the cache, because its time is shown.
  await fetch(`${base}/api/v1/search?q=walk+through+a+folder`);
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
  for (const [name, { path, scheme, open, ready: shown }] of Object.entries(PICTURES)) {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: scheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(base + path);
    if (open) await page.locator(open).first().click();
    await page.locator(shown).first().waitFor();
    await page.evaluate(() => document.activeElement.blur());
    const bytes = await capture(page);
    writeFileSync(`docs/images/${name}.webp`, bytes);
    console.log(`docs/images/${name}.webp: ${bytes.length} bytes`);
    await context.close();
  }
  await browser.close();
} finally {
  server.kill("SIGTERM");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
