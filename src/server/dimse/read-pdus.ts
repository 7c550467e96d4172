import { AbortReason, PDU_HEADER_BYTES, PduType, ProtocolError } from "./pdu.ts";

export interface Pdu {
  type: number;
  /** Valid until the next one is asked for. */
  body: Buffer;
}

/** 128 contexts of 60 syntaxes each take less. */
const MAX_ASSOCIATE_BYTES = 512 * 1024;
const MAX_CONTROL_BYTES = 1024;
/** Of a PDU that arrives byte by byte, each piece would take more memory than the PDU. */
const MAX_PIECES = 256;

/**
 * The PDUs of a connection, one at a time: nothing is read ahead beyond one of them, so that a peer is as slow as what it sends is
 * stored. Ends with the connection.
 * @param maxDataBytes the length of P-DATA-TF that was agreed on
 * @throws {ProtocolError} for a type or a length that is not allowed
 */
export async function* readPdus(
  chunks: AsyncIterable<Buffer>,
  maxDataBytes: number,
): AsyncGenerator<Pdu, void> {
  const arrived: Buffer[] = [];
  let arrivedBytes = 0;
  let neededBytes = PDU_HEADER_BYTES;
  for await (const chunk of chunks) {
    arrived.push(chunk);
    arrivedBytes += chunk.length;
    if (arrived.length > MAX_PIECES) arrived.splice(0, arrived.length, Buffer.concat(arrived));
    if (arrivedBytes < neededBytes) continue;
    const [first = chunk] = arrived;
    let rest = arrived.length === 1 ? first : Buffer.concat(arrived);
    for (;;) {
      const wholeBytes = wholeLength(rest, maxDataBytes);
      if (rest.length < wholeBytes) {
        neededBytes = wholeBytes;
        break;
      }
      yield { type: rest.readUInt8(0), body: rest.subarray(PDU_HEADER_BYTES, wholeBytes) };
      rest = rest.subarray(wholeBytes);
    }
    arrived.length = 0;
    if (rest.length > 0) arrived.push(rest);
    arrivedBytes = rest.length;
  }
}

/** The length of the PDU that begins at `bytes`, with its header; of the header alone as long as that is incomplete. */
function wholeLength(bytes: Buffer, maxDataBytes: number): number {
  if (bytes.length < PDU_HEADER_BYTES) return PDU_HEADER_BYTES;
  const type = bytes.readUInt8(0);
  const length = bytes.readUInt32BE(2);
  const maximum =
    type === PduType.data
      ? maxDataBytes
      : type === PduType.associateRequest
        ? MAX_ASSOCIATE_BYTES
        : MAX_CONTROL_BYTES;
  if (type < PduType.associateRequest || type > PduType.abort)
    throw new ProtocolError("an unknown PDU", AbortReason.unrecognizedPdu);
  if (length > maximum) throw new ProtocolError("a PDU is longer than agreed");
  return PDU_HEADER_BYTES + length;
}
