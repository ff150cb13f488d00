import { relative } from "node:path";
import ts from "typescript";
import type { PackageEntry } from "./package-entries";

/**
 * What the public names of the packages still owe: a TSDoc comment each; functions also an `@example`,
 * operators also a marble diagram.
 *
 * Owe nothing: what a dependency documents. Owe no example: type predicates (`isX`), and machines, which
 * are shown at work by the operator that stands on them.
 */
export function undocumented(program: ts.Program, entries: readonly PackageEntry[], root: string): string[] {
  const checker = program.getTypeChecker();
  const debts = new Set<string>();
  for (const { name: entry, source } of entries) {
    const file = program.getSourceFile(source);
    const module = file && checker.getSymbolAtLocation(file);
    if (file === undefined || module === undefined) continue; // an entry that exports nothing yet
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const declaration = symbol.declarations?.find(
        (one) => !one.getSourceFile().fileName.includes("/node_modules/"),
      );
      if (declaration === undefined) continue;
      const place = placeOf(declaration, root);
      for (const owed of owedBy(symbol, declaration, checker))
        debts.add(`${place}: ${exported.name} of ${entry} has no ${owed}.`);
    }
  }
  return [...debts].sort();
}

function owedBy(symbol: ts.Symbol, declaration: ts.Declaration, checker: ts.TypeChecker): string[] {
  const text = commentOf(symbol);
  if (text === "") return ["TSDoc comment"];
  const signature = checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures()[0];
  if (!(symbol.flags & ts.SymbolFlags.Value) || signature === undefined) return [];
  return [
    ...(owesNoExample(signature, checker) || text.includes("@example") ? [] : ["@example"]),
    ...(!isOperator(signature, checker) || text.includes("```text") ? [] : ["marble diagram (```text)"]),
  ];
}

function owesNoExample(signature: ts.Signature, checker: ts.TypeChecker): boolean {
  return (
    checker.getTypePredicateOfSignature(signature) !== undefined ||
    /^Machine\b/.test(checker.typeToString(signature.getReturnType()))
  );
}

function isOperator(signature: ts.Signature, checker: ts.TypeChecker): boolean {
  const returned = signature.getReturnType();
  const name = (returned.aliasSymbol ?? returned.symbol)?.name;
  return (
    name === "OperatorFunction" ||
    name === "MonoTypeOperatorFunction" ||
    /^(MonoType)?OperatorFunction</.test(checker.typeToString(returned))
  );
}

/** The comment as it stands before any of the declarations: overloads share one. */
function commentOf(symbol: ts.Symbol): string {
  return (symbol.declarations ?? [])
    .map((declaration) => {
      const holder = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
      return ts
        .getJSDocCommentsAndTags(holder)
        .map((comment) => comment.getFullText())
        .join("\n");
    })
    .join("\n")
    .trim();
}

function placeOf(declaration: ts.Declaration, root: string): string {
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return `${relative(root, file.fileName)}:${line + 1}`;
}
