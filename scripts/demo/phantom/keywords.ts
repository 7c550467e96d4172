import type { DicomElement, DicomElements } from "../dicom-writer.ts";

/** Tag and VR of the attributes the phantoms carry (PS3.6). */
const KEYWORDS = {
  SpecificCharacterSet: ["00080005", "CS"],
  ImageType: ["00080008", "CS"],
  InstanceCreationDate: ["00080012", "DA"],
  InstanceCreationTime: ["00080013", "TM"],
  SOPClassUID: ["00080016", "UI"],
  SOPInstanceUID: ["00080018", "UI"],
  StudyDate: ["00080020", "DA"],
  SeriesDate: ["00080021", "DA"],
  AcquisitionDate: ["00080022", "DA"],
  ContentDate: ["00080023", "DA"],
  StudyTime: ["00080030", "TM"],
  SeriesTime: ["00080031", "TM"],
  AcquisitionTime: ["00080032", "TM"],
  ContentTime: ["00080033", "TM"],
  AccessionNumber: ["00080050", "SH"],
  Modality: ["00080060", "CS"],
  PresentationIntentType: ["00080068", "CS"],
  Manufacturer: ["00080070", "LO"],
  InstitutionName: ["00080080", "LO"],
  ReferringPhysicianName: ["00080090", "PN"],
  CodeValue: ["00080100", "SH"],
  CodingSchemeDesignator: ["00080102", "SH"],
  CodeMeaning: ["00080104", "LO"],
  StationName: ["00081010", "SH"],
  StudyDescription: ["00081030", "LO"],
  SeriesDescription: ["0008103E", "LO"],
  ManufacturerModelName: ["00081090", "LO"],
  AnatomicRegionSequence: ["00082218", "SQ"],
  PatientName: ["00100010", "PN"],
  PatientID: ["00100020", "LO"],
  PatientBirthDate: ["00100030", "DA"],
  PatientSex: ["00100040", "CS"],
  PatientAge: ["00101010", "AS"],
  BodyPartExamined: ["00180015", "CS"],
  ScanningSequence: ["00180020", "CS"],
  SequenceVariant: ["00180021", "CS"],
  ScanOptions: ["00180022", "CS"],
  MRAcquisitionType: ["00180023", "CS"],
  SliceThickness: ["00180050", "DS"],
  KVP: ["00180060", "DS"],
  RepetitionTime: ["00180080", "DS"],
  EchoTime: ["00180081", "DS"],
  InversionTime: ["00180082", "DS"],
  SpacingBetweenSlices: ["00180088", "DS"],
  MagneticFieldStrength: ["00180087", "DS"],
  EchoTrainLength: ["00180091", "IS"],
  DeviceSerialNumber: ["00181000", "LO"],
  SoftwareVersions: ["00181020", "LO"],
  ProtocolName: ["00181030", "LO"],
  FrameTime: ["00181063", "DS"],
  HeartRate: ["00181088", "IS"],
  ReconstructionDiameter: ["00181100", "DS"],
  GantryDetectorTilt: ["00181120", "DS"],
  RotationDirection: ["00181140", "CS"],
  ExposureTime: ["00181150", "IS"],
  XRayTubeCurrent: ["00181151", "IS"],
  Exposure: ["00181152", "IS"],
  ImagerPixelSpacing: ["00181164", "DS"],
  ConvolutionKernel: ["00181210", "SH"],
  FlipAngle: ["00181314", "DS"],
  BodyPartThickness: ["001811A0", "DS"],
  CompressionForce: ["001811A2", "DS"],
  PositionerType: ["00181508", "CS"],
  PositionerPrimaryAngle: ["00181510", "DS"],
  BreastImplantPresent: ["00281300", "CS"],
  PartialView: ["00281350", "CS"],
  PatientPosition: ["00185100", "CS"],
  ViewPosition: ["00185101", "CS"],
  RegionSpatialFormat: ["00186012", "US"],
  RegionDataType: ["00186014", "US"],
  RegionFlags: ["00186016", "UL"],
  RegionLocationMinX0: ["00186018", "UL"],
  RegionLocationMinY0: ["0018601A", "UL"],
  RegionLocationMaxX1: ["0018601C", "UL"],
  RegionLocationMaxY1: ["0018601E", "UL"],
  PhysicalUnitsXDirection: ["00186024", "US"],
  PhysicalUnitsYDirection: ["00186026", "US"],
  PhysicalDeltaX: ["0018602C", "FD"],
  PhysicalDeltaY: ["0018602E", "FD"],
  SequenceOfUltrasoundRegions: ["00186011", "SQ"],
  DetectorType: ["00187004", "CS"],
  StudyInstanceUID: ["0020000D", "UI"],
  SeriesInstanceUID: ["0020000E", "UI"],
  StudyID: ["00200010", "SH"],
  SeriesNumber: ["00200011", "IS"],
  AcquisitionNumber: ["00200012", "IS"],
  InstanceNumber: ["00200013", "IS"],
  PatientOrientation: ["00200020", "CS"],
  ImagePositionPatient: ["00200032", "DS"],
  ImageOrientationPatient: ["00200037", "DS"],
  FrameOfReferenceUID: ["00200052", "UI"],
  ImageLaterality: ["00200062", "CS"],
  PositionReferenceIndicator: ["00201040", "LO"],
  SliceLocation: ["00201041", "DS"],
  SamplesPerPixel: ["00280002", "US"],
  PhotometricInterpretation: ["00280004", "CS"],
  PlanarConfiguration: ["00280006", "US"],
  NumberOfFrames: ["00280008", "IS"],
  FrameIncrementPointer: ["00280009", "AT"],
  Rows: ["00280010", "US"],
  Columns: ["00280011", "US"],
  PixelSpacing: ["00280030", "DS"],
  BitsAllocated: ["00280100", "US"],
  BitsStored: ["00280101", "US"],
  HighBit: ["00280102", "US"],
  PixelRepresentation: ["00280103", "US"],
  BurnedInAnnotation: ["00280301", "CS"],
  PixelIntensityRelationship: ["00281040", "CS"],
  PixelIntensityRelationshipSign: ["00281041", "SS"],
  WindowCenter: ["00281050", "DS"],
  WindowWidth: ["00281051", "DS"],
  RescaleIntercept: ["00281052", "DS"],
  RescaleSlope: ["00281053", "DS"],
  RescaleType: ["00281054", "LO"],
  LossyImageCompression: ["00282110", "CS"],
  AcquisitionContextSequence: ["00400555", "SQ"],
  ViewCodeSequence: ["00540220", "SQ"],
  ViewModifierCodeSequence: ["00540222", "SQ"],
  PresentationLUTShape: ["20500020", "CS"],
} as const satisfies Record<string, readonly [tagHex: string, vr: string]>;

/** Attribute values by DICOM keyword; `null` and the empty list give an element without a value. */
export type Attributes = {
  readonly [keyword in keyof typeof KEYWORDS]?: AttributeValue;
};

export type AttributeValue = null | string | number | readonly (string | number)[] | readonly Attributes[];

/** Turns values by keyword into elements by tag. `encode` gives the bytes of text in the data set's character set. */
export function toElements(
  attributes: Attributes,
  encode?: (vr: string, text: string) => Uint8Array | undefined,
): DicomElements {
  const elements: Record<string, DicomElement> = {};
  for (const [keyword, value] of Object.entries(attributes)) {
    const [tagHex, vr] = KEYWORDS[keyword as keyof typeof KEYWORDS];
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
