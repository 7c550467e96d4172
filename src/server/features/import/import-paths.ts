import { closeSync } from "node:fs";
import { ZipError } from "../../../shared/zip/zip-error.ts";
import { uploadTooLarge } from "../ingest/ingest.errors.ts";
import type { IngestDeps } from "../ingest/take-upload.ts";
import { findStoredStudies } from "../studies/study-contents.repo.ts";
import { examLimitReached, trialLimitReached } from "../subscriptions/subscriptions.errors.ts";
import type { FileReport, FoundFile } from "./found-file.ts";
import type { Journal } from "./journal.ts";
import { lookIntoFile, openFound } from "./look-into-file.ts";
import { dividePieces, type Piece, packStudies, zipBytesOf } from "./pack-studies.ts";
import { type ImportSender, readable, sendPieces, sendZip, UploadRefused } from "./send-upload.ts";
import { type WalkedFile, walkPaths } from "./walk-paths.ts";
import { zipPieces } from "./zip-pieces.ts";

/** Files that are sorted by study at once, which bounds the memory of an import. */
const FILES_AT_ONCE = 20_000;

export interface ImportOptions {
  /** As `resolvePaths` returns them. */
  paths: readonly string[];
  /** The installation's own data, which is not entered. */
  avoid: string;
  journal: Journal;
  onReport(report: FileReport): Promise<void>;
  /** Called before each upload. @throws when the import must not go on */
  beforeUpload(): Promise<void>;
}

/** A file of a study that waits to be sent. */
interface SortedFile {
  found: FoundFile;
  studyInstanceUID: string;
}

/**
 * Takes in everything below the paths: files by study, ZIPs as they are. Each upload is committed before the journal knows its
 * files, so that an import that is killed goes on where it stopped.
 * @throws {ImportStopped}
 */
export async function importPaths(
  deps: IngestDeps,
  sender: ImportSender,
  options: ImportOptions,
): Promise<void> {
  await new Import(deps, sender, options).run();
}

class Import {
  #waiting: SortedFile[] = [];
  /** The code of the quota that takes no further study; those that exist may still grow. */
  #fullBy: string | undefined;

  constructor(
    readonly deps: IngestDeps,
    readonly sender: ImportSender,
    readonly options: ImportOptions,
  ) {}

  async run(): Promise<void> {
    const { paths, avoid } = this.options;
    for await (const walked of walkPaths(paths, { avoid, signal: this.sender.signal })) {
      await this.#sort(walked);
      if (this.#waiting.length >= FILES_AT_ONCE) await this.#sendWaiting();
    }
    await this.#sendWaiting();
  }

  async #sort(walked: WalkedFile): Promise<void> {
    if ("report" in walked) return await this.options.onReport(walked.report);
    const { found } = walked;
    if (this.options.journal.has(found)) {
      const known = { outcome: "already there", reason: "earlier_run" } as const;
      return await this.options.onReport({ path: found.path, ...known });
    }
    const looked = lookIntoFile(found);
    if (looked.kind === "neither") await this.options.onReport(looked.report);
    else if (looked.kind === "zip") await this.#takeZip(found);
    else this.#waiting.push({ found, studyInstanceUID: looked.studyInstanceUID });
  }

