/*
 * Protocol data units of the DICOM upper layer (PS3.8 §9.3). Numbers are big endian.
 */

export const PduType = {
  associateRequest: 0x01,
  associateAccept: 0x02,
  associateReject: 0x03,
  data: 0x04,
  releaseRequest: 0x05,
  releaseReply: 0x06,
  abort: 0x07,
} as const;

/** Type, reserved byte and length. */
export const PDU_HEADER_BYTES = 6;

const APPLICATION_CONTEXT = "1.2.840.10008.3.1.1.1";
const PROTOCOL_VERSION = 1;
const TITLE_BYTES = 16;
/** Of an A-ASSOCIATE-RQ: version, reserved bytes, both titles. */
const FIXED_BYTES = 68;
/** Behind the version and the reserved bytes. */
const REPEATED_AT = 4;
const MAX_CONTEXTS = 128;
const MAX_SYNTAXES = 64;
const MAX_UID_LENGTH = 64;

const Item = {
  applicationContext: 0x10,
  proposedContext: 0x20,
  acceptedContext: 0x21,
  abstractSyntax: 0x30,
  transferSyntax: 0x40,
  userInformation: 0x50,
  maximumLength: 0x51,
  implementationClass: 0x52,
  implementationVersion: 0x55,
} as const;

/** Reasons of an abort by the service provider (PS3.8 table 9-26). */
export const AbortReason = {
  notSpecified: 0,
  unrecognizedPdu: 1,
  unexpectedPdu: 2,
  invalidValue: 6,
} as const;

/** A peer sent what the upper layer does not allow; the association is aborted. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
  constructor(
    message: string,
    readonly reason: number = AbortReason.invalidValue,
  ) {
    super(message);
  }
}

export interface ProposedContext {
  /** Odd, 1 to 255. */
  id: number;
  abstractSyntax: string;
  transferSyntaxes: string[];
}

export interface AssociateRequest {
  protocolVersion: number;
  applicationContext: string;
  /** Without leading and trailing spaces, which are not significant (PS3.5 §6.2, AE). */
  calledAETitle: string;
  callingAETitle: string;
  /** The titles as they were sent, and the reserved bytes behind them: an A-ASSOCIATE-AC repeats them (PS3.8 table 9-17). */
  repeated: Buffer;
  contexts: ProposedContext[];
  /** The largest P-DATA-TF that the peer takes; 0: any. */
  maxLength: number;
}

/** @throws {ProtocolError} */
export function decodeAssociateRequest(body: Buffer): AssociateRequest {
  if (body.length < FIXED_BYTES) throw new ProtocolError("A-ASSOCIATE-RQ is too short");
  const request: AssociateRequest = {
    protocolVersion: body.readUInt16BE(0),
    applicationContext: "",
    calledAETitle: titleAt(body, 4),
    callingAETitle: titleAt(body, 4 + TITLE_BYTES),
    // The PDU's memory is used again.
    repeated: Buffer.from(body.subarray(REPEATED_AT, FIXED_BYTES)),
    contexts: [],
    maxLength: 0,
  };
  for (const { type, content } of itemsOf(body.subarray(FIXED_BYTES))) {
    if (type === Item.applicationContext) request.applicationContext = uidOf(content);
    else if (type === Item.proposedContext) request.contexts.push(proposedContext(content));
    else if (type === Item.userInformation) request.maxLength = maxLengthIn(content);
    if (request.contexts.length > MAX_CONTEXTS) throw new ProtocolError("too many presentation contexts");
  }
  if (new Set(request.contexts.map(({ id }) => id)).size < request.contexts.length)
    throw new ProtocolError("two presentation contexts have one number");
  return request;
}

export function isKnownRequest({ protocolVersion, applicationContext }: AssociateRequest): boolean {
  return (protocolVersion & PROTOCOL_VERSION) !== 0 && applicationContext === APPLICATION_CONTEXT;
}

function titleAt(body: Buffer, offset: number): string {
  return body
    .toString("latin1", offset, offset + TITLE_BYTES)
    .replace(/\0/g, " ")
    .trim();
}

function uidOf(content: Buffer): string {
  if (content.length > MAX_UID_LENGTH + 1) throw new ProtocolError("a UID is too long");
  return content.toString("latin1").replace(/[\0 ]+$/, "");
}

function* itemsOf(bytes: Buffer): Generator<{ type: number; content: Buffer }> {
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) throw new ProtocolError("an item is truncated");
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) throw new ProtocolError("an item is truncated");
    yield { type: bytes.readUInt8(at), content: bytes.subarray(at + 4, end) };
    at = end;
  }
}

function proposedContext(content: Buffer): ProposedContext {
  if (content.length < 4) throw new ProtocolError("a presentation context is truncated");
  const context: ProposedContext = { id: content.readUInt8(0), abstractSyntax: "", transferSyntaxes: [] };
  if (context.id % 2 === 0) throw new ProtocolError("a presentation context has an even number");
  for (const item of itemsOf(content.subarray(4))) {
    if (item.type === Item.abstractSyntax) context.abstractSyntax = uidOf(item.content);
    else if (item.type === Item.transferSyntax) context.transferSyntaxes.push(uidOf(item.content));
    if (context.transferSyntaxes.length > MAX_SYNTAXES) throw new ProtocolError("too many transfer syntaxes");
  }
  return context;
}

