import type { DicomJson, DicomJsonElement } from "../dicom/dicom-json.ts";
import { numberOf, textOf } from "../dicom/json-values.ts";
import { TagHex } from "../dicom/tags.ts";
import { type LookupTable, lookupTable, withSign } from "./lookup-table.ts";

/** Which values are drawn from black to white (PS3.3 §C.11.2.1.2). */
export interface Window {
  center: number;
  width: number;
  shape?: "linear" | "linearExact" | "sigmoid";
}

export interface NamedWindow extends Window {
  /** As the instance calls it; empty if it does not. */
  name: string;
}

/** The attributes that describe the pixels of one of an instance's frames. */
export interface PixelModule {
  rows: number;
  columns: number;
  samplesPerPixel: number;
  photometricInterpretation: string;
  bitsAllocated: number;
  bitsStored: number;
  highBit: number;
  isSigned: boolean;
  /** All samples of one colour follow those of another; otherwise the colours of one pixel are side by side. */
  isPlanar: boolean;
  /** `words`: bytes of 16-bit words, whatever the samples are. */
  pixelDataAs: "bytes" | "words" | "float" | "double";
  rescale: { slope: number; intercept: number };
  modalityTable?: LookupTable;
  /** The first that the instance proposes; `readProposals` has the others. */
  window?: Window;
  voiTable?: LookupTable;
  /** Whether small values are bright. */
  isInverted: boolean;
  /** One table each for red, green and blue. */
  palette?: [LookupTable, LookupTable, LookupTable];
  /** The same of a grey image whose values from the first that the tables have on are colours. */
  supplement?: [LookupTable, LookupTable, LookupTable];
  /** Stored values of pixels outside of the picture. */
  padding?: { from: number; to: number };
  /** Height of a pixel divided by its width. */
  pixelAspect: number;
}

const WITH_PALETTE: ReadonlySet<string> = new Set(["PALETTE COLOR", "ARGB"]);
const MAX_PIXEL_ASPECT = 8;
/** Floating-point numbers have the width of their kind; Bits Allocated need not say it (PS3.3 §C.7.6.24, §C.7.6.25). */
const FLOAT_BITS: { readonly [As in PixelModule["pixelDataAs"]]?: number } = { float: 32, double: 64 };

/**
 * Reads the Image Pixel, LUT and functional group modules (PS3.3 §C.7.6.3, §C.11, §C.7.6.16.2) for one frame. A missing attribute
 * takes the value that shows most.
 */
export function readPixelModule(metadata: DicomJson, frameIndex: number): PixelModule {
  const groups = functionalGroups(metadata, frameIndex);
  const pixelValues = groups(TagHex.PixelValueTransformationSequence) ?? metadata;
  const voi = voiModule(metadata, frameIndex);
  const dataAs = pixelDataAs(metadata);
  const floatBits = FLOAT_BITS[dataAs];
  const bitsAllocated = floatBits ?? numberOf(metadata[TagHex.BitsAllocated]) ?? 8;
  const bitsStored = floatBits ?? numberOf(metadata[TagHex.BitsStored]) ?? bitsAllocated;
  const photometricInterpretation = textOf(metadata[TagHex.PhotometricInterpretation]) ?? "MONOCHROME2";
  const shape = textOf(metadata[TagHex.PresentationLUTShape]);
  const isSigned = numberOf(metadata[TagHex.PixelRepresentation]) === 1;
  const rescale = {
    slope: boundedOf(pixelValues[TagHex.RescaleSlope]) || 1,
    intercept: boundedOf(pixelValues[TagHex.RescaleIntercept]) ?? 0,
  };
  const lowest = lowestStored({ isSigned, bitsStored });
  const modalityTable = tableOf(itemOf(metadata[TagHex.ModalityLUTSequence]), lowest);
  return {
    rows: numberOf(metadata[TagHex.Rows]) ?? 0,
    columns: numberOf(metadata[TagHex.Columns]) ?? 0,
    samplesPerPixel: numberOf(metadata[TagHex.SamplesPerPixel]) ?? 1,
    photometricInterpretation,
    bitsAllocated,
    bitsStored: Math.min(bitsStored, bitsAllocated),
    highBit: numberOf(metadata[TagHex.HighBit]) ?? bitsStored - 1,
    isSigned,
    isPlanar: numberOf(metadata[TagHex.PlanarConfiguration]) === 1,
    pixelDataAs: dataAs,
    rescale,
    modalityTable,
    window: windowsOf(voi)[0],
    voiTable: tableOf(
      itemOf(voi[TagHex.VOILUTSequence]),
      lowestValue({ isSigned, bitsStored, rescale, modalityTable }),
    ),
    isInverted: shape === undefined ? photometricInterpretation === "MONOCHROME1" : shape === "INVERSE",
    palette: WITH_PALETTE.has(photometricInterpretation) ? paletteOf(metadata, lowest) : undefined,
    supplement: isSupplemented(metadata, groups) ? paletteOf(metadata, lowest) : undefined,
    padding: floatBits ? floatPaddingOf(metadata, dataAs) : paddingOf(metadata, lowest),
    pixelAspect: pixelAspectOf(metadata, groups),
  };
}

