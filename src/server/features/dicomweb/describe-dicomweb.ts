import * as z from "zod/mini";
import type { ErrorKind } from "../../http/app-error.ts";
import { describeIn, type Room } from "../../http/describe.ts";
import {
  archiveDamaged,
  heldByAnotherNode,
  notAcceptable,
  notFound,
  validationFailed,
} from "../../http/http.errors.ts";
import { DICOM_JSON, DICOM_XML, FRAME_TYPES, PDF } from "./answers/media-types.ts";
import { searchTooBroad, tooManyReads } from "./dicomweb.errors.ts";

/** The media types in which a frame can be answered. */
export const FRAME_MEDIA: readonly string[] = [
  "multipart/related",
  "application/octet-stream",
  ...new Set(Object.values(FRAME_TYPES)),
];

/** How the API's document shows DICOMweb behind one kind of access. */
export interface DicomwebDocument {
  room: Room;
  /** Says who gets whole files, and what they cost. */
  retrievals: string;
  /** Parameters in the path above these routes, with their descriptions. */
  params?: Record<string, string>;
  /** Failures of the caller's credential, if it is in the path. */
  pathProblems?: readonly ErrorKind[];
  /** Failures of a caller who may not take files along. */
  retrievalProblems?: readonly ErrorKind[];
  /** Whether frames are decoded for a client that takes only native ones. */
  decodes?: boolean;
}

/** A data set of DICOM JSON (PS3.18 annex F), by tag. */
export const dicomJsonSchema = z.record(z.string(), z.looseObject({ vr: z.string() }));
const dataSets = z.array(dicomJsonSchema);

const DATA_SET_MEDIA = [DICOM_JSON, "multipart/related"];
const FORMS =
  'An array of DICOM JSON; for `Accept: multipart/related; type="application/dicom+xml"` a Native DICOM Model (PS3.19) in a part for each instance.';

const known = { 304: "It is as `If-None-Match` says." };
const QUERY =
  'Takes attributes by keyword or tag, with wildcards, ranges and lists as PS3.18 has them, `includefield`, `fuzzymatching` (words of names, whatever their case and accents), `limit` and `offset`. A `Warning` header says that there is more, or which filters were ignored. Results are an array of DICOM JSON; for `Accept: multipart/related; type="application/dicom+xml"` each is a Native DICOM Model (PS3.19) in a part.';
const COPIED =
  "Instances come bit for bit as they were sent. One whose metadata name `1.2.840.10008.1.2.4.202` comes in that syntax, or in `1.2.840.10008.1.2.4.201`, if `Accept` names it first: a new file with the same attributes and the frames of the lossless copy, of which colours are YBR_RCT. 406 where the stored file has elements behind its pixel data or a header above 1 MB, or uses bits beside the stored ones; its frames can be had one by one.";
const EXPLICIT =
  "`transfer-syntax=1.2.840.10008.1.2.1` brings a new file in Explicit VR Little Endian (to a client that takes the stored one as well, only with a greater weight `q`), with the same attributes and native pixel data: encapsulated frames are decoded, the colours of a pixel side by side, and Photometric Interpretation says which colours a codec made. What can't be so written (a video, pixels that nobody can decode or that take more than 32 MiB a frame, a header above 1 MB, without pixels a data set above 8 MB or of more than 131,072 elements, elements behind the pixel data)";
const NONE_TAKEN =
  "406 for a client that names other transfer syntaxes alone, if no instance is stored in one of them.";
const DECODED =
  "Encapsulated frames are decoded for `application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1`, in the colours that the metadata name (red, green and blue for YBR_RCT and YBR_ICT) and as they say that the samples lie; 406 for those that can't be. A client that takes the stored ones as well gives these a greater weight `q`.";
