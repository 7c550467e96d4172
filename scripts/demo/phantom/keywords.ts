import type { DicomElement, DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { dictionaryVr } from "../../../src/shared/dicom/reading/dictionary.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

/** The tags of the attributes that the phantoms carry, by keyword (PS3.6 §6). */
export const TAG_HEX = {
  ...TagHex,
  InstanceCreationDate: "00080012",
  InstanceCreationTime: "00080013",
  SeriesDate: "00080021",
  AcquisitionDate: "00080022",
  ContentDate: "00080023",
  SeriesTime: "00080031",
  AcquisitionTime: "00080032",
  ContentTime: "00080033",
  PresentationIntentType: "00080068",
  Manufacturer: "00080070",
  ReferringPhysicianName: "00080090",
  CodeValue: "00080100",
  CodingSchemeDesignator: "00080102",
  CodeMeaning: "00080104",
  StationName: "00081010",
  ManufacturerModelName: "00081090",
  AnatomicRegionSequence: "00082218",
  PatientAge: "00101010",
  ScanningSequence: "00180020",
  SequenceVariant: "00180021",
  ScanOptions: "00180022",
  MRAcquisitionType: "00180023",
  KVP: "00180060",
  RepetitionTime: "00180080",
  EchoTime: "00180081",
  InversionTime: "00180082",
  SpacingBetweenSlices: "00180088",
  MagneticFieldStrength: "00180087",
  EchoTrainLength: "00180091",
  DeviceSerialNumber: "00181000",
  SoftwareVersions: "00181020",
  ProtocolName: "00181030",
  HeartRate: "00181088",
  ReconstructionDiameter: "00181100",
  GantryDetectorTilt: "00181120",
  RotationDirection: "00181140",
  ExposureTime: "00181150",
  XRayTubeCurrent: "00181151",
  Exposure: "00181152",
  ConvolutionKernel: "00181210",
  FlipAngle: "00181314",
  BodyPartThickness: "001811A0",
  CompressionForce: "001811A2",
  PositionerType: "00181508",
  PositionerPrimaryAngle: "00181510",
  BreastImplantPresent: "00281300",
  PartialView: "00281350",
  PatientPosition: "00185100",
  ViewPosition: "00185101",
  RegionSpatialFormat: "00186012",
  RegionDataType: "00186014",
  RegionFlags: "00186016",
  RegionLocationMinX0: "00186018",
  RegionLocationMinY0: "0018601A",
  RegionLocationMaxX1: "0018601C",
  RegionLocationMaxY1: "0018601E",
  PhysicalUnitsXDirection: "00186024",
  PhysicalUnitsYDirection: "00186026",
  PhysicalDeltaX: "0018602C",
  PhysicalDeltaY: "0018602E",
  SequenceOfUltrasoundRegions: "00186011",
  DetectorType: "00187004",
  StudyID: "00200010",
  AcquisitionNumber: "00200012",
  PatientOrientation: "00200020",
  ImageLaterality: "00200062",
  PositionReferenceIndicator: "00201040",
  SliceLocation: "00201041",
  FrameIncrementPointer: "00280009",
  BurnedInAnnotation: "00280301",
  PixelIntensityRelationship: "00281040",
  PixelIntensityRelationshipSign: "00281041",
  LossyImageCompression: "00282110",
  OrganExposed: "00400318",
  AcquisitionContextSequence: "00400555",
  ViewCodeSequence: "00540220",
  ViewModifierCodeSequence: "00540222",
} as const;

/** Attribute values by DICOM keyword; `null` and the empty list give an element without a value. */
export type Attributes = {
  readonly [keyword in keyof typeof TAG_HEX]?: AttributeValue;
};

export type AttributeValue = null | string | number | readonly (string | number)[] | readonly Attributes[];

/** Turns values by keyword into elements by tag. `encode` gives the bytes of text in the data set's character set. */
export function toElements(
  attributes: Attributes,
  encode?: (vr: string, text: string) => Uint8Array | undefined,
): DicomElements {
  const elements: Record<string, DicomElement> = {};
  for (const [keyword, value] of Object.entries(attributes)) {
    const tagHex = TAG_HEX[keyword as keyof typeof TAG_HEX];
    const vr = dictionaryVr(Number.parseInt(tagHex, 16));
    elements[tagHex] = toElement(vr, value, encode);
  }
  return elements;
}

function toElement(
  vr: string,
  value: AttributeValue,
  encode: ((vr: string, text: string) => Uint8Array | undefined) | undefined,
): DicomElement {
  if (value === null) return { vr, Value: [] };
  const values: readonly (string | number | Attributes)[] = Array.isArray(value) ? value : [value];
  if (vr === "SQ") return { vr, Value: values.map((item) => toElements(item as Attributes, encode)) };
  const bytes = typeof value === "string" ? encode?.(vr, value) : undefined;
  if (bytes) return { vr, bytes };
  return { vr, Value: vr === "DS" ? values.map((number) => decimalString(Number(number))) : values };
}

/** At most 16 characters (PS3.5 §6.2, DS). */
function decimalString(value: number): string {
  return String(Number(value.toFixed(6)));
}
