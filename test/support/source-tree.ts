import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");

/** The files of a folder that are named so, as paths from the repository's root; generated ones are left out. */
export function filesUnder(folder: string, names = /\.(ts|tsx)$/): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/\.gen\.\w+$/.test(path));
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The files that a file imports, types included, as paths from the repository's root; packages are left out. */
export function importsOf(path: string): string[] {
  const specifiers = textOf(path).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g);
  return Array.from(specifiers, ([, specifier = ""]) =>
    relative(root, resolve(root, dirname(path), specifier)),
  );
}

/** The circles of a graph, each from one of its nodes back to it; each is found once. */
export function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
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

/**
 * Where `length` lines in a row stand more than once, `path:line` of each place. White space, empty lines, imports and a
 * comment at the top of a file do not count.
 */
export function verbatimBlocks(paths: readonly string[], length: number): string[] {
  const places = new Map<string, string[]>();
  for (const path of paths) {
    const lines = linesThatCount(textOf(path));
    for (let first = 0; first + length <= lines.length; first++) {
      const block = lines.slice(first, first + length);
      const key = block.map(({ text }) => text).join("\n");
      places.set(key, [...(places.get(key) ?? []), `${path}:${block[0]?.number}`]);
    }
  }
  return [...places.values()].filter((found) => found.length > 1).map((found) => found.join(" ~ "));
}

function linesThatCount(source: string): { text: string; number: number }[] {
  const emptied = (part: string) => part.replace(/[^\n]/g, "");
  return source
    .replace(/^(?:\s*(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/))+/, emptied)
    .replace(/^import\b[^;]*;$/gm, emptied)
    .split("\n")
    .map((line, index) => ({ text: line.trim().replace(/\s+/g, " "), number: index + 1 }))
    .filter(({ text }) => text !== "");
}
