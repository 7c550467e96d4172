import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");

/** The TypeScript files of a folder, as paths from the repository's root; generated ones are left out. */
export function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.endsWith(".gen.ts"));
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** What a file imports, types included, as paths from the repository's root; packages are left out. */
export function importsOf(path: string): string[] {
  const specifiers = textOf(path).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g);
  return Array.from(specifiers, ([, specifier = ""]) =>
    relative(root, resolve(root, dirname(path), specifier)),
  );
}

/** The circles of a graph, each from one of its nodes back to it; each is found once. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const start = trail.indexOf(node);
    if (start >= 0) circles.push([...trail.slice(start), node].join(" → "));
    if (start >= 0 || finished.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    finished.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}
