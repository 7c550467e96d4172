import type { DicomJson, DicomJsonElement } from "../../../shared/dicom/dicom-json.ts";
import { numberOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { functionalGroups, imagerPixelSpacing } from "../../../shared/pixels/pixel-module.ts";

export type Vector = readonly [x: number, y: number, z: number];

/** Directions of growing columns and rows, as unit vectors in the patient: x to the left, y to the back, z to the head. */
export interface Directions {
  row: Vector;
  column: Vector;
}

/** Where an image lies in the patient (PS3.3 §C.7.6.2). */
export interface ImagePlane extends Directions {
  position: Vector | undefined;
}

/** Millimetres between the centres of two rows and of two columns. */
interface Spacing {
  rows: number;
  columns: number;
}

export interface SliceGeometry {
  plane: ImagePlane | undefined;
  /** Of the plane, else those that a radiograph declares, which has none. */
  directions: Directions | undefined;
  /** Millimetres along the normal of the plane. */
  location: number | undefined;
  frameOfReferenceUID: string | undefined;
  spacing: Spacing | undefined;
  /** The spacing was measured at the detector or on a film, so lengths in the patient may be shorter. */
  isAtDetector: boolean;
  thickness: number | undefined;
}

export function readGeometry(metadata: DicomJson, frameIndex: number): SliceGeometry {
  const groups = functionalGroups(metadata, frameIndex);
  const orientation = (groups(TagHex.PlaneOrientationSequence) ?? metadata)[TagHex.ImageOrientationPatient];
  const position = (groups(TagHex.PlanePositionSequence) ?? metadata)[TagHex.ImagePositionPatient];
  const measures = groups(TagHex.PixelMeasuresSequence) ?? metadata;
  const plane = planeOf(orientation, position);
  const inPatient = spacingOf(measures[TagHex.PixelSpacing]);
  const atDetector = spacingOf(imagerPixelSpacing(metadata, groups));
  const onFilm = spacingOf(metadata[TagHex.NominalScannedPixelSpacing]);
  return {
    plane,
    directions: plane ?? declaredDirections(metadata[TagHex.PatientOrientation]),
    location: plane?.position && dot(plane.position, normalOf(plane)),
    frameOfReferenceUID: textOf(metadata[TagHex.FrameOfReferenceUID]),
    spacing: inPatient ?? atDetector,
    // One that repeats the detector's or the film's was not corrected for the body's distance from it (PS3.3 §10.7.1.1).
    isAtDetector: !inPatient || [atDetector, onFilm].some((measured) => isSame(inPatient, measured)),
    thickness: positive(numberOf(measures[TagHex.SliceThickness])),
  };
}

function isSame(one: Spacing, other: Spacing | undefined): boolean {
  return one.rows === other?.rows && one.columns === other.columns;
}

function planeOf(
  orientation: DicomJsonElement | undefined,
  position: DicomJsonElement | undefined,
): ImagePlane | undefined {
  const row = unit(vectorOf(orientation, 0));
  const column = unit(vectorOf(orientation, 3));
  return row && column ? { row, column, position: vectorOf(position, 0) } : undefined;
}

/** Patient Orientation's letters (PS3.3 §C.7.6.1.1.1). */
const AXES = new Map<string, Vector>([
  ["L", [1, 0, 0]],
  ["R", [-1, 0, 0]],
  ["P", [0, 1, 0]],
  ["A", [0, -1, 0]],
  ["H", [0, 0, 1]],
  ["F", [0, 0, -1]],
]);
/** How much less each further letter counts: the first is the main direction. */
const LESS = 0.6;

function declaredDirections(element: DicomJsonElement | undefined): Directions | undefined {
  const [row, column] = [0, 1].map((place) => directionOf(element?.Value?.[place]));
  return row && column && Math.abs(dot(row, column)) < 0.99 ? { row, column } : undefined;
}

/** Undefined for what has no letters, others, or two of one axis. */
function directionOf(letters: unknown): Vector | undefined {
  if (typeof letters !== "string" || !/^[LRPAHF]{1,3}$/.test(letters.trim())) return undefined;
  const parts = [...letters.trim()].map((letter, place) => {
    const [x, y, z] = AXES.get(letter) ?? [0, 0, 0];
    return [x * LESS ** place, y * LESS ** place, z * LESS ** place] as const;
  });
  const sum = parts.reduce(([x, y, z], [a, b, c]) => [x + a, y + b, z + c], [0, 0, 0] as const);
  const isClear = sum.filter((part) => part !== 0).length === parts.length;
  return isClear ? unit(sum) : undefined;
}

function vectorOf(element: DicomJsonElement | undefined, from: number): Vector | undefined {
  const [x, y, z] = [0, 1, 2].map((place) => numberOf(element, from + place));
  return x === undefined || y === undefined || z === undefined ? undefined : [x, y, z];
}

/** Undefined for a vector without a direction. */
function unit(vector: Vector | undefined): Vector | undefined {
  if (!vector) return undefined;
  const length = Math.hypot(...vector);
  return length > 0.5 && length < 2
    ? [vector[0] / length, vector[1] / length, vector[2] / length]
    : undefined;
}

export function normalOf({ row, column }: ImagePlane): Vector {
  return [
    row[1] * column[2] - row[2] * column[1],
    row[2] * column[0] - row[0] * column[2],
    row[0] * column[1] - row[1] * column[0],
  ];
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function spacingOf(element: DicomJsonElement | undefined): Spacing | undefined {
  const [rows, columns] = [positive(numberOf(element)), positive(numberOf(element, 1))];
  return rows && columns ? { rows, columns } : undefined;
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 && value < 10_000 ? value : undefined;
}
