import { MAX_DATA_BYTES } from "../dimse/association.ts";
import { Status } from "../dimse/command-set.ts";
import {
  isStorageClass,
  isStoredSyntax,
  NOT_STORAGE,
  OTHER_STORAGE,
  STORAGE_ROOT,
} from "../dimse/negotiate.ts";
import { Rejection } from "../dimse/pdu.ts";
import { FRAME_TYPES } from "../features/dicomweb/answers/media-types.ts";
import { MAX_SEARCHED_BYTES } from "../features/dicomweb/bulk-data/locate-elements.ts";
import { MAX_LISTED_FRAMES } from "../features/dicomweb/frames/frames.ts";
import {
  MAX_DEPTH,
  MAX_FIELDS,
  MAX_LIST,
  MAX_MATCHES,
  MAX_PAGE,
} from "../features/dicomweb/qido/parse-qido.ts";
import { attributeNamed, KEYWORDS, searchedName } from "../features/dicomweb/qido/qido-attributes.ts";
import { MAX_ANSWER_BYTES } from "../features/dicomweb/qido/search-instances.ts";
import { URI_SERVICE } from "../features/dicomweb/uri-service.ts";
import { MAX_INSTANCES } from "../features/exchange/receive-instances.ts";
import { MAX_PICTURES } from "../features/exchange/rendered-parts.ts";
import { MAX_LISTED_SERIES, MAX_READ_SERIES } from "../features/exchange/search-all.ts";
import { COERCION_WARNING, FailureReason } from "../features/exchange/store-answer.ts";
import { IDLE_MS, MAX_CONNECTIONS, MAX_INSTANCE_BYTES } from "../features/receivers/dimse-process.ts";
import {
  MAX_ASSOCIATIONS,
  MAX_ASSOCIATIONS_OF_ACCOUNT,
  QUIET_MS,
  SPARE_MS,
} from "../features/receivers/receptions.ts";
import { IMPLEMENTATION } from "../features/receivers/worker/implementation.ts";
import { MAX_SIDE } from "../features/thumbnails/worker/picture-messages.ts";
import type { ConformanceSection } from "../render/conformance-page.tsx";
import type { ApiDocument } from "./api-document.ts";
import { dicomwebCalls, mediaTypesOf } from "./capabilities.ts";
import { TRANSACTIONS } from "./dicomweb-transactions.ts";
import { TRANSFER_SYNTAXES } from "./transfer-syntaxes.ts";

export interface Limits {
  maxUploadBytes: number;
}

/**
 * What the program does of DICOM, read from what the code itself goes by: its routes, the attributes that it matches, its rules for
 * presentation contexts, and its limits.
 */
export function conformanceSections(document: ApiDocument, limits: Limits): ConformanceSection[] {
  return [
    services(document),
    uriService(document),
    attributes(),
    searching(),
    storing(limits),
    syntaxes(),
    classes(),
    associations(),
    statuses(),
  ];
}

function services(document: ApiDocument): ConformanceSection {
  const session = new Map(
    dicomwebCalls(document, "/dicomweb").map((call) => [`${call.method} ${call.resource}`, call]),
  );
  const viewer = new Set(
    dicomwebCalls(document, "/dicomweb/t/{token}").map(({ method, resource }) => `${method} ${resource}`),
  );
  return {
    id: "studies-service",
    title: "DICOMweb: the Studies Service (PS3.18 §10)",
    text: "For a session or an access token at `/dicomweb`, and for viewing at `/dicomweb/t/{token}`. `OPTIONS` on either answers the same as WADL (`application/vnd.sun.wadl+xml`, or `application/json`). Data sets are DICOM JSON (annex F), or Native DICOM Models (PS3.19 §A.1) as `application/dicom+xml`, where each character that XML can't have is U+FFFD; stored bytes are sent as they were received, unless the client names another transfer syntax: for a session or an access token, frames and files also come in Explicit VR Little Endian, decoded if they are encapsulated, and where there is a lossless copy in HTJ2K; native big-endian frames and bulk data are also sent as little-endian.",
    columns: ["Transaction", "Resource", "Supported", "For a viewer token", "Media types"],
    rows: Object.entries(TRANSACTIONS).map(([name, transaction]) => {
      const call = session.get(name);
      const types = Object.values(call?.operation.responses ?? {}).flatMap(mediaTypesOf);
      const shown = [...new Set(types)].filter((type) => !type.includes("problem"));
      return [transaction, name, yesNo(call), yesNo(viewer.has(name)), shown.join(", ")];
    }),
  };
}

function uriService({ paths }: ApiDocument): ConformanceSection {
  const { description = "", parameters = [] } = paths[URI_SERVICE]?.get ?? {};
  return {
    id: "uri-service",
    title: "DICOMweb: the URI Service (PS3.18 §9)",
    text: `\`GET ${URI_SERVICE}\` for a session or an access token. ${description}`,
    columns: ["Parameter", "Required"],
    rows: parameters.flatMap((parameter) => {
      const isTaken = "name" in parameter && parameter.schema && !("not" in parameter.schema);
      return isTaken ? [[parameter.name, yesNo(parameter.required)]] : [];
    }),
  };
}

