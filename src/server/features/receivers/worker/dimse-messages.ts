import type { AssociationRequest, StoreResult } from "../../../dimse/association.ts";
import type { TlsIdentity } from "../../../dimse/listen.ts";
import type { RejectionName } from "../../../dimse/pdu.ts";
import type { Verdict } from "./judge-file.ts";

/** The first message to the process. */
export interface StartDimse {
  kind: "start";
  host: string;
  port: number;
  tls: TlsIdentity | undefined;
  /** Where an instance is written as it arrives. */
  folder: string;
  maxInstanceBytes: number;
  maxConnections: number;
  requestMs: number;
  idleMs: number;
}

/** A readable instance in a file of the process's folder. */
export interface ArrivedInstance {
  association: string;
  /** The name of the file. */
  file: string;
  sizeBytes: number;
  crc32: number;
  studyInstanceUID: string;
  seriesInstanceUID: string;
  sopInstanceUID: string;
  transferSyntaxUID: string;
}

/** A file of the process's folder. */
export interface JudgedFile {
  file: string;
  sizeBytes: number;
}

/** An association that may store, perhaps in the place of another one that is cut off, or why there is none. */
export type Admission = { association: string; instead?: string } | { rejection: RejectionName };

/** What the process asks the server, by the name of the question. */
export interface DimseQuestions {
  admit: { ask: AssociationRequest; answer: Admission };
  /** Room on the disk for the next bytes of an instance; those reserved before are written. */
  reserve: { ask: { association: string; bytes: number }; answer: boolean };
  /** A file that is too much work for the process of all senders. */
  judge: { ask: JudgedFile & { association: string }; answer: Verdict };
  store: { ask: ArrivedInstance; answer: StoreResult };
  end: { ask: { association: string }; answer: null };
}
export type QuestionName = keyof DimseQuestions;

export type ToDimse =
  | StartDimse
  | { kind: "identify"; identity: TlsIdentity }
  | { kind: "answer"; id: number; answer: unknown };

/** A question of one kind: `name` tells which. */
export type Question = {
  [Name in QuestionName]: { name: Name; ask: DimseQuestions[Name]["ask"] };
}[QuestionName];

export type FromDimse =
  | { kind: "ready" }
  | { kind: "listening"; port: number }
  | { kind: "deaf"; detail: string }
  | { kind: "ask"; id: number; question: Question };
