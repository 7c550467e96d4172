import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import {
  keepDelivery,
  noteArrived,
  unfinishedBatch,
} from "../../../src/client/features/delivery/kept-delivery.ts";
import { receiptOf } from "../../../src/client/features/delivery/open-delivery.ts";
import { saveRecord } from "../../../src/client/features/upload/send/resume-records.ts";
import type { ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

const request = { label: "Hospital", shownName: "Marina G.", expiresAt: "2026-12-01T00:00:00.000Z" };
const answer = { studies: [], skipped: [], conflicts: [] } as unknown as ResumableUploadState["result"];
const done = (id: string) => ({ id, state: "done", result: answer }) as ResumableUploadState;

function deliveredOf(batch: { total: number; arrived: { key: string; uploadId: string }[] } | undefined) {
  keepDelivery("r", { token: "dlv_x", from: "Hospital", request, batch });
  const receipt = receiptOf("r", request, ["c", "b", "a"].map(done));
  return receipt?.delivered.map(({ uploadId }) => uploadId);
}

test("a receipt has all parts of what was picked last, and nothing that was delivered before", () => {
  const arrived = ["b", "c"].map((uploadId) => ({ key: "", uploadId }));
  expect(deliveredOf({ total: 2, arrived })).toEqual(["b", "c"]);
});

test("where nothing arrived of what was picked last, the receipt of what arrived before it is still there", () => {
  expect(deliveredOf({ total: 1, arrived: [] })).toEqual(["c"]);
  expect(deliveredOf(undefined)).toEqual(["c"]);
  expect(receiptOf("r", request, [])).toBeUndefined();
});

test("an upload that arrives beside the one that is sent, from another page, is not taken for it", () => {
  const kind = "zip" as const;
  const row = { userId: "r", kind, sizeBytes: 1, isPaused: false, savedAt: Date.now(), samples: [] };
  for (const id of ["a", "b"]) saveRecord({ ...row, id: `row ${id}`, path: `/api/uploads/${id}` });
  const arrivedAs = (uploadId: string) => {
    const batch = { total: 2, arrived: [], sending: { key: "part b", rowId: "row b" } };
    keepDelivery("r", { token: "dlv_x", from: "Hospital", request, batch });
    noteArrived("r", uploadId);
    return unfinishedBatch("r")?.arrived;
  };
  expect(arrivedAs("a")).toEqual([{ key: "", uploadId: "a" }]);
  expect(arrivedAs("b")).toEqual([{ key: "part b", uploadId: "b" }]);
});
