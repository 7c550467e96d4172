import { expect, test } from "bun:test";
import { exportFileName } from "../../../src/server/features/export/export-ticket.ts";

test("an export is named by the day that it is in Brazil", () => {
  expect(exportFileName(new Date("2026-12-02T02:59:59Z"))).toBe("exameteca_2026-12-01.zip");
  expect(exportFileName(new Date("2026-12-02T03:00:00Z"))).toBe("exameteca_2026-12-02.zip");
  expect(exportFileName(new Date("2028-03-01T00:30:00Z"))).toBe("exameteca_2028-02-29.zip");
});
