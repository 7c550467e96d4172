import "../../support/client/dom-globals.ts";
import { expect, spyOn, test } from "bun:test";
import type { Measure } from "../../../src/client/visor/core/measures.ts";
import { MeasureLayer } from "../../../src/client/visor/view/measure-layer.tsx";
import type { ShownPicture } from "../../../src/client/visor/view/use-picture.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import type { LookupTable } from "../../../src/shared/pixels/lookup-table.ts";
import { cleanup, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { ultrasound } from "../../support/ultrasound-regions.ts";

withDom();

const PLACEMENT = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };
/** What a CT that has a rescale declares. */
const CT: DicomJson = {
  [TagHex.Modality]: { vr: "CS", Value: ["CT"] },
  [TagHex.RescaleIntercept]: { vr: "DS", Value: [0] },
};
const [from, to] = [
  { x: 10, y: 20 },
  { x: 40, y: 60 },
];

interface Seen {
  kind?: Measure["kind"];
  spacing?: { rows: number; columns: number };
  pixelAspect?: number;
  isCoarse?: boolean;
  metadata?: DicomJson;
  rescale?: { slope: number; intercept: number };
  isAtDetector?: boolean;
  /** The size that the image declares, which is one pixel unless said otherwise, as its stream has. */
  declared?: { rows: number; columns: number };
  step?: number;
  supplement?: LookupTable[];
  padding?: { from: number; to: number };
}

/** The lines beside the only measure. */
const lines = () => [...document.querySelectorAll(".visor-measures tspan")].map((line) => line.textContent);

async function draw(
  measures: Measure[],
  {
    spacing,
    pixelAspect = 1,
    isCoarse = false,
    metadata = {},
    rescale = { slope: 1, intercept: 0 },
    isAtDetector,
    declared = { rows: 1, columns: 1 },
    step = 1,
    supplement,
    padding,
  }: Seen = {},
): Promise<void> {
  const slice = { key: "1/0", frameIndex: 0, geometry: { spacing, isAtDetector }, metadata };
  const indexes = Uint8Array.of(7);
  const known = { first: 0, step, levels: 256, lowest: 0, highest: 255 };
  const frame = { kind: "grey", rows: 1, columns: 1, indexes, ...known };
  const pixels = { ...declared, pixelAspect, rescale, supplement, padding };
  const shown = { slice, pixels, picture: { frame } } as unknown as ShownPicture;
  await renderClient(
    <MeasureLayer measures={measures} shown={shown} isCoarse={isCoarse} placement={PLACEMENT} />,
  );
}

async function textOf(
  points: Measure["points"],
  { kind = "length", ...seen }: Seen = {},
): Promise<string | null | undefined> {
  await draw([{ kind, sliceKey: "1/0", points }], seen);
  const text = document.querySelector(".visor-measures text")?.textContent;
  cleanup();
  return text;
}

test("a length says nothing before its second point, then its millimetres, or that the image has no scale", async () => {
  const spacing = { rows: 0.5, columns: 0.5 };
  expect(await textOf([from], { spacing })).toBe("");
  expect(await textOf([from, to], { spacing })).toBe("25 mm");
  expect(await textOf([from])).toBe("");
  expect(await textOf([from, to])).toBe("50 px, sem escala");
});

test("a length that was measured at the detector, or on a film, says so", async () => {
  const spacing = { rows: 0.5, columns: 0.5 };
  expect(await textOf([from, to], { spacing, isAtDetector: true })).toBe("25 mm no receptor");
});

test("a small length or area is not told as none", async () => {
  const spacing = { rows: 0.001, columns: 0.001 };
  expect(await textOf([from, to], { spacing })).toBe("0,05 mm");
  expect(await textOf([from, to], { kind: "region", spacing })).toBe("0,00094 mm²");
});

test("a length of ultrasound is in millimetres within a calibrated region, and in pixels beyond it", async () => {
  const metadata = ultrasound([{ from: [0, 0], to: [49, 69], delta: [0.05, 0.05] }]);
  expect(await textOf([from, to], { metadata })).toBe("25 mm");
  expect(await textOf([from, { x: 10, y: 80 }], { metadata })).toBe("60 px, sem escala");
  const spacing = { rows: 3, columns: 3 };
  expect(await textOf([from, to], { metadata, spacing })).toBe("25 mm");
});

