import { serveRequests } from "../../../processes/serve-requests.ts";
import { isOutOfSpace } from "../../../storage/disk/disk-room.ts";
import { buildUpload, removeBuild } from "./build-upload.ts";
import { guessVolume } from "./guess-volume.ts";
import { scanUpload } from "./scan-upload.ts";
import type { ScannedUpload } from "./scanned-upload.ts";
import { ArrivingFileSums } from "./sum-arriving.ts";
import { sumInflated } from "./sum-inflated.ts";
import { IngestRefused } from "./worker.errors.ts";
import type {
  BuildPlan,
  IngestLimits,
  WorkerReply,
  WorkerRequest,
  WorkerRequests,
  WorkerResults,
} from "./worker-messages.ts";

/*
 * The process in which uploads are read, started by `worker-process.ts`: one upload at a time, or several small ones, each with one
 * request at a time. A hostile file harms this process only.
 */

const LARGE_UPLOAD_BYTES = 64 * 1024 * 1024;

/** An upload this process works on. */
interface OpenUpload {
  uploadFolder: string;
  spoolPath: string;
  limits: IngestLimits;
  scanned?: ScannedUpload;
  lastPlan?: BuildPlan;
}

/** By the number of their session. */
const uploads = new Map<number, OpenUpload>();
/** The arriving file this process sums. */
let sums: ArrivingFileSums | undefined;

async function carryOut(request: WorkerRequest): Promise<WorkerResults[keyof WorkerResults]> {
  const { session } = request;
  switch (request.beat) {
    case "open":
      return open(session, request.body);
    case "scan":
      return scan(requireUpload(session), request.body.maxWeightBytes);
    case "build":
      return build(requireUpload(session), request.body);
    case "guess":
      return guessVolume(request.body);
    case "beginSums":
      return beginSums(request.body);
    case "sum":
      return requireSums().sum(request.body);
    case "endSums":
      return requireSums().volume();
    case "dispose":
      return dispose(session);
  }
}

async function open(
  session: number,
  { scannedAtOnceBytes, ended = [], ...opened }: WorkerRequests["open"],
): Promise<WorkerResults["open"]> {
  for (const other of ended) uploads.delete(other);
  uploads.set(session, opened);
  // Up to this weight no entry is large, so a scan writes nothing.
  const mostBytes = Math.min(scannedAtOnceBytes, opened.limits.maxHeldBytes);
  if (mostBytes > 0) {
    // The scan that is asked for says why an upload is refused, or weighs more.
    const result = await scan(opened, mostBytes).catch((error) => {
      if (!(error instanceof IngestRefused)) throw error;
    });
    if (result) return { inflatedBytes: 0, scan: result };
  }
  return { inflatedBytes: sumInflated(opened) };
}

function dispose(session: number): undefined {
  const isLarge = (uploads.get(session)?.scanned?.instanceBytes ?? 0) > LARGE_UPLOAD_BYTES;
  uploads.delete(session);
  sums?.[Symbol.dispose]();
  sums = undefined;
  // A full collection takes about 10 ms, too long to run after each of many small uploads.
  if (isLarge) Bun.gc(true);
}

function beginSums(begun: WorkerRequests["beginSums"]): undefined {
  sums = new ArrivingFileSums(begun);
}

function requireSums(): ArrivingFileSums {
  if (!sums) throw new IngestRefused("worker.failed", "no file is summed");
  return sums;
}

function requireUpload(session: number): OpenUpload {
  const upload = uploads.get(session);
  if (!upload) throw new IngestRefused("worker.failed", "no upload is open");
  return upload;
}

async function scan(opened: OpenUpload, maxWeightBytes: number): Promise<WorkerResults["scan"]> {
  const { uploadFolder, spoolPath, limits } = opened;
  const { scanned, result } = await scanUpload(uploadFolder, spoolPath, limits, maxWeightBytes);
  opened.scanned = scanned;
  return result;
}

async function build(opened: OpenUpload, plan: BuildPlan): Promise<WorkerResults["build"]> {
  const { uploadFolder, spoolPath, scanned, lastPlan } = opened;
  if (!scanned) throw new IngestRefused("worker.failed", "the upload was not scanned");
  if (lastPlan) await removeBuild(lastPlan, spoolPath);
  opened.lastPlan = plan;
  return buildUpload({ uploadFolder, spoolPath, scanned }, plan);
}

function failure(error: unknown): WorkerReply {
  if (error instanceof IngestRefused) return { ok: false, failure: error.failure, detail: error.detail };
  // The message is left out, since messages of the file system name paths.
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const name = error instanceof Error ? error.name : typeof error;
  return {
    ok: false,
    failure: isOutOfSpace(error) ? "disk.full" : "worker.failed",
    detail: `${name} ${code}`,
  };
}

serveRequests((request: WorkerRequest) =>
  carryOut(request).then((result): WorkerReply => ({ ok: true, result }), failure),
);
