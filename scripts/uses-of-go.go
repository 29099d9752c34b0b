// Prints every use of the definitions below a directory of Go sources, according to Go's type checker: a line
// `definition<TAB>use<TAB>kind<TAB>name<TAB>kind of definition` for each use, and a line of the kind `read` for each file.
// Usage: go run uses-of-go.go DIRECTORY.
// Started by graph_check.py.
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
	root, err := filepath.Abs(os.Args[1])
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		panic(err)
	}
	filepath.Walk(root, func(folder string, info os.FileInfo, err error) error {
		if err != nil || !info.IsDir() {
			return nil
		}
		if name := info.Name(); name == "testdata" || name == "vendor" {
			return filepath.SkipDir
		}
		if pkg, err := build.ImportDir(folder, 0); err == nil {
			packages := importerOf(module(root, folder))
			printUses(root, folder, pkg.ImportPath, append(pkg.GoFiles, pkg.TestGoFiles...), packages)
			printUses(root, folder, pkg.ImportPath+"_test", pkg.XTestGoFiles, packages)
		}
		return nil
	})
}

// An importer for each module: a nested module may import other versions of the same packages, and importers cache what they read.
var importers = map[string]types.Importer{}

func importerOf(module string) types.Importer {
	if importers[module] == nil {
		outside := importer.ForCompiler(files, "source", nil)
		importers[module] = &tolerant{module, declared(module), outside, map[string]*types.Package{}}
	}
	return importers[module]
}

// Reads the packages of the module from source, so that a package with a missing dependency is still read.
type tolerant struct {
	folder, path string
	outside      types.Importer
	known        map[string]*types.Package
}

func (t *tolerant) Import(path string) (*types.Package, error) {
	inside, found := strings.CutPrefix(path+"/", t.path+"/")
	if !found || t.path == "" {
		return t.outside.Import(path)
	}
	if t.known[path] == nil {
		folder := filepath.Join(t.folder, inside)
		found, err := build.ImportDir(folder, 0)
		if err != nil {
			return nil, err
		}
		config := types.Config{Importer: t, Error: func(error) {}, FakeImportC: true}
		t.known[path], _ = config.Check(path, files, parsed(folder, found.GoFiles), nil)
	}
	return t.known[path], nil
}

// The module path in go.mod.
func declared(module string) string {
	text, _ := os.ReadFile(filepath.Join(module, "go.mod"))
	for line := range strings.Lines(string(text)) {
		if name, found := strings.CutPrefix(line, "module "); found {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// The folder with the nearest go.mod.
func module(root, folder string) string {
	for folder != root {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		folder = filepath.Dir(folder)
	}
	return root
}

func parsed(folder string, names []string) []*ast.File {
	var parsed []*ast.File
	for _, name := range names {
		if file, err := parser.ParseFile(files, filepath.Join(folder, name), nil, 0); err == nil {
			parsed = append(parsed, file)
		}
	}
	return parsed
}

func printUses(root, folder, path string, names []string, packages types.Importer) {
	parsed := parsed(folder, names)
	found := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: packages, Error: func(error) {}}
	config.Check(path, files, parsed, found)
	called := map[*ast.Ident]bool{}
	for _, file := range parsed {
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				called[callee(call.Fun)] = true
			}
			return true
		})
	}
	for _, file := range parsed {
		fmt.Printf("-\t%s\tread\t-\t-\n", place(root, file.Pos()))
	}
	for name, object := range found.Uses {
		kind := kindOf(object)
		if kind == "" {
			continue
		}
		from, to := place(root, name.Pos()), place(root, object.Pos())
		how := "other"
		if called[name] {
			how = "call"
		}
		if !strings.HasPrefix(to, "..") && !strings.HasPrefix(from, "..") {
			fmt.Printf("%s\t%s\t%s\t%s\t%s\n", to, from, how, name.Name, kind)
		}
	}
}

func callee(expression ast.Expr) *ast.Ident {
	switch expression := expression.(type) {
	case *ast.Ident:
		return expression
	case *ast.SelectorExpr:
		return expression.Sel
	case *ast.IndexExpr:
		return callee(expression.X)
	case *ast.ParenExpr:
		return callee(expression.X)
	}
	return nil
}

// Local variables, parameters, packages and fields are not definitions here.
func kindOf(object types.Object) string {
	if object.Pkg() == nil {
		return ""
	}
	switch object := object.(type) {
	case *types.Func:
		if object.Type().(*types.Signature).Recv() != nil {
			return "method"
		}
		return "function"
	case *types.TypeName:
		if object.Parent() == object.Pkg().Scope() {
			return "type"
		}
	case *types.Const:
		if object.Parent() == object.Pkg().Scope() {
			return "constant"
		}
	}
	return ""
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