test("a length has no scale where the stream has another size than the image declares", async () => {
  const declared = { rows: 2, columns: 1 };
  const spacing = { rows: 0.5, columns: 0.5 };
  expect(await textOf([from, to], { spacing, declared })).toBe("50 px, sem escala");
  const metadata = ultrasound([{ from: [0, 0], to: [49, 69], delta: [0.05, 0.05] }]);
  expect(await textOf([from, to], { metadata, declared })).toBe("50 px, sem escala");
});

test("two points at one place, and the same measurement twice, are drawn without a warning", async () => {
  const warned = spyOn(console, "error").mockImplementation(() => undefined);
  try {
    const measure: Measure = { kind: "length", sliceKey: "1/0", points: [from, from] };
    await draw([measure, measure]);
    expect(document.querySelectorAll(".visor-measures circle")).toHaveLength(4);
    expect(warned.mock.calls).toEqual([]);
  } finally {
    warned.mockRestore();
    cleanup();
  }
});

test("an angle is the one that is seen, also where pixels are higher than wide and have no scale", async () => {
  const corner = [
    { x: 10, y: 0 },
    { x: 0, y: 0 },
    { x: 10, y: 5 },
  ];
  expect(await textOf(corner, { kind: "angle", pixelAspect: 2 })).toBe("45°");
  const spacing = { rows: 0.4, columns: 0.2 };
  expect(await textOf(corner, { kind: "angle", spacing, pixelAspect: 2 })).toBe("45°");
});

test("a value is read from the whole image, not from the beginning of one that is still on its way", async () => {
  const points = [{ x: 0, y: 0 }];
  expect(await textOf(points, { kind: "probe", isCoarse: true })).toBe("…");
  expect(await textOf(points, { kind: "probe" })).toBe("7");
});

test("a value of CT is in Hounsfield units unless the image declares another", async () => {
  const points = [{ x: 0, y: 0 }];
  const unitOf = (metadata: DicomJson, modality = "CT") =>
    textOf(points, {
      kind: "probe",
      metadata: { ...CT, [TagHex.Modality]: { vr: "CS", Value: [modality] }, ...metadata },
    });
  const type = (value: string) => ({ [TagHex.RescaleType]: { vr: "LO", Value: [value] } });
  const inGroups = (value: string) => ({
    [TagHex.SharedFunctionalGroupsSequence]: {
      vr: "SQ",
      Value: [{ [TagHex.PixelValueTransformationSequence]: { vr: "SQ", Value: [type(value)] } }],
    },
  });
  expect(await unitOf({})).toBe("7 HU");
  expect(await unitOf(type("HU "))).toBe("7 HU");
  expect(await unitOf(type("Z_EFF"))).toBe("7");
  expect(await unitOf(inGroups("HU"))).toBe("7 HU");
  expect(await unitOf(inGroups("MGML"))).toBe("7");
  expect(await unitOf({}, "MR")).toBe("7");
});

