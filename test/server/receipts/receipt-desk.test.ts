import { expect, test } from "bun:test";
import { createReceiptDesk } from "../../../src/server/features/receipts/receipt-desk.ts";
import type { ReceiptRow } from "../../../src/server/features/receipts/receipts.table.ts";
import { AppError } from "../../../src/server/http/app-error.ts";

const madeOf = "one moment";

test("an account that asks for many receipts at once keeps no other account from its own", async () => {
  using desk = createReceiptDesk();
  const { promise, resolve } = Promise.withResolvers<ReceiptRow>();
  const make = () => promise;
  const many = Array.from({ length: 64 }, (_, i) =>
    desk.receiptOf({ id: `study ${i}`, accountId: "many", madeOf }, make).then(
      () => "made",
      (error) => (error instanceof AppError ? error.kind.code : "failed"),
    ),
  );
  const other = desk.receiptOf({ id: "other", accountId: "other", madeOf }, make);
  resolve({} as ReceiptRow);
  expect(await other).toEqual({} as ReceiptRow);
  const told = await Promise.all(many);
  expect(told.filter((one) => one === "made").length).toBeGreaterThan(8);
  expect(new Set(told)).toEqual(new Set(["made", "reading.busy"]));
  // A refusal is not kept.
  expect(await desk.receiptOf({ id: "study 63", accountId: "many", madeOf }, make)).toEqual({} as ReceiptRow);
});
