// Prints which line calls which definition, according to TypeScript's checker: `path:line<TAB>path:line` for each call below a
// directory and each declaration that it may mean. Overloads other than the first have a third column.
// Usage: node calls-of-typescript.mjs FOLDER-WITH-NODE_MODULES DIRECTORY. Started by graph_check.py.

import { createRequire } from "node:module";
import path from "node:path";

const ts = createRequire(path.join(path.resolve(process.argv[2]), "index.js"))("typescript");
const root = path.resolve(process.argv[3]);
const files = ts.sys.readDirectory(root, [".ts", ".tsx", ".js", ".jsx"]).filter((file) => !file.endsWith(".d.ts"));
const program = ts.createProgram(files, {
  allowJs: true,
  jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  target: ts.ScriptTarget.ESNext,
});
const checker = program.getTypeChecker();
const lines = new Set();

function place(node) {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return `${path.relative(root, source.fileName)}:${line + 1}`;
}

function declarations(name) {
  const symbol = checker.getSymbolAtLocation(name);
  const isAlias = symbol && symbol.flags & ts.SymbolFlags.Alias;
  return (isAlias ? checker.getAliasedSymbol(symbol) : symbol)?.declarations ?? [];
}

function isNamedFunction(declaration) {
  const kinds = ["FunctionDeclaration", "MethodDeclaration", "MethodSignature", "ClassDeclaration", "Constructor"];
  const { initializer } = declaration;
  return (
    kinds.some((kind) => declaration.kind === ts.SyntaxKind[kind]) ||
    (ts.isVariableDeclaration(declaration) && initializer && ts.isFunctionLike(initializer))
  );
}

function call(node) {
  let callee = node.expression;
  while (ts.isParenthesizedExpression(callee) || ts.isNonNullExpression(callee)) callee = callee.expression;
  const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee;
  if (!ts.isIdentifier(name) && !ts.isPrivateIdentifier(name)) return;
  const found = declarations(name).filter((one) => files.includes(one.getSourceFile().fileName));
  found.forEach((declaration, index) => {
    const isJudged = index === 0 && isNamedFunction(declaration);
    lines.add(`${place(name)}\t${place(declaration.name ?? declaration)}${isJudged ? "" : "\tother"}`);
  });
}

function visit(node) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) call(node);
  ts.forEachChild(node, visit);
}

program.getSourceFiles().filter((source) => files.includes(source.fileName)).forEach(visit);
process.stdout.write(`${[...lines].join("\n")}\n`);
