import type { Context } from "hono";
import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import { AppError } from "../../../http/app-error.ts";
import { notAcceptable } from "../../../http/http.errors.ts";
import { askedOfUriService } from "../uri-service.ts";
import {
  type AcceptedType,
  acceptedTypes,
  MAX_HEADER_LENGTH,
  takesType,
  weightOf,
} from "./accepted-types.ts";

export interface Representation {
  /** True: `multipart/related` with one part for each item. False: the only item is the whole body. */
  multipart: boolean;
  /** Media type of an item, without parameters. */
  type: string;
  /** The transfer syntax that the client names for it, or `*` for any; undefined if it names none. */
  syntax?: string | undefined;
  /** Where the only item is by itself, which its part names. */
  location?: string | undefined;
}

const BYTES = "application/octet-stream";
const DICOM = "application/dicom";

/** Media types of an encapsulated frame, or of a whole video, besides `application/octet-stream` (PS3.18 table 8.7.3-5). */
export const FRAME_TYPES: Readonly<Record<string, string>> = {
  "1.2.840.10008.1.2.4.50": "image/jpeg",
  "1.2.840.10008.1.2.4.51": "image/jpeg",
  "1.2.840.10008.1.2.4.57": "image/jpeg",
  "1.2.840.10008.1.2.4.70": "image/jpeg",
  "1.2.840.10008.1.2.4.80": "image/jls",
  "1.2.840.10008.1.2.4.81": "image/jls",
  "1.2.840.10008.1.2.4.90": "image/jp2",
  "1.2.840.10008.1.2.4.91": "image/jp2",
  "1.2.840.10008.1.2.4.92": "image/jpx",
  "1.2.840.10008.1.2.4.93": "image/jpx",
  "1.2.840.10008.1.2.4.100": "video/mpeg2",
  "1.2.840.10008.1.2.4.101": "video/mpeg2",
  "1.2.840.10008.1.2.4.102": "video/mp4",
  "1.2.840.10008.1.2.4.103": "video/mp4",
  "1.2.840.10008.1.2.4.104": "video/mp4",
  "1.2.840.10008.1.2.4.105": "video/mp4",
  "1.2.840.10008.1.2.4.106": "video/mp4",
  "1.2.840.10008.1.2.4.110": "image/jxl",
  "1.2.840.10008.1.2.4.111": "image/jxl",
  "1.2.840.10008.1.2.4.112": "image/jxl",
  "1.2.840.10008.1.2.4.201": "image/jphc",
  "1.2.840.10008.1.2.4.202": "image/jphc",
  "1.2.840.10008.1.2.4.203": "image/jphc",
  "1.2.840.10008.1.2.5": "image/dicom-rle",
};

/** Names from before the registered ones, which older programs use. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  "image/jls": "image/x-jls",
  "image/jphc": "image/jhc",
  "image/dicom-rle": "image/x-dicom-rle",
};

/** What the client takes: the parameter `accept` replaces the header (PS3.18 §8.3.3.1). */
export function acceptOf(c: Context): string | undefined {
  const atUriService = askedOfUriService(c);
  if (atUriService) return atUriService.parameters.accept;
  const inQuery = c.req.url.includes("accept=") ? c.req.query("accept") : undefined;
  // Forms write a space as `+`, which media types have between two words.
  return inQuery?.replace(/(?<=\w) (?=\w)/g, "+") ?? c.req.header("accept");
}

/** @throws {AppError} 406 if the client accepts no type in which the frame can be sent as it is stored */
export function negotiateFrames(accept: string | undefined, transferSyntaxUID: string): Representation {
  return negotiate(accept, frameTypes(transferSyntaxUID), sameFrames(transferSyntaxUID));
}

/** The syntaxes of native frames that differ in how the data set names its VRs, or in the order of bytes. */
function sameFrames(transferSyntaxUID: string): string[] {
  const { implicitLittleEndian, explicitLittleEndian, explicitBigEndian } = TransferSyntax;
  return transferSyntaxUID === implicitLittleEndian || transferSyntaxUID === explicitBigEndian
    ? [explicitLittleEndian, transferSyntaxUID]
    : [transferSyntaxUID];
}

/** The types of frames in a transfer syntax, the usual one first. */
function frameTypes(transferSyntaxUID: string): string[] {
  const type = FRAME_TYPES[transferSyntaxUID];
  const names = type === undefined ? [] : [type, OLDER_NAMES[type] ?? type];
  return [BYTES, ...names];
}

/** An answer in another transfer syntax than the stored one, which the client names. */
export type NamedRepresentation = Representation & { syntax: string };

