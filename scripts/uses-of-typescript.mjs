// Prints the uses of sampled definitions according to TypeScript's language service: JSON lines
// `{symbol, name, kind, uses: [{at, kind}]}` after one with the files that it reads. Imports, exports and overriding declarations are left out.
// All files below the directory form one program with the options of the nearest `tsconfig.json`, so that the packages of a workspace
// see each other, which is not certain with one project per package.
// Usage: node uses-of-typescript.mjs FOLDER-WITH-NODE_MODULES DIRECTORY COUNT SEED. Started by graph_check.py.

import { createRequire } from "node:module";
import path from "node:path";

const [tools, directory, count, seed] = process.argv.slice(2);
const ts = createRequire(path.join(path.resolve(tools), "index.js"))("typescript");
const root = path.resolve(directory);
const isOurs = (file) => file.startsWith(root + path.sep) && !/[\\/](node_modules|dist|vendor)[\\/]/.test(file);
const files = ts.sys.readDirectory(root, [".ts", ".tsx", ".mts"]).filter((file) => isOurs(file) && !file.endsWith(".d.ts"));
const service = ts.createLanguageService({
  getScriptFileNames: () => files,
  getScriptVersion: () => "1",
  getScriptSnapshot: (file) => (ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(file)) : undefined),
  getCurrentDirectory: () => root,
  getCompilationSettings: options,
  getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  realpath: ts.sys.realpath,
});

function options() {
  const config = ts.findConfigFile(root, ts.sys.fileExists);
  const read = config ? ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, path.dirname(config)).options : {};
  return {
    ...read,
    allowJs: false,
    composite: false,
    jsx: read.jsx ?? ts.JsxEmit.Preserve,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    types: [],
  };
}

const KINDS = {
  FunctionDeclaration: "function",
  MethodDeclaration: "method",
  MethodSignature: "method",
  ClassDeclaration: "class",
  InterfaceDeclaration: "interface",
  TypeAliasDeclaration: "type",
  EnumDeclaration: "enum",
  VariableDeclaration: "variable",
};

// Definitions that other code can use: at the top level of a file or namespace, and methods of classes and interfaces.
function* definitions(node) {
  const kind = KINDS[ts.SyntaxKind[node.kind]];
  if (kind && node.name && ts.isIdentifier(node.name) && /^[A-Za-z]\w{2,}$/.test(node.name.text)) {
    yield { node, kind, name: node.name.text };
  }
  const isOpen =
    ts.isSourceFile(node) || ts.isModuleDeclaration(node) || ts.isModuleBlock(node) || ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) || ts.isVariableStatement(node) || ts.isVariableDeclarationList(node);
  if (isOpen) {
    for (const child of node.getChildren().flatMap((child) => (child.kind === ts.SyntaxKind.SyntaxList ? child.getChildren() : [child]))) {
      yield* definitions(child);
    }
  }
}

function random(state) {
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled(list, next) {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}

function nodeAt(source, at) {
  let found = source;
  for (;;) {
    const inner = found.getChildren(source).find((child) => child.getStart(source) <= at && at < child.end);
    if (!inner) return found;
    found = inner;
  }
}

const isImport = (node) =>
  [node.parent, node.parent?.parent].some((around) =>
    around && (ts.isImportSpecifier(around) || ts.isExportSpecifier(around) || ts.isImportClause(around) || ts.isNamespaceImport(around) || ts.isExportAssignment(around)));

// Another declaration of the same symbol, such as an overload, or the method of an object literal that implements an interface.
function isDeclaration(node) {
  const around = node.parent;
  const isFunction = ts.isPropertyAssignment(around) && ts.isFunctionLike(around.initializer);
  return around.name === node && (isFunction || (!ts.isPropertyAccessExpression(around) && KINDS[ts.SyntaxKind[around.kind]] !== undefined));
}

// A type in a documentation comment.
function isInComment(source, at) {
  const before = source.text.slice(source.text.lastIndexOf("\n", at) + 1, at);
  return /^\s*(\/?\*|\/\/)/.test(before);
}

function isCall(node) {
  const callee = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : node;
  const around = callee.parent;
  return (ts.isCallExpression(around) || ts.isNewExpression(around)) && around.expression === callee;
}

const program = service.getProgram();
console.log(JSON.stringify({ read: files.map((file) => path.relative(root, file)) }));
const found = [];
for (const file of files) {
  const source = program.getSourceFile(file);
  if (source && !/test|spec|bench/.test(path.relative(root, file))) found.push(...[...definitions(source)].map((one) => ({ ...one, file, source })));
}
const line = (source, at) => source.getLineAndCharacterOfPosition(at).line + 1;
const declared = new Set(found.map(({ file, node }) => `${file}:${node.name.end}`));
for (const { node, kind, name, file, source } of shuffled(found, random(Number(seed))).slice(0, Number(count))) {
  const uses = [];
  for (const { references } of service.findReferences(file, node.name.getStart(source)) ?? []) {
    for (const { fileName, textSpan } of references) {
      const other = program.getSourceFile(fileName);
      if (!other || !isOurs(fileName) || declared.has(`${fileName}:${textSpan.start + textSpan.length}`)) continue;
      const use = nodeAt(other, textSpan.start);
      if (!ts.isIdentifier(use) || isImport(use) || isDeclaration(use) || isInComment(other, textSpan.start)) continue;
      uses.push({ at: `${path.relative(root, fileName)}:${line(other, textSpan.start)}`, kind: isCall(use) ? "call" : "other" });
    }
  }
  console.log(JSON.stringify({ symbol: `${path.relative(root, file)}:${line(source, node.name.getStart(source))}`, name, kind, uses }));
}
