import { describe, expect, test } from "bun:test";
import { dirname, relative, resolve } from "node:path";
import { cyclesOf, filesUnder, importsOf, textOf } from "../support/source-tree.ts";

const root = resolve(import.meta.dir, "../..");
const sources = filesUnder("src");
const server = sources.filter((path) => path.startsWith("src/server/"));

/**
 * The rooms of the server, from the ground up: each imports only rooms above it in this list, types and tables included.
 * Code that two rooms need from each other is in the lower one, or is passed to it when the server starts.
 */
const ORDER = [
  "runtime",
  "dicom",
  "storage",
  "archive",
  "db",
  "metrics",
  "http",
  "jobs",
  "mail",
  "nodes",
  "documents",
  "pix",
  "processes",
  "render",
  "dimse",
  "holdings",
  "features/audit",
  "features/accounts",
  "features/notifications",
  "features/subscriptions",
  "features/membership",
  "features/support",
  "features/studies",
  "features/dicomweb",
  "features/thumbnails",
  "features/derivatives",
  "features/reports",
  "features/labs",
  "features/study-list",
  "features/ingest",
  "features/import",
  "features/receivers",
  "features/rebuild",
  "features/receipts",
  "features/media",
  "features/viewer",
  "features/exchange",
  "features/fhir",
  "features/links",
  "features/deliveries",
  "features/payments",
  "features/removals",
  "features/overview",
  "features/export",
  "features/integrity",
  "features/safekeeping",
  "features/monitoring",
];

/** The files that connect the rooms: they may import every room. */
const COMPOSITION = ["", "cli", "openapi"];
/** The two of them that a room may import: the dependencies and the configuration. */
const GIVEN = ["src/server/deps.ts", "src/server/config.ts"];

/** `holdings`, `features/studies`; empty for a file outside any folder. */
function roomOf(path: string): string {
  const [first = "", second = ""] = relative("src/server", dirname(path)).split("/");
  return first === "features" ? `${first}/${second}` : first;
}

function isBelow(room: string, other: string): boolean {
  return ORDER.indexOf(room) < ORDER.indexOf(other);
}

/** Imports of a file that its room may not have, given what it imports. */
function upwardImports(path: string, imports: string[]): string[] {
  const room = roomOf(path);
  if (COMPOSITION.includes(room)) return [];
  return imports
    .filter((imported) => imported.startsWith("src/server/") && !GIVEN.includes(imported))
    .filter((imported) => COMPOSITION.includes(roomOf(imported)) || isBelow(room, roomOf(imported)))
    .map((imported) => `${path} → ${imported}`);
}

interface Table {
  /** As the code names it. */
  constant: string;
  /** As the database does. */
  name: string;
  file: string;
}

const tables = server
  .filter((path) => path.endsWith(".table.ts"))
  .flatMap((file) =>
    Array.from(
      textOf(file).matchAll(/export const (\w+) = pgTable\(\s*"(\w+)"/g),
      ([, constant = "", name = ""]): Table => ({ constant, name, file }),
    ),
  );

/**
 * Statements of a file that add, change or delete rows of a table that another room declares, or that stand outside a
 * repository. A table is identified by the file it is imported from, whatever its local name.
 */
function foreignWrites(path: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
  const known = new Map(tables.filter(({ file }) => file === path).map((table) => [table.constant, table]));
  for (const [, names = "", specifier = ""] of code.matchAll(
    /import (?:type )?\{([^}]*)\} from "([^"]+)"/g,
  )) {
    const file = relative(root, resolve(root, dirname(path), specifier));
    for (const name of names.split(",")) {
      const [constant = "", local = constant] = name.trim().split(/ as /);
      const table = tables.find((some) => some.file === file && some.constant === constant);
      if (table) known.set(local, table);
    }
  }
  for (const [, local = "", constant = ""] of code.matchAll(/const (\w+) = (?:alias\()?(\w+)[,;]/g)) {
    const table = known.get(constant);
    if (table) known.set(local, table);
  }
  const verb = "(?:insert\\s+into|update|delete\\s+from|truncate(?:\\s+table)?|merge\\s+into|copy)";
  const names = tables.map(({ name }) => name).join("|");
  const byCall = code.matchAll(/\.(?:insert|update|delete)\(\s*(\w+)\s*,?\s*\)/g);
  const byConstant = code.matchAll(new RegExp(`\\b${verb}\\s+\\$\\{\\s*(\\w+)\\s*\\}`, "gi"));
  const byName = code.matchAll(new RegExp(`\\b${verb}\\s+(?:only\\s+)?"?(${names})"?\\b`, "gi"));
  const written = [
    ...Array.from([...byCall, ...byConstant], ([, local = ""]) => known.get(local)),
    ...Array.from(byName, ([, name = ""]) => tables.find((table) => table.name === name.toLowerCase())),
  ];
  return written
    .filter((table) => table !== undefined)
    .filter(({ file }) => roomOf(file) !== roomOf(path) || !path.endsWith(".repo.ts"))
    .map(({ name }) => `${path} writes ${name}`);
}

