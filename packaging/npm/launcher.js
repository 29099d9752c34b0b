#!/usr/bin/env node
// Runs the binary of this platform, which npm installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");
const { optionalDependencies } = require("./package.json");

const PACKAGE = `@vectorcode/${process.platform}-${process.arch}`;

function findBinary() {
  const program = process.platform === "win32" ? "vectorcode.exe" : "vectorcode";
  try {
    return require.resolve(`${PACKAGE}/bin/${program}`);
  } catch {
    return undefined;
  }
}

function explainMissing() {
  if (!(PACKAGE in optionalDependencies)) {
    console.error(`error: there is no vectorcode for ${process.platform}-${process.arch}`);
    console.error("hint: build it with `cargo install vectorcode`");
    return;
  }
  console.error(`error: the package ${PACKAGE} is not installed`);
  console.error("hint: it is an optional dependency; install vectorcode again without `--omit=optional`, and without a");
  console.error("      node_modules or lock file from another platform");
}

function run(binary, args) {
  const child = spawn(binary, args, { stdio: "inherit", windowsHide: true });
  child.on("error", (error) => {
    console.error(`error: cannot start ${binary}: ${error.message}`);
    process.exit(2);
  });
  // A terminal sends Ctrl-C to both processes. The binary would take a forwarded one as the second, which means "stop at once".
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  const forward = (signal) => child.kill(signal);
  process.on("SIGINT", isOnTerminal ? () => {} : forward);
  process.on("SIGTERM", forward);
  process.on("SIGHUP", forward);
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    // Ends by the same signal as the binary, so that a shell sees the same status.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const binary = findBinary();
if (binary) {
  const args = process.argv.slice(2);
  if (args[0] === "install" && /[\\/]_npx[\\/]/.test(__dirname)) {
    console.error("note: agents would start the copy in the npx cache, which npm may delete; run `npm install -g vectorcode` first");
  }
  run(binary, args);
} else {
  explainMissing();
  process.exitCode = 2;
}
