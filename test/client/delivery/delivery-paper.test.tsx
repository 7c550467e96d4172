import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { DeliveryPaper } from "../../../src/client/features/delivery/delivery-paper.tsx";
import type { ReadStudy } from "../../../src/client/features/delivery/delivery-state.ts";
import type { Receipt } from "../../../src/shared/api/receipts.ts";
import { screen, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const receipt: Receipt = {
  ...{ version: 1, studyInstanceUID: "2.25.1", receivedAt: "2026-11-28T02:30:00.000Z", from: "Clínica" },
  ...{
    instances: [{ sopInstanceUID: "2.25.2", sha256: "0".repeat(64), sizeBytes: 9 }],
    root: "abcd".repeat(16),
  },
};
const people = { productName: "Exameteca", from: "Clínica", to: "Marina" };

test("the number of a paper has the day in Brasília on which it says that the exams came", async () => {
  await renderClient(<DeliveryPaper {...people} receipts={[{ receipt, qrCode: "data:," }]} />);
  expect(screen.getByText("27-11-2026, 23:30:00 (Brasília)")).toBeDefined();
  expect(screen.getByText("2026-11-27-ABCD-ABCD")).toBeDefined();
});

test("the date of an exam stays in one line of the paper, wherever it is named", async () => {
  const about = { studyInstanceUID: "2.25.1", description: "TC", examinedAt: "2026-11-20T08:40" };
  const exams = [receipt, { ...receipt, studyInstanceUID: "2.25.3", root: "dcba".repeat(16) }];
  await renderClient(
    <DeliveryPaper
      {...people}
      receipts={exams.map((one) => ({ receipt: one, qrCode: "data:," }))}
      studies={[{ about } as ReadStudy]}
    />,
  );
  const dates = screen.getAllByText("20-11-2026");
  expect(dates.map(({ className }) => className)).toEqual(["whitespace-nowrap", "whitespace-nowrap"]);
});