test("a value of CT is in no unit where nothing says how Hounsfield units follow from it", async () => {
  const unitOf = (metadata: DicomJson) => textOf([{ x: 0, y: 0 }], { kind: "probe", metadata });
  const type = (tag: string, value: string) => ({ [tag]: { vr: "LO", Value: [value] } });
  expect(await unitOf({ [TagHex.Modality]: { vr: "CS", Value: ["CT"] } })).toBe("7");
  expect(await unitOf({ ...CT, ...type(TagHex.RescaleType, "") })).toBe("7 HU");
  const capture = { [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.5.1.4.1.1.7.2"] } };
  expect(await unitOf({ ...CT, ...capture })).toBe("7");
  expect(await unitOf({ ...CT, ...capture, ...type(TagHex.RescaleType, "HU") })).toBe("7 HU");
  const scout = { [TagHex.ImageType]: { vr: "CS", Value: ["ORIGINAL", "PRIMARY", "LOCALIZER"] } };
  expect(await unitOf({ ...CT, ...scout })).toBe("7");
  expect(await unitOf({ ...CT, ...scout, ...type(TagHex.RescaleType, "HU") })).toBe("7 HU");
  const table = (kind: string) => ({
    [TagHex.ModalityLUTSequence]: { vr: "SQ", Value: [type(TagHex.ModalityLUTType, kind)] },
  });
  expect(await unitOf({ ...CT, ...table("OD") })).toBe("7");
  expect(await unitOf({ ...CT, ...table("HU") })).toBe("7 HU");
});

test("a value of a planned dose is in gray, or relative where the plan says so", async () => {
  const doseIn = (units: string | undefined, scaling = 0.25, modality = "RTDOSE") =>
    textOf([{ x: 0, y: 0 }], {
      kind: "probe",
      metadata: {
        [TagHex.Modality]: { vr: "CS", Value: [modality] },
        ...(units && { [TagHex.DoseUnits]: { vr: "CS", Value: [units] } }),
        [TagHex.DoseGridScaling]: { vr: "DS", Value: [scaling] },
      },
    });
  expect(await doseIn("GY")).toBe("1,75 Gy");
  expect(await doseIn("GY", 6.123_456)).toBe("42,86 Gy");
  expect(await doseIn("RELATIVE")).toBe("1,75 (dose relativa)");
  expect(await doseIn(undefined)).toBe("7");
  expect(await doseIn("GY", 0)).toBe("7");
  expect(await doseIn("GY", 0.25, "CT")).toBe("7");
});

test("a dose is the stored value by its scaling alone, whatever rescale the file has beside it", async () => {
  const metadata = {
    [TagHex.Modality]: { vr: "CS", Value: ["RTDOSE"] },
    [TagHex.DoseUnits]: { vr: "CS", Value: ["GY"] },
    [TagHex.DoseGridScaling]: { vr: "DS", Value: [0.25] },
  };
  const rescale = { slope: 0.25, intercept: 3 };
  expect(await textOf([{ x: 0, y: 0 }], { kind: "probe", metadata, rescale })).toBe("1,75 Gy");
});

test("a value that is drawn as a colour is in no unit of its grey neighbours", async () => {
  const from = (first: number) => {
    const table = { first, bits: 8, entries: Uint16Array.of(255) } as LookupTable;
    return textOf([{ x: 0, y: 0 }], { kind: "probe", metadata: CT, supplement: [table, table, table] });
  };
  expect(await from(8)).toBe("7 HU");
  expect(await from(7)).toBe("7");
});

test("a value of more bits than are kept has no more digits than those tell", async () => {
  const points = [{ x: 0, y: 0 }];
  const valueAt = (step: number, slope = 1) =>
    textOf(points, { kind: "probe", step, rescale: { slope, intercept: 0 } });
  expect(await valueAt(0.123_456)).toBe("0,9");
  expect(await valueAt(123.456, 0.000_01)).toBe("0,009");
  expect(await valueAt(0.000_123_456)).toBe("0,0009");
  expect(await valueAt(4_096)).toBe("28.672");
});

test("a small value has the digits that tell it from others", async () => {
  const points = [{ x: 0, y: 0 }];
  const valueAt = (slope: number) => textOf(points, { kind: "probe", rescale: { slope, intercept: 0 } });
  expect(await valueAt(0.000_123_46)).toBe("0,0008642");
  expect(await valueAt(0.25)).toBe("1,75");
  expect(await valueAt(100.07)).toBe("700,5");
});

const region = (fromTo: Measure["points"]): Measure => ({ kind: "region", sliceKey: "1/0", points: fromTo });
/** An ellipse of 3.14 px² around the only pixel, whose value is 7. */
const around = [
  { x: -0.5, y: -0.5 },
  { x: 1.5, y: 1.5 },
];

test("a region says its area in the units of lengths, and the values inside in those of the image", async () => {
  const linesOf = async (seen: Seen, points = around) => {
    await draw([region(points)], seen);
    const found = lines();
    cleanup();
    return found;
  };
  const spacing = { rows: 0.5, columns: 2 };
  const value = ["Média 7 · DP 0", "Mín. 7 · Máx. 7"];
  expect(await linesOf({ spacing })).toEqual(["3,1 mm²", ...value]);
  expect(await linesOf({ spacing, isAtDetector: true })).toEqual(["3,1 mm² no receptor", ...value]);
  expect(await linesOf({ spacing, declared: { rows: 2, columns: 1 } })).toEqual([
    "3 px², sem escala",
    ...value,
  ]);
  expect(await linesOf({ pixelAspect: 2 })).toEqual(["6 px², sem escala", ...value]);
  expect(await linesOf({ metadata: CT })).toContain("Média 7 HU · DP 0");
  const colours = (first: number) => {
    const table = { first, bits: 8, entries: Uint16Array.of(255) } as LookupTable;
    return linesOf({ metadata: CT, supplement: [table, table, table] });
  };
  expect(await colours(8)).toContain("Média 7 HU · DP 0");
  expect(await colours(7)).toContain("Média 7 · DP 0");
  expect(await linesOf({}, [around[0], { x: 0.4, y: 0.4 }] as Measure["points"])).toEqual([
    "1 px², sem escala",
  ]);
  expect(await linesOf({}, [{ x: 0, y: 0 }])).toEqual([]);
});

test("a region of a planned dose says it in gray, with the digits that its values have", async () => {
  const metadata = {
    [TagHex.Modality]: { vr: "CS", Value: ["RTDOSE"] },
    [TagHex.DoseUnits]: { vr: "CS", Value: ["GY"] },
    [TagHex.DoseGridScaling]: { vr: "DS", Value: [0.25] },
  };
  await draw([region(around)], { metadata });
  expect(lines()).toEqual(["3 px², sem escala", "Média 1,75 Gy · DP 0", "Mín. 1,75 · Máx. 1,75"]);
  cleanup();
  await draw([region(around)], { step: 0.123_456 });
  expect(lines()).toEqual(["3 px², sem escala", "Média 0,9 · DP 0", "Mín. 0,9 · Máx. 0,9"]);
  cleanup();
});

test("a region of an image that is still on its way has its area alone", async () => {
  await draw([region(around)], { isCoarse: true });
  expect(lines()).toEqual(["3 px², sem escala", "…"]);
  cleanup();
});

test("a region of ultrasound has square millimetres within a calibrated region, and pixels where it leaves it", async () => {
  const metadata = ultrasound([{ from: [0, 0], to: [49, 69], delta: [0.05, 0.05] }]);
  const linesOf = async (points: Measure["points"]) => {
    await draw([region(points)], { metadata });
    const found = lines();
    cleanup();
    return found;
  };
  expect(await linesOf([from, to])).toEqual(["235,6 mm²"]);
  expect(await linesOf([from, { x: 40, y: 80 }])).toEqual(["1.414 px², sem escala"]);
});

test("a region of ultrasound has no scale where a picture of another scale reaches into it", async () => {
  const areaOver = async (inset: { from: [number, number]; to: [number, number] }, delta: number) => {
    const other = { ...inset, delta: [delta, delta] as [number, number] };
    const metadata = ultrasound([{ from: [0, 0], to: [99, 99], delta: [0.05, 0.05], flags: 1 }, other]);
    await draw([region([from, to])], { metadata });
    const [area] = lines();
    cleanup();
    return area;
  };
  // Within a corner of the ellipse, where none of its outermost places is; then beside it, within its box.
  expect(await areaOver({ from: [31, 48], to: [60, 90] }, 0.2)).toBe("942 px², sem escala");
  expect(await areaOver({ from: [31, 48], to: [60, 90] }, 0.05)).toBe("235,6 mm²");
  expect(await areaOver({ from: [38, 57], to: [60, 90] }, 0.2)).toBe("235,6 mm²");
});

test("a region leaves out the pixels that are padding, and its area does not", async () => {
  const value = { x: 0, y: 0 };
  const padding = { from: 5, to: 9 };
  await draw([region(around)], { padding });
  expect(lines()).toEqual(["3 px², sem escala"]);
  cleanup();
  expect(await textOf([value], { kind: "probe", padding })).toBe("7");
});
