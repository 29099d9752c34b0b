// Prints every use of the definitions below a directory of Java sources, according to javac: a line
// `definition<TAB>use<TAB>kind<TAB>name<TAB>kind of definition` for each use, and a line of the kind `read` for each file that javac reads.
// Usage: java UsesOfJava.java DIRECTORY.
// Started by graph_check.py.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class UsesOfJava {
    static Path root;
    static Trees trees;

    public static void main(String[] arguments) throws IOException {
        root = Path.of(arguments[0]).toRealPath();
        List<Path> files;
        try (var found = Files.walk(root)) {
            files = found.filter(UsesOfJava::isSource).sorted().toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        // Missing libraries leave some types unknown; the rest is still resolved.
        DiagnosticListener<JavaFileObject> ignored = diagnostic -> {};
        List<String> options = List.of("-proc:none", "-Xmaxerrs", "1000000");
        JavacTask task = (JavacTask) compiler.getTask(null, manager, ignored, options, null, manager.getJavaFileObjectsFromPaths(files));
        trees = Trees.instance(task);
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) {
            System.out.println(String.join("\t", "-", place(unit, 0), "read", "-", "-"));
            new Uses(unit).scan(unit, null);
        }
    }

    static boolean isSource(Path file) {
        return file.toString().endsWith(".java") && !file.endsWith("module-info.java") && !file.endsWith("package-info.java");
    }

    /// `path:line` of a position.
    static String place(CompilationUnitTree unit, long position) {
        Path file = Path.of(unit.getSourceFile().toUri());
        return root.relativize(file) + ":" + unit.getLineMap().getLineNumber(position);
    }

    static class Uses extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final String text;

        Uses(CompilationUnitTree unit) throws IOException {
            this.unit = unit;
            this.text = unit.getSourceFile().getCharContent(true).toString();
        }

        @Override
        public Void visitImport(ImportTree tree, Void nothing) {
            return null;
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void nothing) {
            report(tree, tree.getName(), start(tree));
            return super.visitIdentifier(tree, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            report(tree, tree.getIdentifier(), nameBefore(tree, tree.getIdentifier()));
            return super.visitMemberSelect(tree, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
            report(tree, tree.getName(), nameBefore(tree, tree.getName()));
            return super.visitMemberReference(tree, nothing);
        }

        long start(Tree tree) {
            return trees.getSourcePositions().getStartPosition(unit, tree);
        }

        /// The start of the name at the end of a tree.
        long nameBefore(Tree tree, Name name) {
            long end = trees.getSourcePositions().getEndPosition(unit, tree);
            return end < 0 ? start(tree) : text.lastIndexOf(name.toString(), (int) end);
        }

        void report(Tree tree, Name name, long position) {
            Element element = trees.getElement(getCurrentPath());
            String kind = element == null || name.contentEquals("this") || name.contentEquals("super") ? null : kind(element);
            TreePath declared = kind == null || element.getKind() == ElementKind.CONSTRUCTOR ? null : trees.getPath(firstOverload(element));
            // An enum constant calls the constructor without naming it.
            if (declared == null || position < 0 || !text.startsWith(name.toString(), (int) position)) {
                return;
            }
            CompilationUnitTree there = declared.getCompilationUnit();
            long at = trees.getSourcePositions().getStartPosition(there, declared.getLeaf());
            long nameAt = nameOf(there, declared.getLeaf(), element, at);
            String how = isCalled(tree) ? "call" : "other";
            System.out.println(String.join("\t", place(there, nameAt), place(unit, position), how, element.getSimpleName(), kind));
        }

        /// Overloads count as one symbol, that of the first.
        Element firstOverload(Element element) {
            if (element.getKind() != ElementKind.METHOD || trees.getPath(element) == null) {
                return element;
            }
            for (Element other : element.getEnclosingElement().getEnclosedElements()) {
                if (other.getKind() == element.getKind() && other.getSimpleName().equals(element.getSimpleName())) {
                    return other;
                }
            }
            return element;
        }

        /// A declaration starts with its comment, annotations and modifiers; its name is before its parameters or body.
        long nameOf(CompilationUnitTree there, Tree leaf, Element element, long at) {
            try {
                String source = there.getSourceFile().getCharContent(true).toString();
                ModifiersTree modifiers = leaf instanceof ClassTree type ? type.getModifiers()
                    : leaf instanceof MethodTree method ? method.getModifiers() : ((VariableTree) leaf).getModifiers();
                long after = Math.max(at, trees.getSourcePositions().getEndPosition(there, modifiers));
                var found = java.util.regex.Pattern.compile("\\b" + element.getSimpleName() + "\\b").matcher(source);
                return found.find((int) after) ? found.start() : at;
            } catch (IOException error) {
                return at;
            }
        }

        boolean isCalled(Tree tree) {
            Tree around = getCurrentPath().getParentPath().getLeaf();
            if (around instanceof ParameterizedTypeTree) {
                around = getCurrentPath().getParentPath().getParentPath().getLeaf();
                return around instanceof NewClassTree;
            }
            return around instanceof MethodInvocationTree call && call.getMethodSelect() == tree
                || around instanceof NewClassTree made && made.getIdentifier() == tree;
        }

        String kind(Element element) {
            return switch (element.getKind()) {
                case CLASS, ENUM, RECORD -> "class";
                case INTERFACE, ANNOTATION_TYPE -> "interface";
                case METHOD -> "method";
                case FIELD -> element.getModifiers().contains(Modifier.FINAL) && element.getModifiers().contains(Modifier.STATIC) ? "constant" : null;
                default -> null;
            };
        }
    }
}