  async #sendWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const founds = new Map(waiting.map(({ found }) => [found.path, found]));
    const byStudy = Map.groupBy(waiting, ({ studyInstanceUID }) => studyInstanceUID);
    const uids = new Map<readonly Piece[], string>();
    for (const [uid, files] of byStudy)
      uids.set(
        files.map(({ found }) => filePiece(found)),
        uid,
      );
    const take = async (reports: FileReport[]) => {
      const done = reports.filter(isDone).flatMap(({ path }) => founds.get(path) ?? []);
      await this.options.journal.add(done);
      for (const report of reports) await this.options.onReport(report);
    };
    for (const upload of packStudies(uids.keys(), this.deps.config.maxUploadBytes)) {
      const { welcome, refused } = await this.#welcome(upload, (pieces) => uids.get(pieces));
      await take(refused);
      if (welcome.length > 0) await this.#sendStudies(welcome, take);
    }
  }

  /** Sends studies in one upload. When it is refused, each half is sent by itself, down to the study that is to blame. */
  async #sendStudies(
    studies: readonly (readonly Piece[])[],
    take: (reports: FileReport[]) => Promise<void>,
  ): Promise<void> {
    const pieces = studies.flat();
    try {
      if (zipBytesOf(pieces) > this.deps.config.maxUploadBytes) throw new UploadRefused(uploadTooLarge.code);
      await this.options.beforeUpload();
      await take(await sendPieces(this.deps, this.sender, pieces));
    } catch (error) {
      if (!(error instanceof UploadRefused)) throw error;
      if (studies.length > 1) {
        const middle = Math.ceil(studies.length / 2);
        await this.#sendStudies(studies.slice(0, middle), take);
        return await this.#sendStudies(studies.slice(middle), take);
      }
      this.#note(error);
      await take(pieces.map(({ path }) => ({ path, outcome: "refused", reason: error.reason })));
    }
  }

  async #takeZip(found: FoundFile): Promise<void> {
    const { path, sizeBytes } = found;
    try {
      if (sizeBytes > this.deps.config.maxUploadBytes) return await this.#divideZip(found);
      await this.options.beforeUpload();
      await this.#takeReports(found, await sendZip(this.deps, this.sender, found));
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === undefined) throw error;
      await this.options.onReport({ path, outcome: "refused", reason });
    }
  }

  /** Sends a ZIP that is too large for one upload as several. */
  async #divideZip(found: FoundFile): Promise<void> {
    const fd = readable(() => openFound(found.path));
    try {
      const { pieces, reports } = zipPieces(found.path, fd, found.sizeBytes);
      for (const part of dividePieces(pieces, this.deps.config.maxUploadBytes)) {
        await this.#sendStudies([part], async (taken) => {
          reports.push(...taken);
        });
      }
      const instances = reports.filter(({ outcome }) => outcome === "taken").length;
      const outcome = instances > 0 ? "taken" : "already there";
      const named = reports.filter((report) => report.outcome !== "taken" && !isKnown(report));
      await this.#takeReports(found, [{ path: found.path, outcome, instances }, ...named]);
    } finally {
      closeSync(fd);
    }
  }

  /** Remembers a ZIP as done if nothing in it was refused. */
  async #takeReports(found: FoundFile, reports: FileReport[]): Promise<void> {
    if (reports.every(isDone)) await this.options.journal.add([found]);
    for (const report of reports) await this.options.onReport(report);
  }

  /** While the plan takes no further study, only studies that exist are sent. */
  async #welcome(
    studies: readonly (readonly Piece[])[],
    uidOf: (pieces: readonly Piece[]) => string | undefined,
  ): Promise<{ welcome: (readonly Piece[])[]; refused: FileReport[] }> {
    const reason = this.#fullBy;
    if (reason === undefined) return { welcome: [...studies], refused: [] };
    const uids = studies.flatMap((pieces) => uidOf(pieces) ?? []);
    const known = await findStoredStudies(this.deps.db, this.sender.caller.userId, uids);
    const isWelcome = (pieces: readonly Piece[]) => {
      const uid = uidOf(pieces);
      // A part of a divided study, or a file whose study is not known before it is read.
      return uid === undefined || uid === "" || known.has(uid);
    };
    const refused = studies.filter((pieces) => !isWelcome(pieces)).flat();
    return {
      welcome: studies.filter(isWelcome),
      refused: refused.map(({ path }) => ({ path, outcome: "refused", reason })),
    };
  }

  #note({ reason }: UploadRefused): void {
    if (reason === examLimitReached.code || reason === trialLimitReached.code) this.#fullBy = reason;
  }
}

function filePiece({ path, sizeBytes }: FoundFile): Piece {
  return {
    path,
    sizeBytes,
    async add(zip) {
      const fd = openFound(path);
      try {
        return await zip.addFile(fd);
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** Whether a file needs no second run. */
function isDone({ outcome }: FileReport): boolean {
  return outcome !== "refused";
}

function isKnown({ outcome }: FileReport): boolean {
  return outcome === "already there";
}

function refusalOf(error: unknown): string | undefined {
  if (error instanceof UploadRefused) return error.reason;
  return error instanceof ZipError ? error.code : undefined;
}
