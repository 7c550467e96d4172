import { ProtocolError } from "./pdu.ts";

/*
 * Command sets (PS3.7 §6.3): implicit VR little endian, elements of group 0000.
 */

export const CommandField = {
  storeRequest: 0x0001,
  echoRequest: 0x0030,
  cancelRequest: 0x0fff,
} as const;

/** A response has the field of its request with this bit. */
export const RESPONSE = 0x8000;
const NO_DATA_SET = 0x0101;

/** Status codes of PS3.7 annex C and PS3.4 annex B. */
export const Status = {
  success: 0x0000,
  sopClassNotSupported: 0x0122,
  unrecognizedOperation: 0x0211,
  outOfResources: 0xa700,
  dataSetDoesNotMatch: 0xa900,
  cannotUnderstand: 0xc000,
} as const;

const Element = {
  groupLength: 0x0000,
  affectedSOPClassUID: 0x0002,
  commandField: 0x0100,
  messageID: 0x0110,
  messageIDBeingRespondedTo: 0x0120,
  commandDataSetType: 0x0800,
  status: 0x0900,
  errorComment: 0x0902,
  affectedSOPInstanceUID: 0x1000,
} as const;

const HEADER_BYTES = 8;
const MAX_COMMENT_LENGTH = 64;

export interface Command {
  field: number;
  messageID: number;
  hasDataSet: boolean;
  affectedSOPClassUID: string;
  affectedSOPInstanceUID: string;
}

/** @throws {ProtocolError} */
export function decodeCommand(bytes: Buffer): Command {
  const values = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    if (at + HEADER_BYTES > bytes.length) throw new ProtocolError("a command set is truncated");
    const end = at + HEADER_BYTES + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) throw new ProtocolError("a command set is truncated");
    if (bytes.readUInt16LE(at) === 0)
      values.set(bytes.readUInt16LE(at + 2), bytes.subarray(at + HEADER_BYTES, end));
    at = end;
  }
  const numberOf = (element: number) => {
    const value = values.get(element);
    if (value?.length !== 2) throw new ProtocolError(`a command set lacks 0000,${element.toString(16)}`);
    return value.readUInt16LE(0);
  };
  const uidOf = (element: number) =>
    values
      .get(element)
      ?.toString("latin1")
      .replace(/[\0 ]+$/, "") ?? "";
  const field = numberOf(Element.commandField);
  return {
    field,
    // A cancel request has no message ID of its own.
    messageID: field === CommandField.cancelRequest ? 0 : numberOf(Element.messageID),
    hasDataSet: numberOf(Element.commandDataSetType) !== NO_DATA_SET,
    affectedSOPClassUID: uidOf(Element.affectedSOPClassUID),
    affectedSOPInstanceUID: uidOf(Element.affectedSOPInstanceUID),
  };
}

/** The response to `command`, without a data set. `comment` says in ASCII why it failed. */
export function encodeResponse(command: Command, status: number, comment?: string): Buffer {
  const { affectedSOPClassUID, affectedSOPInstanceUID } = command;
  const elements = Buffer.concat([
    ...(affectedSOPClassUID ? [text(Element.affectedSOPClassUID, affectedSOPClassUID, "\0")] : []),
    short(Element.commandField, command.field | RESPONSE),
    short(Element.messageIDBeingRespondedTo, command.messageID),
    short(Element.commandDataSetType, NO_DATA_SET),
    short(Element.status, status),
    ...(comment ? [text(Element.errorComment, comment.slice(0, MAX_COMMENT_LENGTH), " ")] : []),
    ...(affectedSOPInstanceUID ? [text(Element.affectedSOPInstanceUID, affectedSOPInstanceUID, "\0")] : []),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(elements.length);
  return Buffer.concat([element(Element.groupLength, length), elements]);
}

function text(number: number, value: string, padding: string): Buffer {
  return element(number, Buffer.from(value.length % 2 === 0 ? value : value + padding, "latin1"));
}

function short(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return element(number, bytes);
}

function element(number: number, value: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16LE(number, 2);
  head.writeUInt32LE(value.length, 4);
  return Buffer.concat([head, value]);
}
