import { describe, expect, test } from "bun:test";
import { readGeometry } from "../../../src/client/visor/core/geometry.ts";
import { angleDegrees, lengthBetween } from "../../../src/client/visor/core/measures.ts";
import { edgesOf } from "../../../src/client/visor/core/orientation.ts";
import { draggedWindow, presetsFor } from "../../../src/client/visor/core/windows.ts";
import {
  flipped,
  keepSeen,
  NO_TURN,
  placementOf,
  resized,
  toPicture,
  toScreen,
  turnedRight,
  zoomAt,
} from "../../../src/client/visor/draw/placement.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

const stage = { columns: 100, rows: 50, pixelAspect: 1, width: 200, height: 200 };

describe("a picture on the screen", () => {
  test("fits, and its middle is in the middle, however it is turned", () => {
    for (const quarters of [0, 1, 2, 3]) {
      for (const isFlipped of [false, true]) {
        const placement = placementOf({ ...NO_TURN, quarters, isFlipped }, stage);
        const middle = toScreen(placement, { x: 50, y: 25 });
        expect([middle.x, middle.y].map(Math.round)).toEqual([100, 100]);
        const corners = [toScreen(placement, { x: 0, y: 0 }), toScreen(placement, { x: 100, y: 50 })];
        for (const { x, y } of corners) {
          expect(Math.min(x, y)).toBeGreaterThan(-0.01);
          expect(Math.max(x, y)).toBeLessThan(200.01);
        }
      }
    }
  });

  test("pixels that are higher than wide are drawn so", () => {
    const { a, d } = placementOf(NO_TURN, { ...stage, pixelAspect: 2 });
    expect(d / a).toBeCloseTo(2);
  });

  test("a quarter turn is clockwise, and a flip changes left and right of the screen", () => {
    const turned = toScreen(placementOf({ ...NO_TURN, quarters: 1 }, stage), { x: 50, y: 0 });
    expect(turned.x).toBeGreaterThan(100);
    const mirrored = toScreen(placementOf({ ...NO_TURN, isFlipped: true }, stage), { x: 0, y: 25 });
    expect(mirrored.x).toBeGreaterThan(100);
  });

  test("a flip changes left and right of what is seen, and leaves top and bottom, however it is turned and moved", () => {
    for (const quarters of [0, 1, 2, 3]) {
      for (const isFlipped of [false, true]) {
        const turn = { zoom: 2, panX: 30, panY: -20, quarters, isFlipped };
        const before = toScreen(placementOf(turn, stage), { x: 10, y: 5 });
        const after = toScreen(placementOf(flipped(turn), stage), { x: 10, y: 5 });
        expect(after.x).toBeCloseTo(stage.width - before.x);
        expect(after.y).toBeCloseTo(before.y);
        expect(flipped(flipped(turn))).toEqual(turn);
      }
    }
  });

  test("a quarter turn and a flip leave what is in the middle of the screen there", () => {
    for (const { width, height } of [stage, { width: 390, height: 628 }, { width: 1600, height: 700 }]) {
      const screen = { ...stage, width, height };
      const middle = { x: width / 2, y: height / 2 };
      for (const quarters of [0, 1, 2, 3]) {
        for (const isFlipped of [false, true]) {
          const turn = { zoom: 3, panX: 40, panY: -25, quarters, isFlipped };
          const before = toPicture(placementOf(turn, screen), middle);
          for (const next of [turnedRight(turn, screen), flipped(turn)]) {
            const after = toPicture(placementOf(next, screen), middle);
            expect(after.x).toBeCloseTo(before.x);
            expect(after.y).toBeCloseTo(before.y);
          }
        }
      }
    }
  });

  test("a screen of another size shows in its middle what was there before", () => {
    const phone = { ...stage, width: 390, height: 628 };
    for (const { width, height } of [
      { width: 668, height: 294 },
      { width: 195, height: 628 },
    ]) {
      const other = { ...stage, width, height };
      for (const quarters of [0, 1, 2, 3]) {
        const turn = { zoom: 3, panX: 40, panY: -25, quarters, isFlipped: false };
        const before = toPicture(placementOf(turn, phone), { x: 195, y: 314 });
        const moved = resized(turn, phone, other);
        const after = toPicture(placementOf(moved, other), { x: width / 2, y: height / 2 });
        expect(after.x).toBeCloseTo(before.x);
        expect(after.y).toBeCloseTo(before.y);
        const back = resized(moved, other, phone);
        expect(back.panX).toBeCloseTo(turn.panX);
        expect(back.panY).toBeCloseTo(turn.panY);
      }
    }
  });

  test("zooming keeps what is under the finger, and points lead back into the picture", () => {
    const at = { x: 30, y: -20 };
    const finger = { x: 130, y: 80 };
    const before = toPicture(placementOf(NO_TURN, stage), finger);
    const after = toPicture(placementOf(zoomAt(NO_TURN, 3, at), stage), finger);
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
  });
});

