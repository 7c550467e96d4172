import { wordsOf } from "../../../shared/dicom/folded-name.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { QidoMatch, Wanted } from "../dicomweb/qido/qido-match.ts";
import { DICOM_CODES, DICOM_UID } from "./fhir-resource.ts";

/* Values of a search (FHIR R4 §3.1.1.4). One that names another system or another server matches nothing here. */

/** Values between commas. */
export function valuesOf(text: string): string[] {
  return splitAt(",", text).map((value) => value.trim());
}

/** What references name: `Patient/P-100`, its address on a host of this server, or `P-100` alone. */
export function referencedBy(
  values: readonly string[],
  type: "Patient" | "ImagingStudy",
  hosts: readonly string[],
): string[] {
  const ours = values.filter((value) => {
    const [, host] = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)/i.exec(value) ?? [];
    return host === undefined || hosts.includes(host.toLowerCase());
  });
  return ours.map((value) => value.replace(new RegExp(`^(?:.*/)?${type}/`), ""));
}

/** Codes of these systems, and codes without a system; "" for all of a system, which stands alone (FHIR R4 §3.1.1.4.10). */
export function codesOf(values: readonly string[], ...systems: string[]): string[] {
  const tokens = values.map(tokenOf);
  return tokens.flatMap(({ system, code }) =>
    system === undefined || systems.includes(system) ? [code] : [],
  );
}

/** A patient by the ID that instances have, which has no system. */
export function patientIDsOf(values: readonly string[]): Wanted {
  return exactly(codesOf(values, ""));
}

/** A name of which each word begins a word of the patient's. Undefined for several, and for one without words. */
export function nameOf([name = "", ...more]: readonly string[]): Wanted | undefined {
  const words = plain(name);
  return more.length > 0 || wordsOf(words).length === 0 ? undefined : { kind: "words", words };
}

/** Codes of DICOM, with or without its system. */
export function modalitiesOf(values: readonly string[]): Wanted {
  const codes = codesOf(values, DICOM_CODES);
  return { kind: "list", values: new Set(codes), ...(codes.includes("") && { patterns: ["?*"] }) };
}

/** Series by their UIDs; no list for all of them, since every study has one. */
export function seriesOf(values: readonly string[]): string[][] {
  const uids = codesOf(values, DICOM_UID).map((code) => code.replace(/^urn:oid:/, ""));
  return uids.includes("") ? [] : [uids];
}

/** Studies by their UIDs, or by accession numbers, which have no system here. Undefined for a mixture. */
export function identifierMatches(values: readonly string[]): QidoMatch[] | undefined {
  const tokens = values.map(tokenOf);
  const uids = tokens.filter(isUid).map(({ code }) => code.replace(/^urn:oid:/, ""));
  const accessions = tokens.filter((token) => !token.system && !isUid(token)).map(({ code }) => code);
  if (uids.length > 0 && accessions.length > 0) return undefined;
  if (accessions.length > 0)
    return [{ path: [{ tag: TagHex.AccessionNumber, vr: "SH" }], wanted: exactly(accessions) }];
  // Every study has a UID.
  if (uids.includes("")) return [];
  return [
    {
      path: [{ tag: TagHex.StudyInstanceUID, vr: "UI" }],
      wanted: { kind: "list", values: new Set(uids) },
    },
  ];
}

interface Token {
  system: string | undefined;
  code: string;
}

/** `system|code`, `|code` or `code`. */
function tokenOf(value: string): Token {
  const [first = "", ...rest] = splitAt("|", value);
  if (rest.length === 0) return { system: undefined, code: plain(first) };
  return { system: plain(first), code: plain(rest.join("|")) };
}

function isUid({ system, code }: Token): boolean {
  if (system !== undefined) return system === DICOM_UID;
  return code.startsWith("urn:oid:") || /^\d+(\.\d+){3,}$/.test(code);
}

/** Never as a pattern, whatever a value holds. */
function exactly(values: readonly string[]): Wanted {
  const [value = ""] = values;
  const isPlain = values.length === 1 && !/[*?]/.test(value);
  // A text is looked for in an index.
  return isPlain
    ? { kind: "text", pattern: value, isName: false }
    : { kind: "list", values: new Set(values) };
}

/** Parts between separators. A backslash takes their meaning from a comma, a bar, a dollar sign and itself (§3.1.1.4.0). */
function splitAt(separator: "," | "|", text: string): string[] {
  const parts = [""];
  for (const [piece] of text.matchAll(/\\.|[\s\S]/gu)) {
    if (piece === separator) parts.push("");
    else parts.push(`${parts.pop()}${piece}`);
  }
  return parts;
}

function plain(part: string): string {
  return part.replace(/\\([\\,|$])/g, "$1");
}
