// The web page as a person uses it: real binary, real browser. Run by browser-check.sh.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const [binary, browserPath, tools] = process.argv.slice(2);
const load = createRequire(join(tools, "package.json"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

const scratch = mkdtempSync(join(tmpdir(), "vectorcode-browser-"));
const environment = { ...process.env, HOME: join(scratch, "home"), XDG_CONFIG_HOME: "", XDG_DATA_HOME: "", XDG_CACHE_HOME: "", XDG_STATE_HOME: "" };
const shop = join(scratch, "shop");
const library = join(scratch, "library");

// ---- the projects ----

function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const worker = (number) => `/** Handles parcel number ${number} of the warehouse. */
export function packParcel${number}(weight: number): string {
  const label = "parcel ${number}";
  if (weight > ${number}) throw new Error("too heavy");
  return label + weight;
}
`;

function makeProjects() {
  write(shop, {
    "README.md": "# Shop\n\nTakes payments and `retries` them.\n\n```ts\nretryPayment(payment)\n```\n",
    "src/payment/gateway.ts": "import Stripe from 'stripe';\n\nexport interface Payment { id: string; amount: number }\n\n/** Charges the card once. */\nexport async function charge(payment: Payment): Promise<boolean> {\n  return new Stripe().charge(payment.id, payment.amount);\n}\n",
    "src/payment/retry.ts": "import { charge, Payment } from './gateway';\nimport { sleep } from '../clock';\n\nexport const MAX_ATTEMPTS = 5;\n\n/** Tries a payment again with growing pauses until it goes through. */\nexport async function retryPayment(payment: Payment): Promise<boolean> {\n  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {\n    if (await charge(payment)) return true;\n    await sleep(100 * 2 ** attempt); // back off\n  }\n  return false;\n}\n",
    "src/clock.ts": "export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));\n",
    "src/checkout.ts": "import { retryPayment } from './payment/retry';\nimport { reserve } from './stock';\n\n/** Reserves the goods, then takes the money. */\nexport async function checkout(cart: string[]) {\n  await reserve(cart);\n  return retryPayment({ id: cart[0], amount: cart.length });\n}\n",
    "src/stock.ts": "/** Takes goods off the shelf. */\nexport async function reserve(goods: string[]) {\n  if (!goods.length) throw new Error('nothing to reserve');\n}\n",
    "tests/retry.test.ts": "import { retryPayment } from '../src/payment/retry';\n\ntest('a declined payment is retried', async () => {\n  expect(await retryPayment({ id: 'a', amount: 1 })).toBe(false);\n});\n",
    "tools/report.py": '"""Prints the payments of a day."""\n\nimport sys\n\n\ndef daily_report(day: str) -> int:\n    total = 0\n    for line in open(day):\n        total += int(line)\n    return total\n',
    "src/<img src=x onerror=alert(1)>.ts": "/** Escapes hostile markup <script>alert(1)</script> in names. */\nexport const hostileMarkup = '<img src=x onerror=alert(1)>';\n",
    ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`src/parcels/parcel${at}.ts`, worker(at)])),
  });
  write(library, { "lending.rs": "/// Lends a book until its day of return.\npub fn lend_book(title: &str) -> u32 {\n    title.len() as u32\n}\n" });
  for (const root of [library, shop]) {
    const made = spawnSync(binary, ["index", "--project-path", root], { env: environment, encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
  }
}

// ---- the server ----

const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

let server = null;

async function startServer(port) {
  server = spawn(binary, ["serve", "--http", `127.0.0.1:${port}`, "--project-path", shop], { env: environment, stdio: "ignore" });
  await poll("the server answers", () => fetch(`http://127.0.0.1:${port}/api/v1/health`).then((answer) => answer.ok, () => false));
}

async function stopServer() {
  if (!server || server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await ended;
}

async function poll(what, holds, limit = 30_000) {
  for (const end = Date.now() + limit; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (await holds()) return;
  }
  throw new Error(`not within ${limit / 1000} s: ${what}`);
}

// ---- the journeys ----

const checks = [];
const check = (name, run) => checks.push([name, run]);
const problems = [];
let expectFailures = false;

/** A page that reports errors, refused content and requests to other hosts. */
async function open(browser, base, { width = 1440, height = 900, scheme = "light", path = "/" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
  if (process.env.WEB) await context.route(/\/(assets\/.*)?(\?.*)?$/, fromDisk);
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && !expectFailures && problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { problems.push("a dialog opened: markup was injected"); dialog.dismiss(); });
  page.on("request", (request) => !request.url().startsWith(base) && problems.push(`request elsewhere: ${request.url()}`));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`)));
  await page.goto(base + path);
  return page;
}

/** With WEB=folder the page's files are taken from there, so that a change can be tried without a build. */
async function fromDisk(route) {
  const { pathname } = new URL(route.request().url());
  const file = pathname === "/" ? "index.html" : pathname.replace("/assets/", "");
  const response = await route.fetch().catch(() => null);
  if (!response) return route.abort();
  await route.fulfill({ response, body: readFileSync(join(process.env.WEB, file)) });
}

const shot = (page, name) => page.screenshot({ path: join(tools, "shots", `${name}.png`) });
const hits = (page) => page.locator("#results .hit:not(.ghost)");
const parameter = (page, name) => new URL(page.url()).searchParams.get(name);

async function search(page, text) {
  await page.locator("#q").fill(text);
  await page.waitForFunction((asked) => {
    const list = document.querySelector("#results");
    return list.dataset.answers === asked && !list.hasAttribute("aria-busy");
  }, text);
}

const settled = (page) => page.waitForFunction(() => !document.querySelector("#results[aria-busy], #results .ghost"));

async function assertNoOverflow(page, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${where} is ${over} px too wide`);
}

async function assertAccessible(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")}`);
  assert.deepEqual(found, [], where);
}

check("the start page tells what is indexed", async ({ page }) => {
  await page.getByText("Search shop").waitFor();
  assert.match(await page.locator(".overview").innerText(), /69 files/);
  await poll("the index is up to date", async () => /Up to date/.test(await page.locator("#status").innerText()));
  await shot(page, "start");
  await assertAccessible(page, "start page");
});

check("letters typed become results with highlighted code and marked words", async ({ page }) => {
  await page.locator("#q").pressSequentially("try payments again", { delay: 15 });
  await hits(page).first().waitFor();
  await settled(page);
  assert.match(await hits(page).first().innerText(), /retry\.ts/);
  assert.ok(await page.locator(".hit .t-keyword").count() > 3, "keywords are coloured");
  assert.ok(await page.locator(".hit mark").count() > 0, "words of the question are marked");
  assert.equal(parameter(page, "q"), "try payments again");
  await shot(page, "results");
  await assertAccessible(page, "results");
});

check("a score explains itself", async ({ page }) => {
  await hits(page).first().getByRole("button", { name: "Why this?" }).click();
  assert.ok(await hits(page).first().locator(".signals tr").count() > 2);
  await shot(page, "explained");
});

check("filters narrow the answer and stand in the address", async ({ page }) => {
  await page.getByLabel("Language", { exact: true }).selectOption("python");
  await poll("only Python is left", async () => {
    const paths = await page.locator(".hit-link").allInnerTexts();
    return paths.length > 0 && paths.every((path) => path.includes(".py"));
  });
  assert.equal(parameter(page, "language"), "python");
  await page.getByRole("button", { name: "Clear" }).click();
  await poll("TypeScript is back", async () => (await page.locator(".hit-link").allInnerTexts()).some((path) => path.includes(".ts")));
  await page.getByLabel("Tests", { exact: true }).selectOption("only");
  await poll("only tests are left", async () => (await page.locator(".hit-link").allInnerTexts()).every((path) => path.includes("test")));
  await page.getByLabel("Path", { exact: true }).fill("src/payment/");
  await page.getByText("No results").waitFor();
  await shot(page, "nothing");
  await page.getByRole("button", { name: "Search without filters" }).click();
  await hits(page).first().waitFor();
});

check("one name lists its definitions first", async ({ page }) => {
  await search(page, "retryPayment");
  await page.locator("#symbols a").first().waitFor();
  assert.match(await page.locator("#symbols").innerText(), /function\s+retryPayment\s+src\/payment\/retry\.ts:\d/);
});

check("the keyboard goes from question to file and back", async ({ page }) => {
  await search(page, "charge the card");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const first = await page.locator(".hit-link .name").first().innerText();
  await page.keyboard.press("Enter");
  await page.locator(".code.whole .line.target").first().waitFor();
  assert.ok(first.startsWith(parameter(page, "file").split("/").pop()), first);
  await page.keyboard.press("Escape");
  await page.locator("#pane").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.className), "hit-link", "focus is back on the result");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
  await page.locator("body").click({ position: { x: 5, y: 300 } });
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("Next and previous result").waitFor();
  await shot(page, "help");
  await page.keyboard.press("Escape");
});

