import { describe, expect, test } from "bun:test";
import { dirname, relative } from "node:path";
import { cyclesOf, filesUnder, importsOf } from "../support/source-tree.ts";

/** The client's features from the bottom up. A feature imports only features listed before it. */
const ORDER = [
  "preferences",
  "places",
  "session",
  "plan",
  "pdf",
  "documents",
  "pick",
  "users",
  "studies",
  "local-view",
  "sharing",
  "reports",
  "viewer",
  "sample",
  "receipts",
  "labs",
  "upload",
  "disc",
  "verification",
  "study-list",
  "requests",
  "integrity",
  "payments",
  "subscriptions",
  "subscriptions-admin",
  "security",
  "tokens",
  "receivers",
  "auth",
  "notifications",
  "visit",
  "help",
  "delivery",
  "profile",
  "support",
  "terms",
  "home",
  "operations",
  "frame",
];

/** The folders below the features, from the ground up. Empty: the language, the session and what is kept of both. */
const BELOW = [
  "runtime",
  "",
  "calls",
  "ui/text",
  "ui/hooks",
  "ui",
  "visor/draw",
  "visor/core",
  "visor/decode",
  "visor/local",
  "visor/view",
  "viewer",
];

/** The files that connect all of it. */
const COMPOSITION = ["boot.ts", "islands.ts", "island-root.tsx"].map((name) => `src/client/${name}`);

const sources = filesUnder("src/client");
const imports = new Map(sources.map((path) => [path, importsOf(path)]));

function featureOf(path: string): string | undefined {
  return /^src\/client\/features\/([^/]+)\//.exec(path)?.[1];
}

/** `visor/core`; empty for a file at the top. */
function folderOf(path: string): string {
  return relative("src/client", dirname(path));
}

/** The features that `path` imports. */
function importedFeatures(path: string) {
  return (imports.get(path) ?? []).flatMap((imported) => {
    const feature = featureOf(imported);
    return feature === undefined ? [] : [{ feature, line: `${path} → ${imported}` }];
  });
}

describe("the client's features", () => {
  test("are all listed in the order, each exactly once", () => {
    const features = new Set(sources.flatMap((path) => featureOf(path) ?? []));
    expect(ORDER.toSorted()).toEqual([...features].toSorted());
  });

  test("import only features below their own, types included", () => {
    const upwards = sources.flatMap((path) => {
      const place = ORDER.indexOf(featureOf(path) ?? "");
      if (place < 0) return [];
      return importedFeatures(path).filter(({ feature }) => ORDER.indexOf(feature) > place);
    });
    expect(upwards.map(({ line }) => line)).toEqual([]);
  });

  test("are imported by no lower layer, except by the list of islands", () => {
    const below = sources.filter((path) => !featureOf(path) && path !== "src/client/islands.ts");
    expect(below.flatMap(importedFeatures).map(({ line }) => line)).toEqual([]);
  });

  test("have no import cycle among their files, types included", () => {
    expect(cyclesOf(imports)).toEqual([]);
  });
});

describe("the rooms below the features", () => {
  const below = sources.filter((path) => !featureOf(path) && !COMPOSITION.includes(path));

  test("are all listed in the order, each exactly once", () => {
    expect(BELOW.toSorted()).toEqual([...new Set(below.map(folderOf))].toSorted());
  });

  test("import only rooms below their own, types included", () => {
    const upwards = below.flatMap((path) => {
      const above = (imported: string) => BELOW.indexOf(folderOf(imported)) > BELOW.indexOf(folderOf(path));
      const ours = (imports.get(path) ?? []).filter((imported) => imported.startsWith("src/client/"));
      return ours.filter(above).map((imported) => `${path} → ${imported}`);
    });
    expect(upwards).toEqual([]);
  });
});

describe("the search for import cycles", () => {
  test("finds a file that imports itself, directly or through others", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", ["a"]],
      ["d", ["d"]],
    ]);
    expect(cyclesOf(graph)).toEqual(["a → b → c → a", "d → d"]);
  });
});