function maxLengthIn(content: Buffer): number {
  for (const item of itemsOf(content))
    if (item.type === Item.maximumLength && item.content.length === 4) return item.content.readUInt32BE(0);
  return 0;
}

/** PS3.8 table 9-18. */
export type ContextResult = "accepted" | "abstractSyntaxUnknown" | "transferSyntaxesUnknown";
const CONTEXT_RESULTS: Record<ContextResult, number> = {
  accepted: 0,
  abstractSyntaxUnknown: 3,
  transferSyntaxesUnknown: 4,
};

export interface AnsweredContext {
  id: number;
  result: ContextResult;
  /** Not significant unless it is accepted. */
  transferSyntax: string;
}

export interface AssociateAccept extends Pick<AssociateRequest, "repeated"> {
  contexts: readonly AnsweredContext[];
  maxLength: number;
  implementation: Implementation;
}

export interface Implementation {
  classUID: string;
  /** At most 16 characters. */
  versionName: string;
}

export function encodeAssociateAccept(accept: AssociateAccept): Buffer {
  const { repeated, contexts, maxLength, implementation } = accept;
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.writeUInt16BE(PROTOCOL_VERSION, 0);
  repeated.copy(fixed, REPEATED_AT);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(maxLength);
  const items = [
    item(Item.applicationContext, Buffer.from(APPLICATION_CONTEXT)),
    ...contexts.map(({ id, result, transferSyntax }) =>
      item(
        Item.acceptedContext,
        Buffer.concat([
          Buffer.from([id, 0, CONTEXT_RESULTS[result], 0]),
          item(Item.transferSyntax, Buffer.from(transferSyntax)),
        ]),
      ),
    ),
    item(
      Item.userInformation,
      Buffer.concat([
        item(Item.maximumLength, length),
        item(Item.implementationClass, Buffer.from(implementation.classUID)),
        item(Item.implementationVersion, Buffer.from(implementation.versionName)),
      ]),
    ),
  ];
  return pdu(PduType.associateAccept, Buffer.concat([fixed, ...items]));
}

/** Why an association is rejected: result, source and reason of PS3.8 table 9-21. */
export const Rejection = {
  applicationContextUnknown: [1, 1, 2],
  callingAETitleUnknown: [1, 1, 3],
  calledAETitleUnknown: [1, 1, 7],
  protocolVersionUnknown: [1, 2, 2],
  congestion: [2, 3, 1],
  limitExceeded: [2, 3, 2],
} as const;
export type RejectionName = keyof typeof Rejection;

export function encodeAssociateReject(name: RejectionName): Buffer {
  return pdu(PduType.associateReject, Buffer.from([0, ...Rejection[name]]));
}

export function encodeReleaseReply(): Buffer {
  return pdu(PduType.releaseReply, Buffer.alloc(4));
}

export function encodeAbort(reason: number): Buffer {
  return pdu(PduType.abort, Buffer.from([0, 0, 2, reason]));
}

/** A fragment of a message: a command set or a data set, in one presentation context. */
export interface DataValue {
  contextId: number;
  isCommand: boolean;
  isLast: boolean;
  bytes: Buffer;
}

/** The fragments of a P-DATA-TF. @throws {ProtocolError} */
export function* dataValuesOf(body: Buffer): Generator<DataValue> {
  for (let at = 0; at < body.length; ) {
    if (at + 6 > body.length) throw new ProtocolError("a presentation data value is truncated");
    const end = at + 4 + body.readUInt32BE(at);
    if (end > body.length || end < at + 6)
      throw new ProtocolError("a presentation data value has a wrong length");
    const control = body.readUInt8(at + 5);
    yield {
      contextId: body.readUInt8(at + 4),
      isCommand: (control & 1) !== 0,
      isLast: (control & 2) !== 0,
      bytes: body.subarray(at + 6, end),
    };
    at = end;
  }
}

const VALUE_HEADER_BYTES = 6;

/** A whole command set, in P-DATA-TFs that are no longer than the peer takes (PS3.8 §D.1). @param maxLength 0: of any length */
export function encodeCommand(contextId: number, command: Buffer, maxLength: number): Buffer {
  // Fragments have an even length.
  const room = Math.max(2, maxLength - VALUE_HEADER_BYTES - (maxLength % 2));
  const fragmentBytes = maxLength === 0 ? command.length : room;
  const pdus: Buffer[] = [];
  for (let at = 0; at < command.length; at += fragmentBytes) {
    const fragment = command.subarray(at, at + fragmentBytes);
    const head = Buffer.alloc(VALUE_HEADER_BYTES);
    head.writeUInt32BE(fragment.length + 2, 0);
    head.writeUInt8(contextId, 4);
    head.writeUInt8(at + fragment.length < command.length ? 0x01 : 0x03, 5);
    pdus.push(pdu(PduType.data, Buffer.concat([head, fragment])));
  }
  return Buffer.concat(pdus);
}

function item(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(content.length, 2);
  return Buffer.concat([head, content]);
}

function pdu(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(PDU_HEADER_BYTES);
  head.writeUInt8(type, 0);
  head.writeUInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
}