describe("the rooms of the server", () => {
  test("each have a place in the order", () => {
    const rooms = new Set(server.map(roomOf).filter((room) => !COMPOSITION.includes(room)));
    expect([...rooms].sort()).toEqual([...ORDER].sort());
  });

  test("import no room above them, types and tables included", () => {
    expect(server.flatMap((path) => upwardImports(path, importsOf(path)))).toEqual([]);
  });

  test("would not get away with it", () => {
    const from = "src/server/features/audit/audit.repo.ts";
    const users = "src/server/features/accounts/users/users.table.ts";
    expect(upwardImports(from, [users])).toEqual([`${from} → ${users}`]);
    expect(upwardImports(users, [from])).toEqual([]);
    const app = "src/server/app.ts";
    expect(upwardImports(from, [app, "src/server/deps.ts"])).toEqual([`${from} → ${app}`]);
  });
});

test("no imports form a cycle, types included", () => {
  expect(cyclesOf(new Map(sources.map((path) => [path, importsOf(path)])))).toEqual([]);
});

describe("a table", () => {
  test("is written only by repositories of the room that declares it", () => {
    expect(server.flatMap((path) => foreignWrites(path, textOf(path)))).toEqual([]);
  });

  const path = "src/server/features/labs/labs.repo.ts";
  const importing = (name: string) => `import { ${name} } from "../studies/studies.table.ts";\n`;

  test.each([
    ["a statement of drizzle's", `${importing("studies")}db.update(studies).set({ hasReport: true });`],
    ["one over several lines", `${importing("studies")}db\n  .delete(\n    studies,\n  )`],
    ["another name of the table", `${importing("studies as exams")}db.insert(exams).values(row);`],
    ["an alias", `${importing("studies")}const again = alias(studies, "again");\ndb.update(again);`],
    ["a constant in SQL", `${importing("studies")}sql\`delete from \${studies} where true\`;`],
    ["plain SQL", "sql`update studies set has_report = true`;"],
    ["a name in quotes", 'sql`insert into "studies" (id) values (1)`;'],
    ["all rows at once", "sql`truncate table studies`;"],
  ])("is not written from another room by %s", (_, text) => {
    expect(foreignWrites(path, text)).toEqual([`${path} writes studies`]);
  });

  test("is written by no use case of its own room", () => {
    const useCase = "src/server/features/studies/delete-study.ts";
    const text = 'import { studies } from "./studies.table.ts";\ndb.delete(studies);';
    expect(foreignWrites(useCase, text)).toEqual([`${useCase} writes studies`]);
  });

  test("may be read by any room above it", () => {
    const reading = `db.select().from(studies); sql\`select 1 from \${studies}\`; seen.delete(id);`;
    expect(foreignWrites(path, importing("studies") + reading)).toEqual([]);
  });
});

test("one place says what is kept", () => {
  const says = /isNull\(\s*\w+\.removalId\s*\)|removal_?id"?\)?\s+is\s+null/i;
  const others = server.filter((path) => !path.endsWith(".table.ts") && says.test(textOf(path)));
  expect(others).toEqual(["src/server/holdings/kept.repo.ts"]);
});