/** The data set or item with the VOI LUT attributes of a frame (PS3.3 §C.11.2, §C.7.6.16.2.10). */
export function voiModule(metadata: DicomJson, frameIndex: number): DicomJson {
  return functionalGroups(metadata, frameIndex)(TagHex.FrameVOILUTSequence) ?? metadata;
}

function lowestStored({ isSigned, bitsStored }: Pick<PixelModule, "isSigned" | "bitsStored">): number {
  return isSigned ? -(2 ** (bitsStored - 1)) : 0;
}

/** The lowest value, in the modality's unit, that a stored one may stand for. */
export function lowestValue(
  pixels: Pick<PixelModule, "isSigned" | "bitsStored" | "rescale" | "modalityTable">,
): number {
  const { bitsStored, rescale, modalityTable } = pixels;
  if (modalityTable) return 0;
  const lowest = lowestStored(pixels);
  const ends = [lowest, lowest + 2 ** bitsStored - 1];
  return Math.min(...ends.map((stored) => stored * rescale.slope + rescale.intercept));
}

/** More than any unit needs; values beyond would end as infinite ones. */
const MAX_RESCALE = 1e12;

function boundedOf(element: DicomJsonElement | undefined): number | undefined {
  const number = numberOf(element);
  return number !== undefined && Math.abs(number) <= MAX_RESCALE ? number : undefined;
}

/** Whether the frame is best seen with its Supplemental Palette Color LUTs (PS3.3 §C.8.16.2.1.1). */
function isSupplemented(metadata: DicomJson, groups: (tag: string) => DicomJson | undefined): boolean {
  if (!textOf(metadata[TagHex.PhotometricInterpretation])?.startsWith("MONOCHROME")) return false;
  const ofFrame = groups(TagHex.MRImageFrameTypeSequence) ?? groups(TagHex.CTImageFrameTypeSequence);
  return (
    textOf((ofFrame ?? metadata)[TagHex.PixelPresentation] ?? metadata[TagHex.PixelPresentation]) === "COLOR"
  );
}

/** Finds a macro's item in the frame's own functional groups, else in those shared by all frames. */
export function functionalGroups(
  metadata: DicomJson,
  frameIndex: number,
): (tag: string) => DicomJson | undefined {
  const own = itemOf(metadata[TagHex.PerFrameFunctionalGroupsSequence], frameIndex);
  const shared = itemOf(metadata[TagHex.SharedFunctionalGroupsSequence]);
  return (tag) => itemOf(own?.[tag]) ?? itemOf(shared?.[tag]);
}

function pixelDataAs(metadata: DicomJson): PixelModule["pixelDataAs"] {
  if (metadata[TagHex.FloatPixelData]) return "float";
  if (metadata[TagHex.DoubleFloatPixelData]) return "double";
  return metadata[TagHex.PixelData]?.vr === "OW" ? "words" : "bytes";
}

/** More windows than any instance proposes. */
const MAX_WINDOWS = 16;

/** The windows that show anything, each with the name that the instance gives it, which may be empty. */
export function windowsOf(voi: DicomJson): NamedWindow[] {
  const count = Math.min(MAX_WINDOWS, voi[TagHex.WindowCenter]?.Value?.length ?? 0);
  return Array.from({ length: count }, (_, place) => {
    const window = windowOf(voi, place);
    const name = voi[TagHex.WindowCenterWidthExplanation]?.Value?.[place];
    return window ? [{ ...window, name: typeof name === "string" ? name.trim() : "" }] : [];
  }).flat();
}

