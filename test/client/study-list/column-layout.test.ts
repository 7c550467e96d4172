import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  columnOrder,
  columnWidth,
  defaultLayout,
  fitColumns,
  MAX_COLUMN_WIDTH_PX,
  MIN_COLUMN_WIDTH_PX,
  MOVABLE_COLUMNS,
  moveColumn,
  parseColumnLayout,
  resizeColumn,
} from "../../../src/client/features/study-list/columns/column-layout.ts";

describe("the stored column layout", () => {
  test("is restored unchanged", () => {
    const moved = moveColumn(defaultLayout, "modality", "studyDate");
    const left = resizeColumn(moved, "studyDescription", 400);
    expect(parseColumnLayout(JSON.parse(JSON.stringify(left)))).toEqual(left);
  });

  test("never loses or duplicates a column, whatever was stored", () => {
    const kept = fc.record({
      order: fc.array(fc.oneof(fc.constantFrom(...MOVABLE_COLUMNS, "actions"), fc.string())),
      widths: fc.dictionary(fc.constantFrom(...MOVABLE_COLUMNS, "viewer", "x"), fc.double()),
    });
    fc.assert(
      fc.property(fc.oneof(kept, fc.anything()), (value) => {
        const { order, widths } = parseColumnLayout(value);
        expect(order.toSorted()).toEqual(MOVABLE_COLUMNS.toSorted());
        for (const [column, widthPx] of Object.entries(widths)) {
          expect(MOVABLE_COLUMNS as readonly string[]).toContain(column);
          expect(widthPx).toBeWithin(MIN_COLUMN_WIDTH_PX, MAX_COLUMN_WIDTH_PX + 1);
        }
      }),
    );
  });
});

test("a column takes the place of the column that it is dropped on, in both directions", () => {
  const right = moveColumn(defaultLayout, "studyDate", "modality");
  expect(right.order.slice(0, 3)).toEqual(["studyDescription", "modality", "studyDate"]);
  const left = moveColumn(right, "studyDate", "studyDescription");
  expect(left.order).toEqual(defaultLayout.order);
});

test("the patient stays first, the viewer and the actions stay last", () => {
  const order = columnOrder(moveColumn(defaultLayout, "laudo", "studyDate"));
  expect(order[0]).toBe("patientName");
  expect(order[1]).toBe("laudo");
  expect(order.slice(-2)).toEqual(["viewer", "actions"]);
});

test("no column gets narrower than 80 px, and each can be reset to its default width", () => {
  const narrow = resizeColumn(defaultLayout, "modality", 12);
  const room = { role: "user", isWide: true, hasPatients: false, density: "plain" } as const;
  expect(columnWidth(narrow, "modality", room)).toBe(80);
  const own = columnWidth(defaultLayout, "modality", room);
  expect(columnWidth(resizeColumn(narrow, "modality"), "modality", room)).toBe(own);
});

describe("a table that is too wide for its panel", () => {
  const all = columnOrder(defaultLayout);
  const ofUser = all.filter((column) => column !== "patientName" && column !== "storageStatus");

  test("keeps the descriptions readable while exams are chosen: each exam's own actions leave", () => {
    const columns = all.filter((column) => column !== "storageStatus");
    const room = { role: "user", isWide: false, hasPatients: true } as const;
    const counts = ["seriesCount", "imagesReceived"] as const;
    expect(fitColumns(columns, room, { widthPx: 654 })).toEqual({ density: "tight", left: counts });
    expect(fitColumns(columns, room, { widthPx: 654, isSelecting: true })).toEqual({
      density: "tight",
      left: [...counts, "actions"],
    });
    expect(fitColumns(columns, room, { widthPx: 1_300, isSelecting: true })).toMatchObject({ left: [] });
  });

  test("keeps the report: the counts and the storage leave, and icons take the place of words", () => {
    const room = { role: "user", isWide: false, hasPatients: false } as const;
    expect(fitColumns(ofUser, room, { widthPx: 1_100 })).toEqual({ density: "roomy", left: [] });
    expect(fitColumns(ofUser, room, { widthPx: 910 })).toEqual({ density: "plain", left: [] });
    expect(fitColumns(ofUser, room, { widthPx: 654 })).toEqual({
      density: "tight",
      left: ["seriesCount", "imagesReceived"],
    });
    // At 768 px the person may share from the row, also where there are several patients.
    for (const hasPatients of [false, true]) {
      const tight = { ...room, hasPatients, density: "tight" } as const;
      const columns = (hasPatients ? all : ofUser).filter(
        (column) => !["seriesCount", "imagesReceived", "storageStatus"].includes(column),
      );
      const sum = columns.reduce((px, column) => px + columnWidth(defaultLayout, column, tight), 0);
      expect(sum).toBeLessThanOrEqual(654);
      expect(columnWidth(defaultLayout, "actions", tight)).toBeGreaterThanOrEqual(2 * 32 + 4 + 2 * 8);
    }
    for (const widthPx of [320, 654, 900, 1_200]) {
      expect(
        fitColumns(all, { role: "admin", isWide: false, hasPatients: true }, { widthPx }).left,
      ).not.toContain("laudo");
    }
  });

  test("shows a date whole in either language and at any text size, beside the button that opens the row", () => {
    const [textPx, expanderPx] = [88, 32];
    for (const hasPatients of [false, true]) {
      for (const [density, paddingPx] of [
        ["roomy", 24],
        ["plain", 24],
        ["tight", 16],
      ] as const) {
        for (const textScale of [1, 1.5, 2]) {
          const room = { role: "user", isWide: true, hasPatients, density, textScale } as const;
          const neededPx = textPx * textScale + paddingPx + (hasPatients ? 0 : expanderPx);
          expect(columnWidth(defaultLayout, "studyDate", room)).toBeGreaterThanOrEqual(neededPx);
        }
      }
    }
  });

  test("drops columns earlier where the text is larger", () => {
    const room = { role: "user", isWide: true, hasPatients: false } as const;
    expect(fitColumns(ofUser, room, { widthPx: 1_200 }).density).toBe("roomy");
    expect(fitColumns(ofUser, { ...room, textScale: 1.5 }, { widthPx: 1_200 }).density).not.toBe("roomy");
  });

  test("is not tight before it is laid out, nor for columns that are not there", () => {
    const room = { role: "user", isWide: true, hasPatients: true } as const;
    expect(fitColumns(ofUser, room, { widthPx: undefined })).toEqual({ density: "roomy", left: [] });
    expect(fitColumns(ofUser, room, { widthPx: 300 }).left).not.toContain("storageStatus");
  });
});