function attributes(): ConformanceSection {
  return {
    id: "attributes",
    title: "DICOMweb: attributes that searches match (QIDO-RS)",
    text: "By keyword or tag, alone or as `Sequence.member`; what is wanted of one sequence has to be in one item (PS3.4 §C.2.2.2.6). Answers have the attributes that the search names. Texts take the wildcards `*` and `?`, dates and times take ranges, date times also with an offset from UTC (their own, or that of TimezoneOffsetFromUTC, which is no filter). A range of dates and one of their times are combined (PS3.4 §C.2.2.2.5.4). UIDs and modalities take lists. Names are compared in each of their groups, without case and accents; with `fuzzymatching=true`, word by word. Any other attribute of PS3.6 is matched at the instance level.",
    columns: ["Keyword", "Tag", "VR", "Level"],
    rows: (["study", "series", "instance"] as const).flatMap((level) =>
      KEYWORDS[level].filter(isMatched).map((keyword) => {
        const { tag = "", vr = "" } = attributeNamed(keyword) ?? {};
        return [searchedName(keyword), `(${tag.slice(0, 4)},${tag.slice(4)})`, vr, level];
      }),
    ),
  };
}

/** An offset from UTC says what the date times of a search mean, and an address is only answered. */
function isMatched(keyword: string): boolean {
  return keyword !== "TimezoneOffsetFromUTC" && keyword !== "RetrieveURL";
}

function searching(): ConformanceSection {
  return {
    id: "retrieval-limits",
    title: "DICOMweb: limits of searching and retrieving",
    columns: ["Limit", "Value"],
    rows: [
      ["Results of one answer (`limit`); `Warning: 299` says that there are more", count(MAX_PAGE)],
      [
        "Filters that are ignored: unknown names, sequences, attributes of another level",
        "named in `Warning: 299`",
      ],
      ["A second value of an attribute, by keyword or by tag, other than UIDs and modalities", "400"],
      ["Attributes that one search matches", count(MAX_MATCHES)],
      ["Values of one list", count(MAX_LIST)],
      ["Fields of `includefield`", count(MAX_FIELDS)],
      ["Attributes in a path through sequences", count(MAX_DEPTH)],
      [
        "Series whose metadata one search for instances across studies reads; a search that nothing narrows ends its page there, with `Warning: 299`",
        count(MAX_READ_SERIES),
      ],
      [
        "Series that one search across studies looks into by SOPInstanceUID, SOPClassUID, InstanceNumber, NumberOfFrames, Rows and Columns",
        count(MAX_LISTED_SERIES),
      ],
      ["Bytes of an address with its query; a longer one is answered 431", "16,000"],
      ["Bytes of the instances in one answer, as JSON", count(MAX_ANSWER_BYTES)],
      ["Frames of one request", count(MAX_LISTED_FRAMES)],
      [
        "Values that `…/bulkdata` leaves out: of an instance above this many bytes those that don't stand before its pixel data; encapsulated ones of several fragments other than pixel data",
        count(MAX_SEARCHED_BYTES),
      ],
      ["Rendered pictures of one answer", count(MAX_PICTURES)],
      ["Side of a rendered picture in pixels", count(MAX_SIDE)],
      [
        "Rendered study, series or instance",
        "one picture (the middle image of the largest series, of the series, the middle frame), or for `Accept: multipart/related` one of each image, or of each frame of an instance; of an Encapsulated PDF or CDA the PDF or the XML",
      ],
    ],
  };
}

function storing({ maxUploadBytes }: Limits): ConformanceSection {
  const reason = (code: number, meaning: string) => [`Reason ${hex(code)}`, meaning];
  return {
    id: "storing",
    title: "DICOMweb: storing (STOW-RS)",
    text: 'Parts of `multipart/related; type="application/dicom"`, or one instance as `application/dicom`; of every SOP class and transfer syntax. 200: all are stored; 202: some, or with a warning; 409: none; 403: over the plan\'s quota, and nothing is stored. A part that names no instance is in Failed SOP Sequence with its reason alone, and in Other Failures Sequence (0008,119A).',
    columns: ["Limit or reason", "Value"],
    rows: [
      ["Instances of one request", count(MAX_INSTANCES)],
      ["Bytes of one request", count(maxUploadBytes)],
      reason(FailureReason.cannotUnderstand, "not DICOM, a DICOMDIR, without UIDs, or cut off"),
      reason(FailureReason.otherStudy, "of another study than the request names"),
      reason(FailureReason.outOfResources, "larger or more complex than what is kept"),
      reason(FailureReason.processingFailure, "any other failure"),
      [
        `Warning ${hex(COERCION_WARNING)}`,
        "kept beside other bytes under the same SOP Instance UID, which are the ones shown",
      ],
    ],
  };
}

