// Prints which line calls which definition, according to Go's type checker: `path:line<TAB>path:line` for each call in the
// packages below a directory of Go's own sources. Usage: go run calls-of-go.go DIRECTORY. Started by graph_check.py.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

var files = token.NewFileSet()

func main() {
	root, err := filepath.EvalSymlinks(os.Args[1])
	if err != nil {
		panic(err)
	}
	packages := importer.ForCompiler(files, "source", nil)
	filepath.Walk(root, func(folder string, info os.FileInfo, err error) error {
		if err != nil || !info.IsDir() {
			return nil
		}
		if name := info.Name(); name == "testdata" || name == "vendor" {
			return filepath.SkipDir
		}
		if pkg, err := build.ImportDir(folder, 0); err == nil {
			printCalls(root, folder, pkg, packages)
		}
		return nil
	})
}

func printCalls(root, folder string, pkg *build.Package, packages types.Importer) {
	var parsed []*ast.File
	for _, name := range pkg.GoFiles {
		if file, err := parser.ParseFile(files, filepath.Join(folder, name), nil, 0); err == nil {
			parsed = append(parsed, file)
		}
	}
	found := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: packages, Error: func(error) {}}
	config.Check(pkg.ImportPath, files, parsed, found)
	for _, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				printCall(root, call, found)
			}
			return true
		})
	}
}

func printCall(root string, call *ast.CallExpr, found *types.Info) {
	name, ok := call.Fun.(*ast.Ident)
	if selector, isSelector := call.Fun.(*ast.SelectorExpr); isSelector {
		name, ok = selector.Sel, true
	}
	if !ok {
		return
	}
	function, ok := found.Uses[name].(*types.Func)
	if !ok {
		return
	}
	from, to := place(root, name.Pos()), place(root, function.Pos())
	if !strings.HasPrefix(to, "..") {
		fmt.Printf("%s\t%s\n", from, to)
	}
}

func place(root string, at token.Pos) string {
	position := files.Position(at)
	path, err := filepath.EvalSymlinks(position.Filename)
	if err != nil {
		return ".."
	}
	if path, err = filepath.Rel(root, path); err != nil {
		return ".."
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(path), position.Line)
}
