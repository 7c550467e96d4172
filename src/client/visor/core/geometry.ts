import type { DicomJson, DicomJsonElement } from "../../../shared/dicom/dicom-json.ts";
import { numberOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { functionalGroups, imagerPixelSpacing } from "../../../shared/pixels/pixel-module.ts";

export type Vector = readonly [x: number, y: number, z: number];

/** Where an image lies in the patient (PS3.3 §C.7.6.2): x to the left, y to the back, z to the head. */
export interface ImagePlane {
  /** Directions of growing columns and rows, as unit vectors. */
  row: Vector;
  column: Vector;
  position: Vector | undefined;
}

/** Millimetres between the centres of two rows and of two columns. */
interface Spacing {
  rows: number;
  columns: number;
}

export interface SliceGeometry {
  plane: ImagePlane | undefined;
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
