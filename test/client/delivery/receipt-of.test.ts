import "../../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { keepDelivery } from "../../../src/client/features/delivery/kept-delivery.ts";
import { receiptOf } from "../../../src/client/features/delivery/open-delivery.ts";
import type { ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import { withDom } from "../../support/dom.ts";

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