function syntaxes(): ConformanceSection {
  return {
    id: "transfer-syntaxes",
    title: "Transfer syntaxes",
    text: "The registered ones (PS3.6 table A-1). STOW-RS and uploads keep each of them. C-STORE takes those whose data sets hold their pixels, and others of the standard's root that are younger than this list. Frames are sent as `application/octet-stream`, or as the media type named here.",
    columns: ["Transfer syntax", "UID", "C-STORE", "Frames as"],
    rows: Object.entries(TRANSFER_SYNTAXES).map(([uid, name]) => [
      name,
      uid,
      yesNo(isStoredSyntax(uid)),
      FRAME_TYPES[uid] ?? "",
    ]),
  };
}

function classes(): ConformanceSection {
  return {
    id: "sop-classes",
    title: "DIMSE: SOP classes",
    text: "The program is an SCP only: it opens no association and answers no C-FIND, C-MOVE or C-GET. It keeps every attribute of every instance, private ones too (storage level 2, full), and changes none.",
    columns: ["SOP class", "UID", "Role", "Accepted"],
    rows: [
      ["Verification (C-ECHO)", "1.2.840.10008.1.1", "SCP", "yes"],
      ["Every storage class under the standard's root (C-STORE)", `${STORAGE_ROOT}*`, "SCP", "yes"],
      [
        "Manufacturers' own classes (C-STORE), if their instances have a study",
        "any other root",
        "SCP",
        "yes",
      ],
      ...[...OTHER_STORAGE].map((uid) => ["Storage (C-STORE)", uid, "SCP", yesNo(isStorageClass(uid))]),
      ...[...NOT_STORAGE].map((uid) => ["A directory", uid, "", yesNo(isStorageClass(uid))]),
    ],
  };
}

function associations(): ConformanceSection {
  return {
    id: "associations",
    title: "DIMSE: associations",
    text: "On `DIMSE_PORT`, with TLS where the operator gave a certificate. The called AE title says into which account instances go. An image stays in the syntax that its sender names first among those that are accepted.",
    columns: ["Property", "Value"],
    rows: [
      ["Implementation class UID", IMPLEMENTATION.classUID],
      ["Implementation version name", IMPLEMENTATION.versionName],
      ["Application context", "1.2.840.10008.3.1.1.1"],
      ["Longest P-DATA-TF accepted, in bytes", count(MAX_DATA_BYTES)],
      ["Operations at once in an association", "1 (no asynchronous window)"],
      ["Roles, extended negotiation, identity of a user", "not answered, and no reason to reject"],
      ["Connections at once", count(MAX_CONNECTIONS)],
      [
        "Associations at once; of one account",
        `${count(MAX_ASSOCIATIONS)}; ${count(MAX_ASSOCIATIONS_OF_ACCOUNT)}`,
      ],
      ["Bytes of one instance", count(MAX_INSTANCE_BYTES)],
      ["A silent association is ended after", `${IDLE_MS / 60_000} minutes`],
      [
        "An association gives its place to a new one, where all are taken, if it brought nothing for",
        `${SPARE_MS / 1000} seconds`,
      ],
      ["A study appears", `when its association ends, or was quiet for ${QUIET_MS / 1000} seconds`],
    ],
  };
}

const STATUS_TEXTS: Record<keyof typeof Status, string> = {
  success: "The instance is on stable storage.",
  sopClassNotSupported: "Another class than that of the presentation context.",
  unrecognizedOperation: "Neither C-ECHO nor C-STORE.",
  outOfResources: "Over the plan's limits, the storage is full, or the receiver was removed.",
  dataSetDoesNotMatch: "The data set has other UIDs than the command.",
  cannotUnderstand: "The data set can't be read, or is missing.",
};

const REJECTION_TEXTS: Record<keyof typeof Rejection, string> = {
  applicationContextUnknown: "Another application context.",
  callingAETitleUnknown: "The receiver does not take instances from this title or address.",
  calledAETitleUnknown: "No receiver has this title.",
  protocolVersionUnknown: "Another version of the protocol.",
  congestion: "The database is away for now.",
  limitExceeded: "Too many associations at once.",
};

function statuses(): ConformanceSection {
  const names = Object.keys(STATUS_TEXTS) as (keyof typeof Status)[];
  const rejections = Object.keys(REJECTION_TEXTS) as (keyof typeof Rejection)[];
  return {
    id: "statuses",
    title: "DIMSE: answers",
    columns: ["Answer", "Code", "Meaning"],
    rows: [
      ...names.map((name) => ["C-STORE status", hex(Status[name]), STATUS_TEXTS[name]]),
      ...rejections.map((name) => [
        "A-ASSOCIATE-RJ (result, source, reason)",
        Rejection[name].join(", "),
        REJECTION_TEXTS[name],
      ]),
    ],
  };
}

function yesNo(value: unknown): string {
  return value ? "yes" : "no";
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function hex(code: number): string {
  return `0x${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
