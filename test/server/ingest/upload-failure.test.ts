import { expect, test } from "bun:test";
import { uploadFailure } from "../../../src/server/features/ingest/upload-failure.ts";
import { IngestBusy, IngestRefused } from "../../../src/server/features/ingest/worker/worker.errors.ts";
import type { IngestFailure } from "../../../src/server/features/ingest/worker/worker-messages.ts";
import { AppError } from "../../../src/server/http/app-error.ts";

/** Status, code and reason of the answer; `itself` where the error is not the upload's. */
function answerOf(error: unknown): unknown[] | "itself" {
  const answer = uploadFailure(error);
  if (answer === error) return "itself";
  if (!(answer instanceof AppError)) throw new TypeError("neither the error nor an answer");
  const reason = answer.options.members?.reason;
  return [answer.kind.status, answer.kind.code, ...(reason === undefined ? [] : [reason])];
}

test("each refusal of a worker has the answer of its class", () => {
  const answers: Record<IngestFailure, unknown[] | "itself"> = {
    "zip.not_zip": [422, "upload.unreadable", "zip.not_zip"],
    "zip.malformed": [422, "upload.unreadable", "zip.malformed"],
    "zip.multi_disk": [422, "upload.unreadable", "zip.multi_disk"],
    "zip.overlap": [422, "upload.unreadable", "zip.overlap"],
    "zip.too_many_entries": [422, "upload.too_complex", "zip.too_many_entries"],
    "zip.directory_too_large": [422, "upload.too_complex", "zip.directory_too_large"],
    "upload.too_large_inflated": [422, "upload.too_complex", "upload.too_large_inflated"],
    "upload.too_many_instances": [422, "upload.too_complex", "upload.too_many_instances"],
    "upload.too_many_studies": [422, "upload.too_complex", "upload.too_many_studies"],
    "upload.too_much_metadata": [422, "upload.too_complex", "upload.too_much_metadata"],
    "upload.too_much_memory": [422, "upload.too_complex", "upload.too_much_memory"],
    "upload.series_too_large": [422, "upload.series_too_large"],
    "disk.full": [507, "storage.full"],
    "upload.over_quota": "itself",
    "upload.heavy": "itself",
    "manifest.damaged": "itself",
    "volume.of_another_study": "itself",
    "worker.lost": [503, "upload.process_lost"],
    "worker.slow": "itself",
    "worker.failed": "itself",
  };
  const failures = Object.keys(answers) as IngestFailure[];
  const given = failures.map((failure) => [failure, answerOf(new IngestRefused(failure, "detail"))]);
  expect(Object.fromEntries(given)).toEqual(answers);
});

test("a full disk, a busy pool and a sender who left have answers of their own", () => {
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const overQuota = Object.assign(new Error("quota"), { code: "EDQUOT" });
  expect([full, overQuota, new IngestBusy(), new DOMException("gone", "AbortError")].map(answerOf)).toEqual([
    [507, "storage.full"],
    [507, "storage.full"],
    [429, "upload.too_many"],
    [400, "upload.interrupted"],
  ]);
  expect(answerOf(new Error("a defect"))).toBe("itself");
});