describe("a picture that is moved", () => {
  const phone = { columns: 512, rows: 512, pixelAspect: 1, width: 390, height: 628 };
  /** What is seen of the picture across and down, as a part of the screen or of the picture, whichever is smaller. */
  const covered = (turn: Parameters<typeof placementOf>[0], on: typeof phone) => {
    const placement = placementOf(turn, on);
    const [one, other] = [
      toScreen(placement, { x: 0, y: 0 }),
      toScreen(placement, { x: on.columns, y: on.rows }),
    ];
    const part = (from: number, to: number, screen: number) => {
      const [start, end] = [Math.min(from, to), Math.max(from, to)];
      return Math.max(0, Math.min(screen, end) - Math.max(0, start)) / Math.min(screen, end - start);
    };
    return [part(one.x, other.x, on.width), part(one.y, other.y, on.height)];
  };

  test("stays in sight, however far a finger moves it", () => {
    for (const zoom of [0.5, 1, 3, 20])
      for (const quarters of [0, 1])
        for (const [panX, panY] of [
          [9000, 9000],
          [-9000, 0],
          [0, -9000],
        ] as const) {
          const kept = keepSeen({ ...NO_TURN, zoom, quarters, panX, panY }, phone);
          for (const part of covered(kept, phone)) expect(part).toBeGreaterThan(0.749);
        }
  });

  test("stays in sight when the phone is turned", () => {
    const moved = keepSeen({ ...NO_TURN, zoom: 3, panX: 9000, panY: 9000 }, phone);
    const turned = { ...phone, width: 668, height: 294 };
    for (const part of covered(keepSeen(moved, turned), turned)) expect(part).toBeGreaterThan(0.749);
  });

  test("is left where it can be seen", () => {
    const turn = { ...NO_TURN, zoom: 3, panX: -480, panY: 300 };
    expect(keepSeen(turn, phone)).toBe(turn);
  });
});

describe("directions", () => {
  const axial = { row: [1, 0, 0], column: [0, 1, 0], position: undefined } as const;

  test("an axial slice has the patient's right at the left and anterior at the top", () => {
    expect(edgesOf(axial, NO_TURN)).toEqual({ left: ["R"], top: ["A"] });
  });

  test("they turn and flip with the picture", () => {
    expect(edgesOf(axial, { quarters: 1, isFlipped: false })).toEqual({ left: ["P"], top: ["R"] });
    expect(edgesOf(axial, { quarters: 0, isFlipped: true })).toEqual({ left: ["L"], top: ["A"] });
    expect(edgesOf(axial, flipped({ ...NO_TURN, quarters: 1 }))).toEqual({ left: ["A"], top: ["R"] });
  });

  /* PS3.3 §C.7.6.1.1.1 */
  test("are those that a radiograph without a plane declares", () => {
    const edges = (declared: unknown[], more: DicomJson = {}) => {
      const orientation = { [TagHex.PatientOrientation]: { vr: "CS", Value: declared } };
      const { directions } = readGeometry({ ...orientation, ...more }, 0);
      return directions && edgesOf(directions, NO_TURN);
    };
    expect(edges(["L", "F"])).toEqual({ left: ["R"], top: ["S"] });
    expect(edges(["A", "FR"])).toEqual({ left: ["P"], top: ["S", "L"] });
    expect(edges(["P ", "LH"])).toEqual({ left: ["A"], top: ["R", "I"] });
    const plane = { [TagHex.ImageOrientationPatient]: { vr: "DS", Value: [1, 0, 0, 0, 1, 0] } };
    expect(edges(["A", "F"], plane)).toEqual({ left: ["R"], top: ["A"] });
    // Half an orientation, one of an animal, or two that are one line say nothing.
    for (const none of [[], ["L"], [null, "F"], ["CR", "V"], ["L", "R"], ["LR", "F"]])
      expect(edges(none)).toBeUndefined();
  });
});

