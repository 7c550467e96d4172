import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { dryRun, type ForeseenStudy } from "../../../src/server/features/import/dry-run.ts";
import type { FileReport } from "../../../src/server/features/import/found-file.ts";
import { importPaths } from "../../../src/server/features/import/import-paths.ts";
import { journalPath, openJournal } from "../../../src/server/features/import/journal.ts";
import { resolvePaths } from "../../../src/server/features/import/walk-paths.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import { readablePath } from "../../../src/server/storage/disk/raw-path.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { MIB } from "../../../src/shared/units.ts";
import { limitStorage } from "../../support/app/storage-quota.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const MAX_UPLOAD_BYTES = 200_000;
let t: TestApp;
let folder: ReturnType<typeof createTempFolder>;
let cases = 0;

beforeAll(async () => {
  t = await createTestApp({ env: { MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) } });
  folder = createTempFolder();
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A new folder with these files. */
function filled(files: Record<string, Uint8Array>): string {
  const root = join(folder.path, `case-${++cases}`);
  mkdirSync(root);
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), bytes);
  }
  return root;
}

interface Brought {
  /** Outcome and reason by path below the folder. */
  outcomes: Record<string, string>;
  uploads: number;
}

async function bringIn(person: Person, root: string, statePath?: string): Promise<Brought> {
  const reports: FileReport[] = [];
  const paths = await resolvePaths([root]);
  const before = await countUploads(person);
  await using journal = await openJournal(
    statePath ?? (await journalPath(join(folder.path, "journals"), person.id, paths)),
    person.id,
  );
  await importPaths(
    t.deps,
    {
      caller: { userId: person.id, role: "user" },
      uploader: { accountId: person.id, isTrial: false },
      origin: { details: { by: "import" } },
      signal: new AbortController().signal,
    },
    {
      paths,
      avoid: t.deps.config.dataDir,
      journal,
      beforeUpload: async () => {},
      onReport: async (report) => {
        reports.push(report);
      },
    },
  );
  await t.settle();
  return { outcomes: outcomesBelow(paths[0] ?? "", reports), uploads: (await countUploads(person)) - before };
}

function outcomesBelow(root: string, reports: FileReport[]): Record<string, string> {
  const told = ({ outcome, reason }: FileReport) =>
    reason === undefined ? outcome : `${outcome}: ${reason}`;
  return Object.fromEntries(reports.map((report) => [report.path.slice(root.length + 1), told(report)]));
}

async function countUploads({ id }: Person): Promise<number> {
  const [row] = await t.sql<{ count: number }[]>`
    select count(*)::int from uploads where account_id = ${id} and state = 'committed'`;
  return row?.count ?? 0;
}

async function studiesOf(person: Person): Promise<Record<string, number>> {
  const studies = (await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[];
  return Object.fromEntries(studies.map((study) => [study.studyInstanceUID, study.imagesReceived]));
}

/** An instance that does not deflate. */
function large(study: string, sop: number, bytes = 40_000): Uint8Array {
  const side = Math.round(Math.sqrt(bytes / 2));
  const elements = {
    [TagHex.Rows]: { vr: "US", Value: [side] },
    [TagHex.Columns]: { vr: "US", Value: [side] },
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(randomBytes(2 * side * side)) },
  };
  return sampleInstance({ study, sop: String(sop), instanceNumber: sop, elements });
}