const VALUES =
  "Every value that the metadata name by a `BulkDataURI`, as `multipart/related; type=\"application/octet-stream\"`: one part each, whose `Content-Location` is that address, little-endian. Encapsulated pixel data are one part for each frame, as they are stored. Left out are values of an instance above 256 MiB that don't stand before its pixel data, those that can't be found in it within 5 seconds, and encapsulated ones of several fragments other than pixel data. 404 if there are none.";
const PIXELS =
  'Pixel Data, Float Pixel Data and Double Float Pixel Data, as `multipart/related; type="application/octet-stream"`: one part each, whose `Content-Location` is the `BulkDataURI` of the metadata, little-endian; of encapsulated pixel data one part for each frame, as they are stored. Instances without pixel data are left out. 404 if there are none.';
const LOCATED = "Each part says in `Content-Location` where it is.";
const FILES_OR_VALUES =
  '`Accept: multipart/related; type="application/octet-stream"` brings the long values instead, as `…/bulkdata` does.';
/** Parameters of every DICOMweb call that answers in more than one form (PS3.18 §8.3.3.1). */
const accepting = { accept: "Media types, in place of the header `Accept`." };
const searching = {
  asks: {
    ...accepting,
    limit: "The most results of the answer; up to 1,000.",
    offset: "Results to pass over.",
    includefield: "Further attributes of each result by keyword or tag, separated by commas, or `all`.",
    fuzzymatching: "`true`: names are compared word by word.",
  },
  asksOthers:
    "Attributes that results must match: the name of each parameter is a keyword (`PatientID`), a tag (`00100020`) or a path through sequences.",
};