/**
 * How the client takes frames in the `offered` syntaxes, the liked ones first: only in those that it names, and before any entry
 * that takes the frames as they are stored. To decode is work that others wait for, so Explicit VR Little Endian has to be liked better
 * than what is stored or copied: lists of all that a program can read get those.
 */
export function namedFrames(
  accept: string | undefined,
  stored: string,
  offered: readonly string[],
): NamedRepresentation[] {
  return namedBefore(accept, offered, frameTypes, (entry) =>
    Boolean(takesSyntax(entry.parameters, sameFrames(stored)) && representationIn(entry, frameTypes(stored))),
  );
}

/** As {@link namedFrames}, for a whole instance written anew. */
export function namedInstances(
  accept: string | undefined,
  stored: string,
  offered: readonly string[],
): NamedRepresentation[] {
  const types = [DICOM];
  return namedBefore(
    accept,
    offered.filter((syntax) => syntax !== stored),
    () => types,
    (entry) => Boolean(takesSyntax(entry.parameters, [stored]) && representationIn(entry, types)),
  );
}

const isCopy = ({ syntax }: NamedRepresentation) => syntax !== TransferSyntax.explicitLittleEndian;

function namedBefore(
  accept: string | undefined,
  offered: readonly string[],
  typesIn: (syntax: string) => string[],
  isStored: (entry: AcceptedType) => boolean,
): NamedRepresentation[] {
  const named: { representation: NamedRepresentation; weight: number }[] = [];
  let storedWeight = 0;
  for (const entry of parseAccept(accept)) {
    const syntax = entry.parameters.get("transfer-syntax");
    if (syntax !== undefined && offered.includes(syntax)) {
      const taken = representationIn(entry, typesIn(syntax));
      if (taken) named.push({ representation: { ...taken, syntax }, weight: weightOf(entry) });
    } else if (isStored(entry)) {
      storedWeight = weightOf(entry);
      break;
    }
  }
  return named
    .filter(({ representation, weight }) => isCopy(representation) || weight > storedWeight)
    .sort(
      (one, other) =>
        other.weight - one.weight ||
        Number(isCopy(other.representation)) - Number(isCopy(one.representation)),
    )
    .map(({ representation }) => representation);
}

/** @throws {AppError} 406 if the client does not accept `application/dicom` */
export function negotiateInstances(accept: string | undefined, transferSyntaxUID?: string): Representation {
  return negotiate(accept, [DICOM], transferSyntaxUID === undefined ? undefined : [transferSyntaxUID]);
}

/** Whether the client takes an instance in one of these syntaxes. */
export function takesInstanceIn(accept: string | undefined, syntaxes: string[]): boolean {
  const wanted = parseAccept(accept);
  const isTaken = (entry: AcceptedType) =>
    takesSyntax(entry.parameters, syntaxes) && representationIn(entry, [DICOM]) !== undefined;
  return wanted.length === 0 || wanted.some(isTaken);
}

/**
 * @param types of the value, beside `application/octet-stream`
 * @throws {AppError} 406 if the client accepts none
 */
export function negotiateBulkData(accept: string | undefined, types: string[] = []): Representation {
  return negotiate(accept, [BYTES, ...types]);
}

/** @throws {AppError} 406 if the client does not accept parts of `application/octet-stream` */
export function assertAcceptsBulkDataParts(accept: string | undefined): void {
  const wanted = parseAccept(accept);
  if (wanted.length > 0 && !wanted.some((entry) => representationIn(entry, [BYTES])?.multipart))
    throw new AppError(notAcceptable);
}

/** Whether the client wants parts of bytes rather than whole files (PS3.18 table 10.4.4-1), by what it likes best of the two. */
export function prefersBulkData(accept: string | undefined): boolean {
  for (const entry of parseAccept(accept)) {
    if (representationIn(entry, [DICOM])) return false;
    if (representationIn(entry, [BYTES])?.multipart) return true;
  }
  return false;
}

/** DICOM JSON (PS3.18 annex F), or Native DICOM Models (PS3.19 §A.1): each in a part of its own, or the only one as a document. */
export type DataSetForm = "json" | "parts" | "document";

/** What decides the form and the coding of data sets (RFC 9110 §12.5.5). */
export const DATA_SET_VARY = "Accept, Accept-Encoding";

export const DICOM_JSON = "application/dicom+json";
export const DICOM_XML = "application/dicom+xml";
const RELATED = "multipart/related";

/**
 * The form of an answer of data sets. JSON comes first among forms that the client likes equally.
 * @param isOne whether the answer is a single data set, which needs no parts
 * @throws {AppError} 406 if the client accepts neither
 */