function windowOf(voi: DicomJson, place: number): Window | undefined {
  const declared = SHAPES.get(textOf(voi[TagHex.VOILUTFunction]) ?? "") ?? "linear";
  const center = numberOf(voi[TagHex.WindowCenter], place);
  const width = numberOf(voi[TagHex.WindowWidth], place);
  if (center === undefined || width === undefined || width <= 0) return undefined;
  if (Math.abs(center) > MAX_RESCALE || width > MAX_RESCALE) return undefined;
  // LINEAR has none so narrow (PS3.3 §C.11.2.1.2.1): who writes one means the values themselves.
  return { center, width, shape: declared === "linear" && width < 1 ? "linearExact" : declared };
}

/** A map, because an instance may have any text here: `constructor` is a member of each object. */
const SHAPES = new Map<string, Window["shape"]>([
  ["LINEAR_EXACT", "linearExact"],
  ["SIGMOID", "sigmoid"],
]);

function paddingOf(metadata: DicomJson, lowest: number): PixelModule["padding"] {
  const declared = numberOf(metadata[TagHex.PixelPaddingValue]);
  if (declared === undefined) return undefined;
  const value = withSign(declared, lowest);
  return between(value, withSign(numberOf(metadata[TagHex.PixelPaddingRangeLimit]) ?? value, lowest));
}

/** Numbers with fractions have a padding of their own kind (PS3.3 §C.7.6.24, §C.7.6.25). */
function floatPaddingOf(metadata: DicomJson, dataAs: PixelModule["pixelDataAs"]): PixelModule["padding"] {
  const kind = dataAs === "double" ? "DoubleFloat" : "Float";
  const value = numberOf(metadata[TagHex[`${kind}PixelPaddingValue`]]);
  const limit = numberOf(metadata[TagHex[`${kind}PixelPaddingRangeLimit`]]);
  return value === undefined ? undefined : between(value, limit ?? value);
}

function between(one: number, other: number): PixelModule["padding"] {
  return { from: Math.min(one, other), to: Math.max(one, other) };
}

export function tableOf(item: DicomJson | undefined, lowest: number): LookupTable | undefined {
  return item && lookupTable(item[TagHex.LUTDescriptor], { plain: item[TagHex.LUTData] }, lowest);
}

function paletteOf(metadata: DicomJson, lowest: number): PixelModule["palette"] {
  const table = (colour: "Red" | "Green" | "Blue") =>
    lookupTable(
      metadata[TagHex[`${colour}PaletteColorLookupTableDescriptor`]],
      {
        plain: metadata[TagHex[`${colour}PaletteColorLookupTableData`]],
        segmented: metadata[TagHex[`Segmented${colour}PaletteColorLookupTableData`]],
      },
      lowest,
    );
  const [red, green, blue] = [table("Red"), table("Green"), table("Blue")];
  return red && green && blue ? [red, green, blue] : undefined;
}

/** The spacing of the detector, of an enhanced image that of the frame (PS3.3 §C.8.19.6.3). */
export function imagerPixelSpacing(
  metadata: DicomJson,
  groups: (tag: string) => DicomJson | undefined,
): DicomJsonElement | undefined {
  const own = groups(TagHex.FramePixelDataPropertiesSequence)?.[TagHex.ImagerPixelSpacing];
  return own ?? metadata[TagHex.ImagerPixelSpacing];
}

/** The ratio counts only where no spacing tells it (PS3.3 §C.7.6.3.1.7). An element may be there without its values. */
function pixelAspectOf(metadata: DicomJson, groups: (tag: string) => DicomJson | undefined): number {
  const sizes = [
    groups(TagHex.PixelMeasuresSequence)?.[TagHex.PixelSpacing],
    metadata[TagHex.PixelSpacing],
    imagerPixelSpacing(metadata, groups),
    metadata[TagHex.NominalScannedPixelSpacing],
    metadata[TagHex.PixelAspectRatio],
  ];
  const aspects = sizes.map((size) => (numberOf(size) ?? 0) / (numberOf(size, 1) ?? 0));
  const aspect = aspects.find((ratio) => ratio > 0 && Number.isFinite(ratio)) ?? 1;
  return aspect > 1 / MAX_PIXEL_ASPECT && aspect < MAX_PIXEL_ASPECT ? aspect : 1;
}

export function itemOf(sequence: DicomJsonElement | undefined, place = 0): DicomJson | undefined {
  const item = sequence?.Value?.[place];
  return typeof item === "object" && item !== null ? (item as DicomJson) : undefined;
}