check("a file opens at its line, with an outline and a link to the editor", async ({ page }) => {
  await search(page, "retry a payment with growing pauses");
  await page.locator(".hit-link", { hasText: "retry.ts" }).first().click();
  await page.locator(".line.target").first().waitFor();
  assert.ok(await page.locator(".line.target").first().isVisible());
  await page.locator(".outline button", { hasText: "MAX_ATTEMPTS" }).click();
  assert.equal(await page.locator(".line.target").first().getAttribute("data-n"), "4");
  const editor = await page.locator(".pane-head a", { hasText: "Editor" }).getAttribute("href");
  assert.match(editor, /^vscode:\/\/file\/.*\/shop\/src\/payment\/retry\.ts:4$/);
  await shot(page, "viewer");
  await assertAccessible(page, "viewer");
});

check("back and reload show the same", async ({ page }) => {
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".line.target")?.dataset.n === "6");
  await page.goForward();
  await page.reload();
  await page.locator(".line.target").first().waitFor();
  await hits(page).first().waitFor();
  assert.equal(await page.locator(".line.target").first().getAttribute("data-n"), "4");
});

check("similar code is a tab away", async ({ page }) => {
  await page.getByRole("tab", { name: "Similar" }).click();
  await page.locator("#pane .hit").first().waitFor();
  await shot(page, "similar");
});