describe("measures", () => {
  const points = [
    { x: 0, y: 0 },
    { x: 3, y: 4 },
  ];

  test("are in the unit of the pixels' height and width, and nothing before the second point", () => {
    expect(lengthBetween(points, { rows: 2, columns: 1 })).toBeCloseTo(Math.hypot(3, 8));
    expect(lengthBetween(points.slice(0, 1), { rows: 2, columns: 1 })).toBe(0);
  });

  test("are of the detector where no spacing in the patient is declared, or one that only repeats the detector's or the film's", () => {
    const isAtDetector = (inPatient?: number[], imager?: number[], film?: number[]) =>
      readGeometry(
        {
          ...(inPatient && { [TagHex.PixelSpacing]: { vr: "DS", Value: inPatient } }),
          ...(imager && { [TagHex.ImagerPixelSpacing]: { vr: "DS", Value: imager } }),
          ...(film && { [TagHex.NominalScannedPixelSpacing]: { vr: "DS", Value: film } }),
        },
        0,
      ).isAtDetector;
    expect(isAtDetector(undefined, [0.2, 0.2])).toBe(true);
    expect(isAtDetector([0.2, 0.2], [0.2, 0.2])).toBe(true);
    expect(isAtDetector([0.15, 0.15], [0.2, 0.2])).toBe(false);
    expect(isAtDetector([0.2, 0.2])).toBe(false);
    expect(isAtDetector([0.2, 0.2], undefined, [0.2, 0.2])).toBe(true);
    expect(isAtDetector([0.15, 0.15], undefined, [0.2, 0.2])).toBe(false);
  });

  test("are of the detector where each frame of an enhanced image declares its spacing there", () => {
    const spaced = (spacing: number[]) => ({
      [TagHex.FramePixelDataPropertiesSequence]: {
        vr: "SQ",
        Value: [{ [TagHex.ImagerPixelSpacing]: { vr: "DS", Value: spacing } }],
      },
    });
    const frames = { vr: "SQ", Value: [spaced([0.3, 0.3]), spaced([0.2, 0.4])] };
    const metadata = { [TagHex.PerFrameFunctionalGroupsSequence]: frames };
    expect(readGeometry(metadata, 0)).toMatchObject({ spacing: { rows: 0.3 }, isAtDetector: true });
    expect(readGeometry(metadata, 1).spacing).toEqual({ rows: 0.2, columns: 0.4 });
    const shared = { [TagHex.SharedFunctionalGroupsSequence]: { vr: "SQ", Value: [spaced([0.3, 0.3])] } };
    expect(readGeometry(shared, 7)).toMatchObject({ spacing: { rows: 0.3 }, isAtDetector: true });
    const corrected = { ...shared, [TagHex.PixelSpacing]: { vr: "DS", Value: [0.2, 0.2] } };
    expect(readGeometry(corrected, 0)).toMatchObject({ spacing: { rows: 0.2 }, isAtDetector: false });
  });

  test("an angle is the smaller one", () => {
    const corner = [
      { x: 1, y: 0 },
      { x: 0, y: 0 },
      { x: 0, y: -1 },
    ];
    expect(angleDegrees(corner, { rows: 1, columns: 1 })).toBeCloseTo(90);
  });
});

describe("windows", () => {
  const limits = { lowest: -1_000, highest: 3_000 };

  test("grow to the right, move with the finger, and stay within the values of the image", () => {
    const window = { center: 40, width: 400 };
    const moved = draggedWindow(window, { x: 10, y: 5 }, limits);
    expect(moved.width).toBeGreaterThan(400);
    expect(moved.center).toBeGreaterThan(40);
    expect(draggedWindow(window, { x: -1e9, y: 0 }, limits).width).toBe(1);
    expect(draggedWindow(window, { x: 1e9, y: 0 }, limits).width).toBe(4_001);
  });

  test("of the body part come first, and only Hounsfield values have any", () => {
    expect(presetsFor("CT", "TC de crânio")[0]?.name).toBe("brain");
    expect(presetsFor("CT", "TC de tórax")[0]?.name).toBe("lung");
    expect(presetsFor("MR", "crânio")).toEqual([]);
  });
});
