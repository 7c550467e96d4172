import { TransferSyntax } from "../../shared/dicom/transfer-syntax.ts";
import { isUid } from "../../shared/dicom/uid.ts";
import type { AnsweredContext, AssociateRequest } from "./pdu.ts";

export const VERIFICATION = "1.2.840.10008.1.1";

const DICOM_ROOT = "1.2.840.10008.";
/** Nearly all composite storage classes with a study are under this root (PS3.4 table B.5-1). */
export const STORAGE_ROOT = "1.2.840.10008.5.1.4.1.1.";
/** RT Beams Delivery Instruction and RT Brachy Application Setup Delivery Instruction. */
export const OTHER_STORAGE: ReadonlySet<string> = new Set([
  "1.2.840.10008.5.1.4.34.7",
  "1.2.840.10008.5.1.4.34.10",
]);
/** Under the root, but a directory. */
export const NOT_STORAGE: ReadonlySet<string> = new Set(["1.2.840.10008.5.1.4.1.1.40"]);
/** All of PS3.5 annex A and of PS3.6 table A-1 are under this root. */
const SYNTAX_ROOT = "1.2.840.10008.1.2";
/** Syntaxes whose data sets lack their pixels (JPIP, RTP) or are no data sets (MIME, XML). */
const NO_PIXELS = /^1\.2\.840\.10008\.1\.2\.(4\.9[45]|4\.20[45]|6|7)(\.|$)/;

export interface AcceptedContext {
  abstractSyntax: string;
  transferSyntax: string;
}

/** Nothing tells whether a manufacturer's own class is one of storage; what is sent in it is kept if it has a study. */
export function isStorageClass(uid: string): boolean {
  if (NOT_STORAGE.has(uid)) return false;
  if (isUid(uid) && !uid.startsWith(DICOM_ROOT)) return true;
  return (uid.startsWith(STORAGE_ROOT) && uid.length > STORAGE_ROOT.length) || OTHER_STORAGE.has(uid);
}

export function isStoredSyntax(uid: string): boolean {
  return (uid === SYNTAX_ROOT || uid.startsWith(`${SYNTAX_ROOT}.`)) && !NO_PIXELS.test(uid);
}

/**
 * Answers each proposed presentation context. Every storage class is accepted, manufacturers' own ones too, in the first transfer syntax
 * that the peer names and that can be stored: images stay in the syntax that they have, and nothing is converted.
 */
export function negotiate({ contexts }: Pick<AssociateRequest, "contexts">): {
  answers: AnsweredContext[];
  accepted: Map<number, AcceptedContext>;
} {
  const accepted = new Map<number, AcceptedContext>();
  const answers = contexts.map(({ id, abstractSyntax, transferSyntaxes }): AnsweredContext => {
    const refused = { id, transferSyntax: transferSyntaxes[0] ?? TransferSyntax.implicitLittleEndian };
    if (abstractSyntax !== VERIFICATION && !isStorageClass(abstractSyntax))
      return { ...refused, result: "abstractSyntaxUnknown" };
    const transferSyntax = transferSyntaxes.find(isStoredSyntax);
    if (transferSyntax === undefined) return { ...refused, result: "transferSyntaxesUnknown" };
    accepted.set(id, { abstractSyntax, transferSyntax });
    return { id, result: "accepted", transferSyntax };
  });
  return { answers, accepted };
}