check("the graph zooms, moves, and centres on what is chosen", async ({ page }) => {
  await page.getByRole("tab", { name: "Graph" }).click();
  const node = (name) => page.locator(".drawing .node", { hasText: name });
  await node("retry.ts").first().waitFor();
  await shot(page, "graph");
  await assertAccessible(page, "graph");
  for (const name of ["gateway.ts", "clock.ts", "checkout.ts"]) assert.equal(await node(name).count(), 1, name);
  const scene = () => page.locator(".scene").getAttribute("transform");
  const before = await scene();
  await page.getByRole("button", { name: "Zoom in" }).click();
  const zoomed = await scene();
  assert.notEqual(zoomed, before);
  await page.locator(".drawing").hover();
  await page.mouse.wheel(0, 200);
  assert.notEqual(await scene(), zoomed);
  await page.locator(".drawing").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("0");
  assert.equal(await scene(), before);
  await node("checkout.ts").focus();
  await page.keyboard.press("Enter");
  await page.locator(".node.centre", { hasText: "checkout.ts" }).waitFor();
  assert.match(parameter(page, "file"), /checkout\.ts$/);
  await node("stock.ts").click();
  await page.locator(".node.centre", { hasText: "stock.ts" }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator(".node.centre", { hasText: "retry.ts" }).waitFor();
});

check("modules from outside come and go", async ({ page, base }) => {
  await page.goto(`${base}/?file=src/payment/gateway.ts&view=graph`);
  await page.locator(".node.centre").waitFor();
  assert.equal(await page.locator(".drawing .node.external").count(), 0);
  await page.getByLabel(/External packages/).check();
  await page.locator(".drawing .node.external", { hasText: "stripe" }).waitFor();
  await shot(page, "graph-outside");
});

check("the map shows the project by folder", async ({ page, base }) => {
  await page.goto(base);
  await page.locator("#map").click();
  await page.locator(".drawing .node").first().waitFor();
  await shot(page, "map");
  await page.keyboard.press("Escape");
});

check("text of the project is never markup", async ({ page }) => {
  await search(page, "hostileMarkup");
  await hits(page).first().waitFor();
  await page.locator(".hit-link", { hasText: "<img" }).first().click();
  await page.locator(".code.whole").waitFor();
  assert.equal(await page.locator("img").count(), 0);
  await page.keyboard.press("Escape");
});

check("several projects answer together", async ({ page }) => {
  await page.getByLabel("Projects to search").selectOption("all");
  await search(page, "lend a book");
  await page.locator(".hit .tag", { hasText: "library" }).first().waitFor();
  await shot(page, "projects");
  await page.locator(".hit", { hasText: "library" }).locator(".hit-link").first().click();
  await page.locator(".code.whole", { hasText: "lend_book" }).waitFor();
  assert.equal(parameter(page, "project"), "library");
});

check("colours follow the system, and the reader", async ({ browser, base }) => {
  const page = await open(browser, base, { scheme: "dark", path: "/?q=try+payments+again&file=src/payment/retry.ts&line=6&end=13" });
  await hits(page).first().waitFor();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.locator(".line.target").first().waitFor();
  await shot(page, "dark");
  await assertAccessible(page, "dark");
  await page.locator("#theme").click();
  assert.notEqual(await background(), dark, "light was chosen");
  await page.reload();
  assert.notEqual(await background(), dark, "the choice is kept");
  await page.context().close();
});

check("a telephone has room for everything", async ({ browser, base }) => {
  const views = { start: "/", results: "/?q=try+payments+again", viewer: "/?q=retry&file=src/payment/retry.ts&line=6", graph: "/?file=src/payment/retry.ts&view=graph" };
  for (const [name, path] of Object.entries(views)) {
    const page = await open(browser, base, { width: 375, height: 740, path });
    await page.locator({ start: ".overview h2", results: ".hit:not(.ghost)", viewer: ".line.target", graph: ".node.centre" }[name]).first().waitFor();
    await assertNoOverflow(page, `${name} at 375 px`);
    await shot(page, `narrow-${name}`);
    if (name !== "graph") await assertAccessible(page, `${name} at 375 px`);
    await page.context().close();
  }
});

check("a wide screen shows results and file side by side", async ({ browser, base }) => {
  const page = await open(browser, base, { path: "/?q=retry&file=src/payment/retry.ts&line=6" });
  await hits(page).first().waitFor();
  assert.ok(await page.locator("#pane").isVisible() && await page.locator("#results").isVisible());
  await assertNoOverflow(page, "1440 px");
  await page.context().close();
});

check("work on the index shows as it goes", async ({ page, base }) => {
  await page.goto(base);
  await page.locator("#status").click();
  await page.getByRole("dialog", { name: "Index" }).getByText("Symbols").waitFor();
  await shot(page, "status");
  await assertAccessible(page, "status");
  write(shop, Object.fromEntries(Array.from({ length: 240 }, (_, at) => [`src/more/parcel${at}.ts`, worker(at + 100)])));
  await page.getByRole("button", { name: "Update now" }).click();
  await page.locator("#status-dialog progress").waitFor();
  await shot(page, "progress");
  await poll("all files are in", async () => /Up to date/.test(await page.locator("#status").innerText()), 120_000);
  await page.keyboard.press("Escape");
  assert.match(await page.locator(".overview").innerText(), /3\d\d files/);
});

check("a server that is gone is noticed, and its return too", async ({ page, port }) => {
  expectFailures = true;
  await stopServer();
  await page.locator("#banner:not([hidden])").waitFor();
  await page.locator("#q").fill("payments of a day");
  await page.locator(".problem").waitFor();
  await shot(page, "offline");
  await startServer(port);
  await page.locator("#banner").waitFor({ state: "hidden" });
  expectFailures = false;
  await hits(page).first().waitFor();
});

async function main() {
  makeProjects();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  await startServer(port);
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const page = await open(browser, base);
  page.setDefaultTimeout(20_000);
  let failed = 0;
  for (const [name, run] of checks) {
    problems.length = 0;
    try {
      await run({ browser, page, base, port });
      assert.deepEqual(problems, [], "the browser complains");
      console.log(`ok   ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n     ${error.message.replaceAll("\n", "\n     ")}`);
      await shot(page, `failed-${failed}`).catch(() => {});
    }
  }
  await browser.close();
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  return failed;
}

let failed = 1;
try {
  failed = await main();
} finally {
  await stopServer();
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