/** Describes each DICOMweb route for the API's document. */
export function describeDicomweb({
  room,
  retrievals,
  params,
  pathProblems,
  retrievalProblems = [],
  decodes,
}: DicomwebDocument) {
  const describe = describeIn(room);
  const credential = pathProblems ? ({ security: "none" } as const) : {};
  const common = [...(pathProblems ?? []), notFound, notAcceptable];
  const json = {
    params,
    asks: accepting,
    media: DATA_SET_MEDIA,
    problems: common,
    ...credential,
  };
  const search = {
    ...json,
    ...searching,
    also: { 204: "Nothing was found." },
    problems: [validationFailed, ...common, searchTooBroad],
  };
  const searchOfInstances = { ...search, problems: [...search.problems, tooManyReads] };
  const bytes = {
    params,
    asks: accepting,
    ...credential,
    problems: [...common, archiveDamaged, heldByAnotherNode, tooManyReads],
  };
  const files = { ...bytes, problems: [...bytes.problems, ...retrievalProblems] };
  const written = decodes ? ` ${LOCATED} ${EXPLICIT} comes as it is stored. ${NONE_TAKEN}` : "";
  const values = (summary: string, details: string) => ({
    ...files,
    summary,
    details: `${retrievals} ${details}`,
    media: ["multipart/related"],
  });
  return {
    searchStudies: describe(
      { answer: dataSets },
      { ...search, summary: "Search studies (QIDO-RS)", details: QUERY },
    ),
    searchAllSeries: describe(
      { answer: dataSets },
      { ...search, summary: "Search series across studies (QIDO-RS)", details: QUERY },
    ),
    searchAllInstances: describe(
      { answer: dataSets },
      { ...searchOfInstances, summary: "Search instances across studies (QIDO-RS)", details: QUERY },
    ),
    searchSeries: describe(
      { answer: dataSets },
      { ...search, summary: "Search the series of a study (QIDO-RS)", details: QUERY },
    ),
    studyInstances: describe(
      { answer: dataSets },
      { ...searchOfInstances, summary: "List the instances of a study (QIDO-RS)", details: QUERY },
    ),
    seriesInstances: describe(
      { answer: dataSets },
      { ...searchOfInstances, summary: "List the instances of a series (QIDO-RS)", details: QUERY },
    ),
    studyMetadata: describe(
      { answer: dataSets },
      { ...json, also: known, summary: "Read the metadata of a study (WADO-RS)", details: FORMS },
    ),
    seriesMetadata: describe(
      { answer: dataSets },
      { ...json, also: known, summary: "Read the metadata of a series (WADO-RS)", details: FORMS },
    ),
    instanceMetadata: describe(
      { answer: dataSets },
      {
        ...json,
        media: DATA_SET_MEDIA.concat(DICOM_XML),
        also: known,
        summary: "Read the metadata of an instance (WADO-RS)",
        details: `${FORMS} \`Accept: ${DICOM_XML}\` brings one document without parts.`,
      },
    ),
    frames: describe(
      {},
      {
        ...bytes,
        problems: [validationFailed, ...bytes.problems],
        summary: "Read frames of an instance (WADO-RS)",
        details: [
          "Frames are sent as they are stored. `Accept` names the media type of the stored transfer syntax, or `application/octet-stream`.",
          "Native big-endian frames come as Explicit VR Little Endian, unless `Accept` has `transfer-syntax=*` or their own transfer syntax.",
          decodes && `${LOCATED} ${DECODED}`,
          "An instance has a lossless HTJ2K copy if its metadata name `1.2.840.10008.1.2.4.202` among the AvailableTransferSyntaxUID (0008,3002). `Accept: image/jphc; transfer-syntax=1.2.840.10008.1.2.4.202` brings frames of it (or `application/octet-stream`, or either in `multipart/related`).",
          "Types are tried in the order of the header: a client adds `application/octet-stream; transfer-syntax=*` for frames without a copy.",
          "A single frame of the copy, without `multipart/related`, takes `Range`. A prefix of it is a smaller or coarser picture; `HTJ2K-Prefix-Lengths` has the length at which each resolution is whole.",
        ]
          .filter(Boolean)
          .join(" "),
        also: { 206: "A range of a frame of the copy.", 416: "The frame has no such range." },
        media: FRAME_MEDIA,
      },
    ),
    bulkData: describe(
      {},
      {
        ...bytes,
        summary: "Read a long value of an instance (WADO-RS)",
        details:
          "The address is a `BulkDataURI` of the metadata. Values are little-endian. One `Range` is answered, also within `multipart/related`; encapsulated pixel data come as frames and have no ranges. The PDF of an Encapsulated PDF is also `application/pdf`.",
        also: { ...known, 206: "A range of the value.", 416: "The value has no such range." },
        media: [...FRAME_MEDIA, PDF],
      },
    ),
    studyBulkData: describe({}, values("Read the long values of a study (WADO-RS)", VALUES)),
    seriesBulkData: describe({}, values("Read the long values of a series (WADO-RS)", VALUES)),
    instanceBulkData: describe({}, values("Read the long values of an instance (WADO-RS)", VALUES)),
    studyPixelData: describe({}, values("Read the pixel data of a study (WADO-RS)", PIXELS)),
    seriesPixelData: describe({}, values("Read the pixel data of a series (WADO-RS)", PIXELS)),
    instancePixelData: describe({}, values("Read the pixel data of an instance (WADO-RS)", PIXELS)),
    instance: describe(
      {},
      {
        ...files,
        also: known,
        summary: "Read an instance (WADO-RS)",
        details: `${retrievals} ${FILES_OR_VALUES} ${COPIED}${decodes ? ` ${LOCATED} ${EXPLICIT} is 406.` : ""}`,
        media: ["multipart/related", "application/dicom"],
      },
    ),
    series: describe(
      {},
      {
        ...files,
        summary: "Read the instances of a series (WADO-RS)",
        details: `${retrievals} ${FILES_OR_VALUES}${written}`,
        media: ["multipart/related"],
      },
    ),
    study: describe(
      {},
      {
        ...files,
        summary: "Read the instances of a study (WADO-RS)",
        details: `${retrievals} ${FILES_OR_VALUES}${written}`,
        media: ["multipart/related"],
      },
    ),
  };
}
