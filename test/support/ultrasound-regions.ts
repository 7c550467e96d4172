import type { DicomJson } from "../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";

interface RegionOfTest {
  /** Column and row of its first and of its last pixel. */
  from: [number, number];
  to: [number, number];
  /** Of columns and of rows. */
  delta: [number, number];
  /** Centimetres unless said otherwise. */
  units?: [number, number];
  spatialFormat?: number;
  flags?: number;
}

/** The metadata of an ultrasound picture with these regions (PS3.3 §C.8.5.5). */
export function ultrasound(regions: RegionOfTest[], { rows = 100, columns = 100 } = {}): DicomJson {
  const number = (vr: string, value: number) => ({ vr, Value: [value] });
  const items = regions.map(({ from, to, delta, units = [3, 3], spatialFormat = 1, flags = 0 }) => ({
    [TagHex.RegionSpatialFormat]: number("US", spatialFormat),
    [TagHex.RegionFlags]: number("UL", flags),
    [TagHex.RegionLocationMinX0]: number("UL", from[0]),
    [TagHex.RegionLocationMinY0]: number("UL", from[1]),
    [TagHex.RegionLocationMaxX1]: number("UL", to[0]),
    [TagHex.RegionLocationMaxY1]: number("UL", to[1]),
    [TagHex.PhysicalUnitsXDirection]: number("US", units[0]),
    [TagHex.PhysicalUnitsYDirection]: number("US", units[1]),
    [TagHex.PhysicalDeltaX]: number("FD", delta[0]),
    [TagHex.PhysicalDeltaY]: number("FD", delta[1]),
  }));
  return {
    [TagHex.Rows]: number("US", rows),
    [TagHex.Columns]: number("US", columns),
    [TagHex.SequenceOfUltrasoundRegions]: { vr: "SQ", Value: items },
  };
}
