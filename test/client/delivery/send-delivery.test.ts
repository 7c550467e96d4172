import "../../support/client/dom-globals.ts";
import { beforeEach, expect, test } from "bun:test";
import type { Delivered } from "../../../src/client/features/delivery/delivery-state.ts";
import {
  keepDelivery,
  keyOfPlanned,
  noteArrived,
  noteRefused,
  readDelivery,
} from "../../../src/client/features/delivery/kept-delivery.ts";
import { afterArrival } from "../../../src/client/features/delivery/open-delivery.ts";
import { sendDelivery } from "../../../src/client/features/delivery/send-delivery.ts";
import type { PlannedUpload } from "../../../src/client/features/upload/draft/plan-uploads.ts";
import { packedSizeBytes } from "../../../src/client/features/upload/pack-folder/pack-folder.ts";
import { saveRecord } from "../../../src/client/features/upload/send/resume-records.ts";
import type { ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import { planOf } from "../../support/app/prepare-upload.ts";
import { withDom } from "../../support/client/dom.ts";
import { answerCalls } from "../../support/client/render-view.tsx";
import { folderFiles } from "../../support/client/upload-files.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

withDom();

const request = { label: "Hospital", shownName: "Marina G.", expiresAt: "2026-12-01T00:00:00.000Z" };
const at = { createdAt: "2026-11-20T12:00:00.000Z", expiresAt: "2026-11-27T12:00:00.000Z" };
const uploads: ResumableUploadState[] = [];

const upload = (id: string, more: Partial<ResumableUploadState>): ResumableUploadState => ({
  ...{ id, filename: "CD.zip", sizeBytes: 10, offset: 10, state: "done", ...at },
  ...more,
});
const result: Delivered["answer"] = {
  ...{ studyInstanceUID: "2.25.1", studies: [], instancesReceived: 1 },
  ...{ skipped: [], skippedCount: 0, conflicts: [], conflictCount: 0 },
};
const done = (id: string) => upload(id, { result });

beforeEach(() => uploads.splice(0));

/** A folder of three exams, each as large as an upload may be. */
async function parts(): Promise<readonly PlannedUpload[]> {
  const instances = ["1", "2", "3"].map((study) => [`IM${study}`, sampleInstance({ study })]);
  const files = folderFiles(Object.fromEntries(instances));
  const picked = { kind: "folder", name: "CD", files } as const;
  return (await planOf([picked], packedSizeBytes(files.slice(0, 1)) + 50)).uploads;
}

function keep(total: number, arrived: { key: string; uploadId: string }[]) {
  keepDelivery("r", { token: "dlv_x", from: "Hospital", request, batch: { total, arrived } });
}

/** Sends until the first upload is to be packed; returns the calls before that and the names of its files. */
async function send(planned: readonly PlannedUpload[]) {
  const calls = answerCalls({
    "GET /api/uploads": () => Response.json(uploads),
    "DELETE /api/uploads/u9": () => new Response(null, { status: 204 }),
  });
  let packed: string[] | undefined;
  const sending = sendDelivery(planned, {
    requestId: "r",
    onProgress() {},
    onPacking() {},
    async pack(files) {
      packed ??= files.map(({ path }) => path);
      throw new Error("far enough");
    },
    signal: new AbortController().signal,
  });
  await sending.catch(({ message }) => expect(message).toBe("far enough"));
  return { calls, packed };
}

test("of what is picked again only the parts that have not arrived are sent", async () => {
  const planned = await parts();
  const arrived = planned.map((one, n) => ({ key: keyOfPlanned(one), uploadId: `u${n}` }));
  keep(3, arrived.slice(0, 2));
  expect((await send(planned)).packed).toEqual(["IM3"]);
  keep(3, arrived.slice(0, 2));
  expect((await send(planned.slice(0, 2))).packed).toBeUndefined();
});

test("an upload with unknown exams is sent again", async () => {
  const [first] = await parts();
  if (!first) throw new Error("no parts");
  for (const unknown of [
    { ...first, isComplete: false },
    { ...first, exams: [] },
  ]) {
    expect(keyOfPlanned(unknown)).toBe("");
    keep(2, [{ key: "", uploadId: "u1" }]);
    expect((await send([unknown])).packed).toEqual(["IM1"]);
  }
});

test("what an earlier page began and nobody goes on with makes room", async () => {
  keep(3, []);
  uploads.push(upload("u9", { state: "receiving", offset: 1 }));
  saveRecord({
    ...{ id: "row", userId: "r", path: "/api/uploads/u9", kind: "folder", sizeBytes: 10 },
    ...{ isPaused: false, savedAt: Date.now(), samples: [] },
  });
  expect((await send(await parts())).calls).toEqual(["GET /api/uploads", "DELETE /api/uploads/u9"]);
});

test("the receipt comes once every part has arrived; until then the page asks for the others", async () => {
  keep(2, []);
  uploads.push(done("u1"));
  answerCalls({ "GET /api/uploads": () => Response.json(uploads) });
  noteArrived("r", "u1");
  noteArrived("r", "u1");
  expect(readDelivery("r")?.batch?.arrived).toHaveLength(1);
  expect(await afterArrival("r", request)).toMatchObject({ step: "pick", parts: { arrived: 1, total: 2 } });
  uploads.unshift(done("u2"));
  noteArrived("r", "u2");
  expect(await afterArrival("r", request)).toMatchObject({
    step: "done",
    delivered: [{ uploadId: "u1" }, { uploadId: "u2" }],
  });
});

test("what the server did not keep is told beside the receipt, and nothing waits for it", async () => {
  const refused = { fileName: "ruim.zip", message: "O arquivo ZIP está danificado." };
  answerCalls({ "GET /api/uploads": () => Response.json(uploads) });
  uploads.push(done("u1"));
  keep(2, []);
  noteRefused("r", refused);
  expect(await afterArrival("r", request)).toMatchObject({ step: "pick", refused: [refused] });
  noteArrived("r", "u1");
  expect(await afterArrival("r", request)).toMatchObject({ step: "done", refused: [refused] });
});
