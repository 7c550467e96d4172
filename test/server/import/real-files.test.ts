import { expect, test } from "bun:test";
import { join } from "node:path";
import type { FileReport } from "../../../src/server/features/import/found-file.ts";
import { importPaths } from "../../../src/server/features/import/import-paths.ts";
import { openJournal } from "../../../src/server/features/import/journal.ts";
import { resolvePaths } from "../../../src/server/features/import/walk-paths.ts";
import { createTestApp } from "../../support/app/test-app.ts";

/** A folder of real DICOM files, searched through with its subfolders. */
const samples = process.env.DICOM_SAMPLES;
const files = samples ? [...new Bun.Glob("**/*").scanSync({ cwd: samples, dot: true })] : [];

test.skipIf(samples === undefined)(
  "every real file is taken, or told why not, and each instance is stored once",
  async () => {
    await using t = await createTestApp();
    const ana = await t.addPerson("Ana", { role: "admin" });
    const reports: FileReport[] = [];
    const paths = await resolvePaths([samples ?? ""]);
    await using journal = await openJournal(join(t.deps.config.dataDir, "journal"), ana.id);
    const sender = {
      caller: { userId: ana.id, role: "admin" } as const,
      uploader: { accountId: ana.id, isTrial: false },
      origin: {},
      signal: new AbortController().signal,
    };
    await importPaths(t.deps, sender, {
      ...{ paths, avoid: "", journal },
      beforeUpload: async () => {},
      onReport: async (report) => {
        reports.push(report);
      },
    });
    const own = reports.filter(({ path }) => !path.includes("!/"));
    expect(own.map(({ path }) => path.slice((paths[0] ?? "").length + 1)).sort()).toEqual(files.sort());
    const refused = reports.filter(
      ({ outcome, reason }) => outcome === "refused" && !reason?.startsWith("instance."),
    );
    expect(refused).toEqual([]);
    const taken = reports.filter(({ outcome }) => outcome === "taken");
    const instances = taken.reduce((sum, { instances: ofZip = 1 }) => sum + ofZip, 0);
    const [stored] = await t.sql<{ count: number }[]>`
      select coalesce(sum(instance_count), 0)::int as count from studies`;
    expect(stored?.count).toBe(instances);
    expect(instances).toBeGreaterThan(files.length / 2);
  },
  240_000,
);
