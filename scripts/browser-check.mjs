// Tests the web page like a user, with a real binary and a real browser. Run by browser-check.sh.

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

/** Without its own services the browser starts faster and makes no requests. */
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// ---- the projects ----

function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Commits some paths of the shop, without the user's git settings. */
function commit(message, path) {
  const git = (...args) => {
    const done = spawnSync("git", ["-C", shop, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { env: environment, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
  };
  git("init", "--quiet");
  git("add", path);
  git("commit", "--quiet", "--message", message);
}

const worker = (number) => `import { isHeavy } from '../scales';

/** Handles parcel number ${number} of the warehouse. */
export function packParcel${number}(weight: number): string {
  const label = "parcel ${number}";
  if (isHeavy(weight)) throw new Error("too heavy");
  return label + weight;
}
`;

/** A function whose comment repeats one word of a question that its code answers. */
const walk = `/**
${Array.from({ length: 14 }, (_, at) => ` * Files of kind ${at} are files like all other files.\n`).join("")} */
export function listFolder(names: string[]): string[] {
  const kept = [];
  for (const name of names) {
    if (name.length === 0) throw new Error("empty");
    if (name.startsWith(".")) continue; // skip hidden files
    kept.push(name);
  }
  return kept;
}
`;

/** The length of a file of which only the visible part is rendered. */
const TABLE_LINES = 5000;

function makeProjects() {
  write(shop, {
    "README.md": "# Shop\n\n[![build](b.svg)](ci)\n\nTakes payments and `retries` them when they fail.\n\n```ts\nretryPayment(payment)\n```\n",
    "src/payment/gateway.ts": "import Stripe from 'stripe';\n\nexport interface Payment { id: string; amount: number }\n\n/** Charges the card once. */\nexport async function charge(payment: Payment): Promise<boolean> {\n  return new Stripe().charge(payment.id, payment.amount);\n}\n",
    "src/payment/retry.ts": "import { charge, Payment } from './gateway';\nimport { sleep } from '../clock';\n\nexport const MAX_ATTEMPTS = 5;\n\n/** Tries a payment again with growing pauses until it goes through. */\nexport async function retryPayment(payment: Payment): Promise<boolean> {\n  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {\n    if (await charge(payment)) return true;\n    await sleep(100 * 2 ** attempt); // back off\n  }\n  return false;\n}\n",
    "src/clock.ts": "export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));\n",
    "src/checkout.ts": "import { retryPayment } from './payment/retry';\nimport { reserve } from './stock';\n\n/** Reserves the goods, then takes the money. */\nexport async function checkout(cart: string[]) {\n  await reserve(cart);\n  return retryPayment({ id: cart[0], amount: cart.length });\n}\n",
    "src/scales.ts": "/** Whether one person can lift it. */\nexport function isHeavy(weight: number): boolean {\n  return weight > 30;\n}\n",
    "src/stock.ts": "/** Takes goods off the shelf. */\nexport async function reserve(goods: string[]) {\n  if (!goods.length) throw new Error('nothing to reserve');\n}\n",
    "tests/retry.test.ts": "import { retryPayment } from '../src/payment/retry';\n\ntest('a declined payment is retried', async () => {\n  expect(await retryPayment({ id: 'a', amount: 1 })).toBe(false);\n});\n",
    "tools/report.py": '"""Prints the payments of a day."""\n\nimport sys\n\n\ndef daily_report(day: str) -> int:\n    total = 0\n    for line in open(day):\n        total += int(line)\n    return total\n',
    "src/<img src=x onerror=alert(1)>.ts": "/** Escapes hostile markup <script>alert(1)</script> in names. */\nexport const hostileMarkup = '<img src=x onerror=alert(1)>';\n",
    "src/walk.ts": walk,
    "docs/table.md": Array.from({ length: TABLE_LINES }, (_, at) => `k${at + 1}: ${at % 7}\n`).join(""),
    ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`src/parcels/parcel${at}.ts`, worker(at)])),
  });
  write(library, { "lending.rs": "/// Lends a book until its day of return.\npub fn lend_book(title: &str) -> u32 {\n    title.len() as u32\n}\n" });
  commit("Charge cards", "src/payment");
  writeFileSync(join(shop, "src/payment/retry.ts"), readFileSync(join(shop, "src/payment/retry.ts"), "utf8").replace("back off", "wait"));
  commit("Try payments again\n\nBanks are often busy.", "src/payment");
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

// ---- the scenarios ----

const checks = [];
const check = (name, run) => checks.push([name, run]);
const problems = [];
let expectFailures = false;

/** A page that records errors, policy violations and requests to other hosts. */
async function open(browser, base, { width = 1440, height = 900, scheme = "light", path = "/" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
  if (process.env.WEB) await context.route(/\/(assets\/.*)?(\?.*)?$/, fromDisk);
  const page = await context.newPage();
  // Generous, for busy machines.
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => message.type() === "error" && !expectFailures && problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { problems.push("a dialog opened: markup was injected"); dialog.dismiss(); });
  page.on("request", (request) => !request.url().startsWith(base) && problems.push(`request elsewhere: ${request.url()}`));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`)));
  await page.goto(base + path);
  return page;
}

/** With WEB=folder the page's files are read from there, to try changes without a build. */
async function fromDisk(route) {
  const { pathname } = new URL(route.request().url());
  const file = pathname === "/" ? "index.html" : pathname.replace("/assets/", "");
  const body = readFileSync(join(process.env.WEB, file));
  // The response for the page itself has the content policy. The binary may not have the other files yet.
  if (pathname !== "/") return route.fulfill({ body, contentType: { js: "text/javascript", css: "text/css", svg: "image/svg+xml" }[file.split(".").pop()] });
  const response = await route.fetch().catch(() => null);
  await (response ? route.fulfill({ response, body }) : route.abort());
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

/** Runs in the page: the contrast of a graph edge with its background. */
function contrastOfEdges() {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [light(getComputedStyle(document.querySelector(".edge:not(.side) .edge-line")).stroke), light(getComputedStyle(document.body).backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
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

/** Checks that touch targets are large enough, except names in code, which are as high as its lines. */
async function assertTouchable(page, where) {
  const { violations } = await page.evaluate(() => axe.run({ exclude: [".code", ".outline"] }, { runOnly: { type: "rule", values: ["target-size"] } }));
  assert.deepEqual(violations.flatMap(({ nodes }) => nodes.map((node) => node.target.join(" "))), [], where);
}

check("the start page describes the project", async ({ page }) => {
  await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
  const text = await page.locator(".landing").innerText();
  assert.match(text, /Takes payments and retries them when they fail\./, "the first paragraph of the README");
  assert.match(text, /72 files, 1 of them tests/);
  assert.match(text, /Its parts[^]*src\//, "parts");
  assert.match(text, /Most depended on[^]*scales\.ts[^]*imported by 60/, "central files");
  assert.match(await page.locator(".languages").innerText(), /typescript[^]*python/);
  await page.locator(".map-card .node").first().waitFor();
  await poll("the index is up to date", async () => /Up to date/.test(await page.locator("#status").innerText()));
  await shot(page, "start");
  await assertAccessible(page, "start page");
});

check("typing shows results with highlighted code and marked words", async ({ page }) => {
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

check("a score can be explained", async ({ page }) => {
  const hit = hits(page).first();
  await hit.getByRole("button", { name: "Why this?" }).click();
  const sentences = await hit.locator(".reasons li").allInnerTexts();
  assert.ok(sentences.length >= 2 && sentences.length <= 5, sentences.join(" | "));
  for (const sentence of sentences) assert.match(sentence, /^[A-Z][^_]* [^_]*\.$/, "a sentence, no raw names");
  assert.ok(!(await hit.locator(".signals").isVisible()), "figures are folded");
  await hit.getByText("All figures").click();
  assert.ok(await hit.locator(".signals tr").count() > 2);
  await shot(page, "explained");
});

check("filters narrow the results and are in the URL", async ({ page }) => {
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

check("filters can be typed into the search box", async ({ page, base }) => {
  await page.goto(base);
  await page.locator("#q").pressSequentially("lang:python payments of a day", { delay: 15 });
  await hits(page).first().waitFor();
  await settled(page);
  assert.equal(parameter(page, "language"), "python");
  assert.equal(parameter(page, "q"), "payments of a day");
  assert.ok((await page.locator(".hit-link").allInnerTexts()).every((path) => path.includes(".py")));
});

check("only results with a matching line, ordered by relevance", async ({ page, base }) => {
  await page.goto(`${base}/?q=payment`);
  await hits(page).first().waitFor();
  await page.getByLabel("Lines that match").fill("attempt <= \\w+");
  await poll("only the file with such a line is left", async () => {
    const paths = await page.locator(".hit-link").allInnerTexts();
    return paths.length > 0 && paths.every((path) => path.includes("retry.ts"));
  });
  assert.equal(parameter(page, "match"), "attempt <= \\w+");
});

check("a symbol without a definition offers a search", async ({ page, base }) => {
  expectFailures = true;
  await page.goto(`${base}/?file=src/checkout.ts&symbol=${encodeURIComponent("src/checkout.ts#nobody")}&view=references`);
  await page.getByText("No definition of nobody is known").waitFor();
  await page.getByRole("link", { name: "Search for nobody" }).click();
  await hits(page).first().waitFor();
  expectFailures = false;
  assert.equal(parameter(page, "q"), "nobody");
});

check("a single name lists its definitions first", async ({ page }) => {
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
  const focused = () => page.evaluate(() => document.activeElement.className);
  await poll("the text has the focus", async () => (await focused()) === "code whole");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "hit-link", "focus is back on the result");
  await page.keyboard.press("Escape");
  await page.locator("#pane").waitFor({ state: "hidden" });
  assert.equal(await focused(), "hit-link");
  await page.keyboard.press("Enter");
  await page.locator("#pane").waitFor();
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
  await page.locator(".outline summary").click();
  await page.locator(".outline a", { hasText: "MAX_ATTEMPTS" }).click();
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

check("names link to their definition, lines have a URL", async ({ page, base }) => {
  await page.goto(`${base}/?file=src/payment/retry.ts`);
  await page.locator(".code a.its-definition", { hasText: "charge" }).last().click();
  await page.locator(".line.target", { hasText: "Charges the card once" }).waitFor();
  assert.equal(parameter(page, "file"), "src/payment/gateway.ts");
  assert.match(await page.locator(".scopes").innerText(), /charge[^]*References[^]*Call graph/);
  await page.goBack();
  await page.locator(".code a.its-definition", { hasText: "./gateway" }).click();
  await page.locator(".crumbs b", { hasText: "gateway.ts" }).waitFor();
  await page.goBack();
  await page.locator(".crumbs b", { hasText: "retry.ts" }).waitFor();
  await page.locator('.n[data-n="8"]').click();
  assert.equal(parameter(page, "line"), "8");
  await page.locator('.n[data-n="10"]').click({ modifiers: ["Shift"] });
  assert.equal(await page.locator(".line.target").count(), 3);
  await page.reload();
  await page.locator(".line.target").first().waitFor();
  assert.equal(await page.locator(".line.target").count(), 3);
  assert.match(await page.locator('.n[data-n="9"]').getAttribute("href"), /^\/\?file=src%2Fpayment%2Fretry\.ts&line=9$/);
});

check("a definition shows its uses", async ({ page, base }) => {
  await page.goto(`${base}/?file=src/payment/retry.ts`);
  await page.locator(".code a.its-users", { hasText: "retryPayment" }).click();
  await page.locator(".use").first().waitFor();
  const text = await page.locator(".references").innerText();
  assert.match(text, /Used by\s*2[^]*checkout\.ts[^]*return retryPayment[^]*retry\.test\.ts/);
  assert.match(text, /Calls\s*2[^]*clock\.ts[^]*gateway\.ts/);
  await shot(page, "references");
  await assertAccessible(page, "references");
  await page.locator(".use", { hasText: "return retryPayment" }).click();
  await page.locator(".line.target", { hasText: "return retryPayment" }).waitFor();
  await page.goBack();
  await page.locator(".use").first().waitFor();
  await page.goto(`${base}/?file=src/scales.ts&view=references`);
  assert.match(await page.locator(".references h3").first().innerText(), /Imported by\s*60/);
});

check("a file has a history", async ({ page, base }) => {
  await page.goto(base);
  await page.locator(".places a", { hasText: "2 recent commits" }).first().click();
  await page.locator(".commits li", { hasText: "Try payments again" }).waitFor();
  assert.match(await page.locator(".commits").innerText(), /Ada · [^]*file/);
  await shot(page, "history");
  await assertAccessible(page, "history");
});

check("the tree shows where a file is", async ({ page, base }) => {
  await page.goto(`${base}/?file=src/payment/retry.ts`);
  await page.locator('#tree a[aria-current="page"]', { hasText: "retry.ts" }).waitFor();
  await page.locator("#tree a", { hasText: "gateway.ts" }).click();
  await page.locator(".crumbs b", { hasText: "gateway.ts" }).waitFor();
  const row = (name) => page.locator("#tree a", { hasText: name }).first();
  await row("payment").focus();
  await page.keyboard.press("ArrowLeft");
  await poll("the folder is closed", async () => (await page.locator("#tree a", { hasText: "retry.ts" }).count()) === 0);
  await page.keyboard.press("ArrowRight");
  await page.locator("#tree a", { hasText: "retry.ts" }).waitFor();
  await shot(page, "tree");
  await page.keyboard.press("f");
  await page.locator("#tree").waitFor({ state: "hidden" });
  await page.keyboard.press("f");
  await page.locator("#tree").waitFor();
});

check("a folder has a page of its own", async ({ page, base }) => {
  await page.goto(base);
  await page.locator(".parts a", { hasText: "src/" }).click();
  await page.getByRole("heading", { name: "src", exact: true }).waitFor();
  assert.equal(parameter(page, "folder"), "src");
  await page.locator(".parts a", { hasText: "payment/" }).click();
  await page.getByRole("heading", { name: "payment", exact: true }).waitFor();
  await shot(page, "folder");
  await assertAccessible(page, "folder");
  await page.getByRole("button", { name: "Search in this folder" }).click();
  await search(page, "charge");
  assert.ok((await page.locator(".hit-link").allInnerTexts()).every((path) => path.includes("payment/")));
  expectFailures = true;
  await page.goto(`${base}/?folder=no/such`);
  await page.locator(".landing .problem").waitFor();
  expectFailures = false;
});

check("similar code is in a tab", async ({ page, base }) => {
  await page.goto(`${base}/?q=retry&file=src/payment/retry.ts&line=6&end=13`);
  await page.getByRole("tab", { name: "Similar" }).click();
  await page.locator("#pane .hit").first().waitFor();
  await shot(page, "similar");
});

check("the graph zooms, moves, and centres on the selection", async ({ page }) => {
  await page.getByRole("tab", { name: "Graph" }).click();
  const node = (name) => page.locator(".drawing .node", { hasText: name });
  await node("retry.ts").first().waitFor();
  await shot(page, "graph");
  await assertAccessible(page, "graph");
  for (const name of ["gateway.ts", "clock.ts", "checkout.ts"]) assert.equal(await node(name).count(), 1, name);
  assert.match(await page.locator(".legend").innerText(), /selected\s+file\s+test file\s+→ imports/, "what is drawn, and nothing else");
  assert.deepEqual([...new Set(await page.locator(".edge.named text").allTextContents())], ["imports"]);
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

check("a symbol has a graph of callers and callees", async ({ page, base }) => {
  await page.goto(`${base}/?file=src/payment/retry.ts&line=7`);
  await page.getByRole("link", { name: "Call graph" }).click();
  await page.locator(".node.centre", { hasText: "retryPayment" }).waitFor();
  for (const name of ["checkout", "charge", "sleep"]) assert.equal(await page.locator(".node.symbol", { hasText: name }).count(), 1, name);
  const left = (name) => page.locator(".node.symbol", { hasText: name }).evaluate((node) => node.getBoundingClientRect().left);
  assert.ok(await left("checkout") < await left("retryPayment") && await left("retryPayment") < await left("charge"), "callers, symbol, callees");
  await shot(page, "symbol-graph");
  assert.match(await page.locator(".legend").innerText(), /selected[^]*symbol[^]*→ calls/);
  await page.getByLabel("Symbol", { exact: true }).selectOption("Imports of the file");
  await page.locator(".node.centre", { hasText: "retry.ts" }).waitFor();
  await page.getByLabel("Symbol", { exact: true }).selectOption("retryPayment");
  await page.locator(".node.centre", { hasText: "retryPayment" }).waitFor();
  await page.locator(".node.symbol", { hasText: "checkout" }).click();
  await page.locator(".node.centre", { hasText: "checkout" }).waitFor();
  assert.equal(parameter(page, "symbol"), "src/checkout.ts#checkout");
  await page.goBack();
  await page.locator(".node.centre", { hasText: "retryPayment" }).waitFor();
});

check("a large neighbourhood is folded by folder, and fits", async ({ page, base }) => {
  await page.goto(`${base}/?file=src/scales.ts&view=graph`);
  const folder = page.locator(".pane .node.folder", { hasText: "parcels" });
  await folder.waitFor();
  assert.match(await folder.textContent(), /60 files/);
  const fits = () => page.evaluate(() => {
    const frame = document.querySelector(".pane .drawing").getBoundingClientRect();
    return [...document.querySelectorAll(".pane .drawing .node")].every((node) => { const box = node.getBoundingClientRect(); return box.left >= frame.left && box.right <= frame.right + 1 && box.top >= frame.top && box.bottom <= frame.bottom + 1; });
  });
  assert.ok(await fits(), "everything is in view");
  await folder.click();
  await page.locator(".node.file", { hasText: "parcel59.ts" }).waitFor();
  assert.equal(parameter(page, "open"), "src/parcels");
  assert.ok(await fits(), "everything is in view after a folder was opened");
  await shot(page, "unfolded");
  await page.getByRole("button", { name: "Fold parcels" }).click();
  await folder.waitFor();
});

check("external modules can be shown and hidden", async ({ page, base }) => {
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
  await page.locator(".pane .drawing .node").first().waitFor();
  await shot(page, "map");
  await assertAccessible(page, "map");
  await page.locator(".pane .node.folder", { hasText: "parcels" }).click();
  await page.locator(".graph-tools nav b", { hasText: "parcels" }).waitFor();
  assert.equal(parameter(page, "folder"), "src/parcels");
  await page.goBack();
  await page.locator(".graph-tools b", { hasText: "Who imports whom" }).waitFor();
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

check("colours follow the system and the user's choice", async ({ browser, base }) => {
  const page = await open(browser, base, { scheme: "dark", path: "/?q=try+payments+again&file=src/payment/retry.ts&line=6&end=13" });
  await hits(page).first().waitFor();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.locator(".line.target").first().waitFor();
  await shot(page, "dark");
  await assertAccessible(page, "dark");
  await page.goto(`${base}/?file=src/payment/retry.ts&view=graph`);
  await page.locator(".pane .edge").first().waitFor();
  await shot(page, "dark-graph");
  assert.ok(await page.evaluate(contrastOfEdges) >= 3, "edges are visible");
  await page.goBack();
  await hits(page).first().waitFor();
  await page.locator("#theme").click();
  assert.notEqual(await background(), dark, "light was chosen");
  await page.reload();
  assert.notEqual(await background(), dark, "the choice is kept");
  await page.context().close();
});

check("a question mark in the empty box opens the shortcuts", async ({ page, base }) => {
  await page.goto(base);
  await page.locator("#q").focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  assert.equal(await page.locator("#q").inputValue(), "");
  await assertAccessible(page, "shortcuts");
  await page.keyboard.press("Escape");
});

check("example questions come from the project", async ({ page, base }) => {
  await page.goto(base);
  const offered = page.locator(".try .chip");
  await offered.first().waitFor();
  assert.deepEqual((await offered.allInnerTexts()).slice(0, 2), ["try payments again", "isHeavy"], "a commit and a definition");
  await offered.first().click();
  await hits(page).first().waitFor();
  assert.equal(parameter(page, "q"), "try payments again");
});

check("the best result is shown beside the list, without a click", async ({ page, base }) => {
  await page.goto(base);
  await search(page, "try payments again");
  await page.locator(".code.whole .line.target mark").first().waitFor();
  assert.equal(parameter(page, "file"), "src/payment/retry.ts");
  assert.match(await page.title(), /^try payments again · shop · /);
  assert.ok(await page.locator("#tree").isVisible(), "the tree is still there");
  await page.locator("#tree .found").filter({ hasText: /\d/ }).first().waitFor();
  await page.locator(".where .dot.open").waitFor();
  assert.equal(await page.locator(".where .dot").count(), await hits(page).count(), "a dot for each result");
  const length = () => page.evaluate(() => history.length);
  const before = await length();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("j");
  const second = await hits(page).nth(1).getAttribute("data-place");
  await poll("the second result is shown", async () => second === `:${parameter(page, "file")}:${parameter(page, "line")}`);
  await page.locator("#results .hit.open").waitFor();
  assert.equal(await length(), before, "going through results does not fill the history");
  await shot(page, "beside");
  await assertAccessible(page, "results beside a file");
  await page.locator("#close-pane").click();
  await search(page, "charge the card");
  assert.ok(await page.locator("#pane").isHidden(), "a pane that was closed stays closed");
  await hits(page).first().locator(".hit-link").click();
  await page.locator(".line.target").first().waitFor();
  await page.locator("#q").fill("");
  await page.locator(".landing .card").first().waitFor();
  assert.equal(parameter(page, "file"), null, "without a question there is no result");
});

check("a newer question cancels the older one", async ({ page, base }) => {
  await page.goto(base);
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  const older = /search\?q=reserve&/;
  await page.route(older, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  const [asked, cancelled] = [page.waitForRequest(older), page.waitForEvent("requestfailed", (request) => older.test(request.url()))];
  await page.locator("#q").fill("reserve");
  await asked;
  await search(page, "reserve goods");
  await cancelled;
  release();
  await page.unroute(older);
  assert.equal(await page.locator("#results").getAttribute("data-answers"), "reserve goods");
  assert.equal(parameter(page, "q"), "reserve goods");
});

check("an excerpt has the matching lines, not the first comment", async ({ page }) => {
  await search(page, "skip hidden files");
  const hit = hits(page).filter({ hasText: "walk.ts" }).first();
  const text = await hit.locator(".code").innerText();
  assert.match(text, /export function listFolder[^]*skip hidden files/);
  assert.doesNotMatch(text, /Files of kind/);
  await hit.getByRole("button", { name: /Show all/ }).click();
  assert.match(await hit.locator(".code").innerText(), /Files of kind 0/);
});

check("when nothing fits, no number of results is shown", async ({ page }) => {
  await search(page, "sourdough oven temperature of a bakery");
  const said = await page.locator("#summary").innerText();
  assert.match(said, /^Nothing fits well/);
  assert.doesNotMatch(said, /result/);
});

check("only the visible part of a long file is rendered", async ({ page, base }) => {
  await page.goto(`${base}/?file=docs/table.md&line=4321`);
  await page.locator(".line.target", { hasText: "k4321:" }).waitFor();
  await poll("the title names the line", async () => (await page.title()) === "table.md:4321 · docs · shop · vectorcode");
  const elements = await page.locator(".code.whole *").count();
  assert.ok(elements < 3000, `${elements} elements`);
  const code = page.locator(".code.whole");
  assert.match(await code.evaluate((node) => node.textContent), /k17: /, "the browser's search finds what is not drawn");
  await code.evaluate((node) => { node.scrollTop = 0; });
  await page.locator('.line[data-n="3"]', { hasText: "k3:" }).waitFor();
  await poll("lines that are far away are plain again", async () => (await page.locator('.line[data-n="4321"]').count()) === 0);
  await code.evaluate((node) => { node.scrollTop = node.scrollHeight; });
  await page.locator(`.line[data-n="${TABLE_LINES}"]`).waitFor();
});

check("any commit can be shown instead of the files on disk", async ({ page, base }) => {
  const ref = page.locator("#ref");
  const show = async (name) => {
    await ref.fill(name);
    await ref.press("Enter");
  };
  await page.goto(`${base}/?file=src/payment/retry.ts`);
  await page.locator(".code.whole .line", { hasText: "// wait" }).waitFor();
  await show("HEAD~1");
  await page.locator(".code.whole .line", { hasText: "// back off" }).waitFor();
  await poll("the tree is that of the commit", async () => (await page.locator("#tree").innerText()).includes("src") && !(await page.locator("#tree").innerText()).includes("docs"));
  assert.match(await page.title(), /HEAD~1/);
  assert.equal(await page.locator(".pane-head [data-editor]:not([hidden])").count(), 0, "there is no file to edit");
  await page.locator("#tree a", { hasText: "src" }).first().click();
  await page.locator(".parts a", { hasText: "gateway.ts" }).waitFor();
  await search(page, "tries a payment again");
  await hits(page).first().getByText("retry.ts").waitFor();
  await assertAccessible(page, "a commit");
  await shot(page, "commit");
  expectFailures = true;
  await show("no-such-branch");
  await page.locator(".problem", { hasText: "no-such-branch" }).first().waitFor();
  await show("");
  await page.goto(`${base}/?file=src/payment/retry.ts`);
  await page.locator(".code.whole .line", { hasText: "// wait" }).waitFor();
  expectFailures = false;
});

check("everything fits on a phone", async ({ browser, base }) => {
  const views = {
    start: ["/", ".landing h2"], results: ["/?q=try+payments+again", ".hit:not(.ghost)"], viewer: ["/?q=retry&file=src/payment/retry.ts&line=6", ".line.target"],
    graph: ["/?file=src/payment/retry.ts&view=graph", ".node.centre"], folder: ["/?folder=src/payment", ".parts a"],
    references: ["/?symbol=retryPayment&file=src/payment/retry.ts&view=references", ".use"], map: ["/?view=graph", ".pane .node"],
  };
  for (const [name, [path, shown]] of Object.entries(views)) {
    const page = await open(browser, base, { width: 360, height: 740, path });
    await page.locator(shown).first().waitFor();
    await assertNoOverflow(page, `${name} at 360 px`);
    if (name === "results") assert.ok(await page.locator(".filters > :not([hidden])").evaluateAll((all) => all.every((field) => field.getBoundingClientRect().right <= innerWidth)), "no filter is clipped");
    await shot(page, `narrow-${name}`);
    if (!["graph", "map"].includes(name)) {
      await assertAccessible(page, `${name} at 360 px`);
      await assertTouchable(page, `${name} at 360 px`);
    }
    if (name === "start") {
      await page.locator("#status span").last().evaluate((label) => { label.textContent = "Embedding 100 %, with a longer word"; });
      await assertNoOverflow(page, "a long state at 360 px");
      await page.locator("#files").click();
      await page.locator("#tree a", { hasText: "src" }).first().waitFor();
      await shot(page, "narrow-tree");
      await page.keyboard.press("Escape");
      await page.locator("#tree").waitFor({ state: "hidden" });
    }
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

check("indexing progress is shown", async ({ page, base }) => {
  await page.goto(base);
  await page.locator("#status").click();
  await page.getByRole("dialog", { name: "Index" }).getByText("Symbols").waitFor();
  const listed = page.locator(".projects li");
  await listed.first().waitFor();
  assert.match((await listed.allInnerTexts()).join("\n"), /library[^]*shop|shop[^]*library/);
  assert.match(await page.locator(".projects li.open", { hasText: "shop" }).innerText(), /open/);
  await shot(page, "status");
  await assertAccessible(page, "status");
  write(shop, Object.fromEntries(Array.from({ length: 240 }, (_, at) => [`src/more/parcel${at}.ts`, worker(at + 100)])));
  await page.getByRole("button", { name: "Update now" }).click();
  await page.locator("#status-dialog progress").waitFor();
  const figures = await page.evaluate(() => ["#status", "#status-dialog .progress p", ".working .progress p"].map((part) => document.querySelector(part)?.innerText.match(/(\d+) %/)?.[1]));
  assert.equal(new Set(figures.filter(Boolean)).size, figures.some(Boolean) ? 1 : 0, `one figure everywhere: ${figures}`);
  await shot(page, "progress");
  await poll("all files are in", async () => /Up to date/.test(await page.locator("#status").innerText()), 120_000);
  await page.keyboard.press("Escape");
  await poll("the start page counts them", async () => /31\d files/.test(await page.locator(".landing").innerText()));
});

check("a stopped server is noticed, and its restart too", async ({ page, port }) => {
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
  const browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
  const page = await open(browser, base);
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