describe("a folder", () => {
  test("is taken in by study with its ZIPs, and each file is reported", async () => {
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const root = filled({
      "disc/DICOMDIR": sampleInstance({
        elements: { [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.1.3.10"] } },
      }),
      "disc/IMAGES/IM1": sampleInstance({ study: "1", sop: "1" }),
      "disc/IMAGES/IM2": sampleInstance({ study: "1", sop: "2" }),
      "disc/viewer.exe": Uint8Array.from(Buffer.from("MZ and more than eight bytes")),
      "disc/leiame.txt": Uint8Array.of(1, 2, 3),
      "disc/empty": Uint8Array.of(),
      "b/again.dcm": sampleInstance({ study: "1", sop: "1" }),
      "b/other-bytes.dcm": sampleInstance({ study: "1", sop: "2", instanceNumber: 77 }),
      "b/cut.dcm": sampleInstance({ study: "2" }).subarray(0, -3),
      "c/exams.zip": sampleZip({ study: "3" }, { study: "3", sop: "2" }, { study: "3", name: "nota.txt" }),
      "c/report.docx": zipSync({ "word/document.xml": Uint8Array.of(60, 63) }),
      "c/broken.zip": sampleZip({ study: "4" }).subarray(0, 500),
    });
    symlinkSync(root, join(root, "loop"));
    symlinkSync("/etc/passwd", join(root, "disc/passwd"));
    const { outcomes, uploads } = await bringIn(ana, root);
    expect(outcomes).toEqual({
      "disc/DICOMDIR": "skipped: dicomdir",
      "disc/IMAGES/IM1": "already there",
      "disc/IMAGES/IM2": "conflict",
      "disc/viewer.exe": "skipped: not_dicom",
      "disc/leiame.txt": "skipped: ignored_name",
      "disc/empty": "skipped: not_dicom",
      "disc/passwd": "skipped: symbolic_link",
      loop: "skipped: symbolic_link",
      "b/again.dcm": "taken",
      "b/other-bytes.dcm": "taken",
      "b/cut.dcm": "refused: instance.truncated",
      "c/exams.zip": "taken",
      "c/exams.zip!/nota.txt": "skipped: ignored_name",
      "c/report.docx": "skipped: upload.no_dicom",
      "c/report.docx!/word/document.xml": "skipped: not_dicom",
      "c/broken.zip": "refused: zip.not_zip",
    });
    expect(uploads).toBe(2);
    expect(await studiesOf(ana)).toEqual({ [studyUID("1")]: 2, [studyUID("3")]: 2 });
    const audit = await t.sql`
      select actor_id, address, details from audit_events where account_id = ${ana.id} and action = 'study.uploaded'`;
    expect(audit).toEqual([
      { actor_id: ana.id, address: null, details: { by: "import" } },
      { actor_id: ana.id, address: null, details: { by: "import" } },
    ] as never);
  });

  test("may have names of an old disc, which are no UTF-8, and names that are", async () => {
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const root = filled({ "ção/coração.dcm": large("71", 1) });
    const latin = (path: string) => Buffer.from(join(root, path), "latin1");
    mkdirSync(latin("imagens_t\xf3rax"));
    writeFileSync(latin("imagens_t\xf3rax/cora\xe7\xe3o.dcm"), large("71", 2));
    writeFileSync(latin("imagens_t\xf3rax/mais \xe9.zip"), sampleZip({ study: "72" }));
    const options = { paths: await resolvePaths([root]), avoid: "", signal: new AbortController().signal };
    const account = { caller: { userId: ana.id, role: "user" } as const, isTrial: false };
    const { db, disk, ingestWorkers } = t.deps;
    const reports: FileReport[] = [];
    const onReport = async (report: FileReport) => void reports.push(report);
    const foreseen = await Array.fromAsync(
      dryRun({ db, disk, ingestWorkers, account, ...options, onReport }),
    );
    expect([foreseen.map(({ instances }) => instances).sort(), reports]).toEqual([[1, 2], []]);

    const { outcomes } = await bringIn(ana, root);
    const readable = Object.entries(outcomes).map(([path, outcome]) => [readablePath(path), outcome]);
    expect(Object.fromEntries(readable)).toEqual({
      "ção/coração.dcm": "taken",
      "imagens_tórax/coração.dcm": "taken",
      "imagens_tórax/mais é.zip": "taken",
    });
    expect(await studiesOf(ana)).toEqual({ [studyUID("71")]: 2, [studyUID("72")]: 1 });
    expect((await bringIn(ana, root)).outcomes[Object.keys(outcomes)[0] ?? ""]).toStartWith("already there");
  });

  test("may be ZIPs for which the disk has no room: a dry run inflates none of them", async () => {
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const large = zipSync({ "large.bin": [new Uint8Array(33 * MIB), { level: 1 }] });
    const root = filled({ "large.zip": large, "small.zip": sampleZip({ study: "73" }) });
    const reports: FileReport[] = [];
    const foreseen = dryRun({
      db: t.deps.db,
      ingestWorkers: t.deps.ingestWorkers,
      disk: createDiskRoom({ spareBytes: 0, readSpace: async () => ({ freeBytes: 32 * MIB, sizeBytes: 0 }) }),
      account: { caller: { userId: ana.id, role: "user" }, isTrial: false },
      paths: await resolvePaths([root]),
      avoid: "",
      signal: new AbortController().signal,
      onReport: async (report) => void reports.push(report),
    });
    expect((await Array.fromAsync(foreseen)).map(({ studyInstanceUID }) => studyInstanceUID)).toEqual([
      studyUID("73"),
    ]);
    expect(reports).toEqual([
      { path: expect.stringContaining("large.zip"), outcome: "refused", reason: "disk.full" },
    ]);
  });

  test("does not hold the installation's own data, and what is gone or unreadable is told", async () => {
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const { outcomes, uploads } = await bringIn(ana, t.deps.config.dataDir);
    expect([outcomes, uploads]).toEqual([{ "": "skipped: own_data" }, 0]);
    expect(resolvePaths([join(folder.path, "nowhere")])).rejects.toThrow("There is nothing at");
  });
});

describe("what is larger than one upload", () => {
  test("comes in several, each instance once: a study, and a ZIP of it", async () => {
    const instances = Array.from({ length: 12 }, (_, at) => large("10", at + 1));
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const files = Object.fromEntries(instances.map((bytes, at) => [`IM${at}`, bytes]));
    const fromFiles = await bringIn(ana, filled(files));
    expect(Object.values(fromFiles.outcomes)).toEqual(Array(12).fill("taken"));
    expect(fromFiles.uploads).toBe(3);
    expect(await studiesOf(ana)).toEqual({ [studyUID("10")]: 12 });

    const bia = await t.addPerson("Bia", { plan: "clinica" });
    const fromZip = await bringIn(bia, filled({ "all.zip": zipSync(files) }));
    expect(fromZip).toEqual({ outcomes: { "all.zip": "taken" }, uploads: 3 });
    expect(await studiesOf(bia)).toEqual({ [studyUID("10")]: 12 });
  });

  test("is refused by name if it is one file, and its study comes without it", async () => {
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const root = filled({ small: large("11", 1), huge: large("11", 2, 300_000) });
    const { outcomes } = await bringIn(ana, root);
    expect(outcomes).toEqual({ small: "taken", huge: "refused: upload.too_large" });
    expect(await studiesOf(ana)).toEqual({ [studyUID("11")]: 1 });
  });
});

describe("the plan", () => {
  const five = () =>
    Object.fromEntries(
      ["1", "2", "3", "4", "5"].map((study) => [`s${study}/IM`, sampleInstance({ study: `2${study}` })]),
    );

  test("is filled up to its exams; the others are refused, and studies that exist may grow", async () => {
    const ana = await t.addPerson("Ana", { plan: "avaliacao" });
    const root = filled({ ...five(), "z/IM": sampleInstance({ study: "21", sop: "9" }) });
    await t.store(ana, sampleZip({ study: "21" }));
    const { outcomes } = await bringIn(ana, root);
    const refused = "refused: quota.trial";
    expect(outcomes).toEqual({
      "s1/IM": "already there",
      "z/IM": "taken",
      "s2/IM": "taken",
      ...{ "s3/IM": refused, "s4/IM": refused, "s5/IM": refused },
    });
    expect(Object.keys(await studiesOf(ana))).toHaveLength(2);
  });

  test("is filled up to its bytes, and a dry run foresees both and stores nothing", async () => {
    const ana = await t.addPerson("Ana", { plan: "avaliacao" });
    const foreseen = async (root: string) => {
      const studies: ForeseenStudy[] = [];
      const account = { caller: { userId: ana.id, role: "user" } as const, isTrial: false };
      const { db, disk, ingestWorkers } = t.deps;
      const paths = await resolvePaths([root]);
      const signal = new AbortController().signal;
      const options = {
        db,
        disk,
        ingestWorkers,
        account,
        paths,
        avoid: "",
        signal,
        onReport: async () => {},
      };
      for await (const study of dryRun(options)) studies.push(study);
      return Object.fromEntries(
        studies.map(({ studyInstanceUID, instances, state, reason }) => [
          studyInstanceUID,
          `${instances} ${reason ?? state}`,
        ]),
      );
    };
    await t.store(ana, sampleZip({ study: "21" }));
    const root = filled({ ...five(), "more.zip": sampleZip({ study: "26" }, { study: "22", sop: "5" }) });
    expect(await foreseen(root)).toEqual({
      [studyUID("26")]: "1 new",
      [studyUID("21")]: "1 known",
      [studyUID("22")]: "2 quota.exams",
      [studyUID("23")]: "1 quota.exams",
      [studyUID("24")]: "1 quota.exams",
      [studyUID("25")]: "1 quota.exams",
    });
    await limitStorage(t, ana, 150_000);
    const heavy = filled(
      Object.fromEntries(["31", "32", "33"].map((study) => [study, large(study, 1, 60_000)])),
    );
    const expected = {
      [studyUID("31")]: "1 new",
      [studyUID("32")]: "1 new",
      [studyUID("33")]: "1 quota.bytes",
    };
    expect(await foreseen(heavy)).toEqual(expected);
    expect(await countUploads(ana)).toBe(1);
    const { outcomes } = await bringIn(ana, heavy);
    expect(outcomes).toEqual({ "31": "taken", "32": "taken", "33": "refused: quota.bytes" });
  });
});

describe("an import that is started again", () => {
  test("sends nothing that its journal knows, but what changed, and what was refused", async () => {
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const root = filled({
      "a/IM1": sampleInstance({ study: "41", sop: "1" }),
      "a/IM2": sampleInstance({ study: "41", sop: "2" }),
      "b.zip": sampleZip({ study: "42" }),
      cut: sampleInstance({ study: "43" }).subarray(0, -3),
    });
    expect((await bringIn(ana, root)).uploads).toBe(2);
    const known = "already there: earlier_run";
    const cut = "refused: instance.truncated";
    const again = { "a/IM1": known, "a/IM2": known, "b.zip": known, cut };
    expect(await bringIn(ana, root)).toEqual({ outcomes: again, uploads: 0 });
    utimesSync(join(root, "a/IM2"), 1, 1);
    expect(await bringIn(ana, root)).toEqual({
      outcomes: { ...again, "a/IM2": "already there" },
      uploads: 1,
    });
    // Another account is not told what this one sent.
    const bia = await t.addPerson("Bia", { plan: "clinica" });
    expect((await bringIn(bia, root)).outcomes).toMatchObject({ "a/IM1": "taken", "b.zip": "taken" });
  });

  test("stores each instance once without a journal, and after a journal's last record was cut", async () => {
    const ana = await t.addPerson("Ana", { plan: "clinica" });
    const root = filled({
      IM1: sampleInstance({ study: "51" }),
      IM2: sampleInstance({ study: "51", sop: "2" }),
    });
    const journal = join(folder.path, "cut.journal");
    await bringIn(ana, root, journal);
    truncateSync(journal, 24);
    const [one, other] = Object.values((await bringIn(ana, root, journal)).outcomes).sort();
    expect([one, other]).toEqual(["already there", "already there: earlier_run"]);
    rmSync(journal);
    appendFileSync(journal, "");
    expect(Object.values((await bringIn(ana, root, journal)).outcomes)).toEqual([
      "already there",
      "already there",
    ]);
    expect(await studiesOf(ana)).toEqual({ [studyUID("51")]: 2 });
    const elsewhere = join(folder.path, "moved");
    cpSync(root, elsewhere, { recursive: true });
    expect((await bringIn(ana, elsewhere, journal)).outcomes).toEqual({
      IM1: "already there",
      IM2: "already there",
    });
  });
});