export function negotiateDataSets(accept: string | undefined, isOne = false): DataSetForm {
  const wanted = parseAccept(accept);
  if (wanted.length === 0) return "json";
  const forms = wanted.map((entry) => ({ form: dataSetForm(entry, isOne), weight: weightOf(entry) }));
  const best = forms.find(({ form }) => form !== undefined);
  if (!best?.form) throw new AppError(notAcceptable);
  return forms.some(({ form, weight }) => form === "json" && weight === best.weight) ? "json" : best.form;
}

function dataSetForm(entry: AcceptedType, isOne: boolean): DataSetForm | undefined {
  if (entry.type === "application/json" || takesType(entry, DICOM_JSON)) return "json";
  if (isOne && takesType(entry, DICOM_XML)) return "document";
  const part = entry.parameters.get("type") ?? DICOM_XML;
  return takesType(entry, RELATED) && takesType(entry, DICOM_XML, part) ? "parts" : undefined;
}

const PICTURES = ["jpeg", "png", "gif"] as const;

/**
 * The image type of a rendered picture, and whether the client takes several in `multipart/related`. One that takes anything gets
 * parts where several are `listed`.
 * @throws {AppError} 406 if the client takes neither JPEG nor PNG nor GIF, or only one picture of those listed
 */
export function negotiateRendered(
  accept: string | undefined,
  { takesParts, listed = false }: { takesParts: boolean; listed?: boolean },
): { type: (typeof PICTURES)[number]; isMultipart: boolean } {
  const wanted = parseAccept(accept);
  if (wanted.length === 0) return { type: "jpeg", isMultipart: listed };
  for (const entry of wanted) {
    const isOfAll = listed && entry.type === "*/*" && takesType(entry, RELATED);
    const isMultipart = entry.type === RELATED || isOfAll;
    if (isMultipart ? !takesParts : listed) continue;
    const named = isMultipart ? (entry.parameters.get("type") ?? "*/*") : entry.type;
    if (named === "image/jpg") return { type: "jpeg", isMultipart };
    const type = PICTURES.find((picture) => takesType(entry, `image/${picture}`, named));
    if (type) return { type, isMultipart };
  }
  throw new AppError(notAcceptable);
}

export const PDF = "application/pdf";
export const HTML = "text/html";
export const XML = "text/xml";

/** @throws {AppError} 406 if the client does not accept a body of the type */
export function assertAccepts(accept: string | undefined, type: string): void {
  const wanted = parseAccept(accept);
  if (wanted.length > 0 && !wanted.some((entry) => takesType(entry, type))) throw new AppError(notAcceptable);
}

/** Returns the first type in the header that we can send; without a header, or for a wildcard, multipart, the DICOMweb default. */
function negotiate(accept: string | undefined, types: string[], syntaxes?: string[]): Representation {
  const [defaultType = BYTES] = types;
  const wanted = parseAccept(accept);
  if (wanted.length === 0) return { multipart: true, type: defaultType };
  for (const entry of wanted) {
    const taken = takesSyntax(entry.parameters, syntaxes) ? representationIn(entry, types) : undefined;
    if (taken) return { ...taken, syntax: entry.parameters.get("transfer-syntax") };
  }
  throw new AppError(notAcceptable);
}

/** How one entry takes one of the types, of which the first is the default. */
function representationIn(entry: AcceptedType, types: string[]): Representation | undefined {
  const multipart = takesType(entry, RELATED);
  // Parts that are not named, and all of `multipart/*`, may be of the default type.
  const named = multipart && entry.type !== "*/*" ? (entry.parameters.get("type") ?? types[0]) : entry.type;
  const found = types.find((known) => takesType(entry, known, named));
  return found === undefined ? undefined : { multipart, type: found };
}

/** Whether the client accepts a transfer syntax of these; a client that names none gets the stored one, as from other archives. */
function takesSyntax(parameters: Map<string, string>, syntaxes: string[] | undefined): boolean {
  const wanted = parameters.get("transfer-syntax");
  return wanted === undefined || wanted === "*" || syntaxes === undefined || syntaxes.includes(wanted);
}

/** Parsed headers: a viewer sends the same one with each of its frames. */
const parsedHeaders = new Map<string, readonly AcceptedType[]>();
const MAX_PARSED_HEADERS = 32;

function parseAccept(accept: string | undefined): readonly AcceptedType[] {
  if (!accept) return [];
  if (accept.length > MAX_HEADER_LENGTH) throw new AppError(notAcceptable);
  const known = parsedHeaders.get(accept);
  if (known) return known;
  if (parsedHeaders.size >= MAX_PARSED_HEADERS) parsedHeaders.clear();
  const parsed = acceptedTypes(accept);
  if (parsed.length === 0) throw new AppError(notAcceptable);
  parsedHeaders.set(accept, parsed);
  return parsed;
}
