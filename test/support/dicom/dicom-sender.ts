import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { readPdus } from "../../../src/server/dimse/read-pdus.ts";

/** A service class user, written against PS3.7 and PS3.8 and not against the server's own encoder. */
export interface DicomSender extends AsyncDisposable {
  /** A-ASSOCIATE-AC, or result, source and reason of an A-ASSOCIATE-RJ. */
  associate(options: AssociateOptions): Promise<"accepted" | number[]>;
  echo(): Promise<number>;
  /** Sends a data set; the status of the response. */
  store(instance: SentInstance): Promise<number>;
  release(): Promise<void>;
  /** Sends bytes as they are. */
  raw(bytes: Buffer): void;
  /** The next PDU: its type and body; `undefined` when the connection is closed. */
  next(): Promise<{ type: number; body: Buffer } | undefined>;
}

export interface AssociateOptions {
  called: string;
  calling?: string;
}

export interface SentInstance {
  sopClassUID: string;
  sopInstanceUID: string;
  /** Explicit VR little endian. */
  dataSet: Buffer;
}

const EXPLICIT = "1.2.840.10008.1.2.1";
const VERIFICATION = "1.2.840.10008.1.1";
/** The classes that a test may send, by the id of their context. */
const CONTEXTS = new Map([
  [1, VERIFICATION],
  [3, "1.2.840.10008.5.1.4.1.1.2"],
  [5, "1.2.840.10008.5.1.4.1.1.7"],
]);
const FRAGMENT_BYTES = 32_000;

export async function connectSender(port: number, tls?: { ca: string }): Promise<DicomSender> {
  const socket: Socket = tls
    ? connectTls({ port, host: "127.0.0.1", ca: tls.ca, checkServerIdentity: () => undefined })
    : connect({ port, host: "127.0.0.1" });
  await new Promise<void>((resolve, reject) => {
    socket.once(tls ? "secureConnect" : "connect", () => resolve());
    socket.once("error", reject);
  });
  socket.on("error", () => undefined);
  const pdus = readPdus(socket, 1024 * 1024);
  let messages = 0;

  async function next() {
    const { value, done } = await pdus.next().catch(() => ({ value: undefined, done: true }));
    return done || !value ? undefined : { type: value.type, body: Buffer.from(value.body) };
  }

  async function answered(): Promise<number> {
    const pdu = await next();
    if (pdu?.type !== 4) throw new Error(`no response, but ${pdu?.type ?? "the end"}`);
    // The command set begins behind length, context and control; its elements have fixed lengths but for UIDs.
    for (let at = 6; at < pdu.body.length; at += 8 + pdu.body.readUInt32LE(at + 4))
      if (pdu.body.readUInt16LE(at + 2) === 0x0900) return pdu.body.readUInt16LE(at + 8);
    throw new Error("a response without a status");
  }

  function send(contextId: number, control: number, bytes: Buffer): void {
    const head = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0, 0, contextId, control]);
    head.writeUInt32BE(bytes.length + 6, 2);
    head.writeUInt32BE(bytes.length + 2, 6);
    socket.write(Buffer.concat([head, bytes]));
  }

  return {
    async associate({ called, calling = "TESTE" }) {
      socket.write(associateRequest(called, calling));
      const pdu = await next();
      return pdu?.type === 2 ? "accepted" : [...(pdu?.body.subarray(1, 4) ?? [])];
    },
    async echo() {
      send(1, 3, command({ field: 0x30, id: ++messages, sopClassUID: VERIFICATION }));
      return await answered();
    },
    async store({ sopClassUID, sopInstanceUID, dataSet }) {
      const [contextId] = [...CONTEXTS].find(([, uid]) => uid === sopClassUID) ?? [7];
      send(contextId, 3, command({ field: 1, id: ++messages, sopClassUID, sopInstanceUID }));
      for (let at = 0; at === 0 || at < dataSet.length; at += FRAGMENT_BYTES) {
        const isLast = at + FRAGMENT_BYTES >= dataSet.length;
        send(contextId, isLast ? 2 : 0, dataSet.subarray(at, at + FRAGMENT_BYTES));
      }
      return await answered();
    },
    async release() {
      socket.write(Buffer.from([5, 0, 0, 0, 0, 4, 0, 0, 0, 0]));
      if ((await next())?.type !== 6) throw new Error("no A-RELEASE-RP");
      socket.end();
    },
    raw: (bytes) => void socket.write(bytes),
    next,
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}

export function associateRequest(
  called: string,
  calling: string,
  proposed: Iterable<readonly [id: number, abstractSyntax: string]> = CONTEXTS,
  negotiated: readonly [type: number, content: Buffer][] = [],
): Buffer {
  const fixed = Buffer.alloc(68);
  fixed.writeUInt16BE(1, 0);
  fixed.write(called.padEnd(16), 4, "latin1");
  fixed.write(calling.padEnd(16), 20, "latin1");
  const contexts = [...proposed].map(([id, uid]) =>
    item(0x20, Buffer.from([id, 0, 0, 0]), item(0x30, Buffer.from(uid)), item(0x40, Buffer.from(EXPLICIT))),
  );
  const maximum = item(0x51, Buffer.from([0, 1, 0, 0]));
  const body = Buffer.concat([
    fixed,
    item(0x10, Buffer.from("1.2.840.10008.3.1.1.1")),
    ...contexts,
    item(0x50, maximum, ...negotiated.map(([type, content]) => item(type, content))),
  ]);
  const head = Buffer.from([1, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
}

function item(type: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const head = Buffer.from([type, 0, 0, 0]);
  head.writeUInt16BE(content.length, 2);
  return Buffer.concat([head, content]);
}

function command(given: { field: number; id: number; sopClassUID: string; sopInstanceUID?: string }): Buffer {
  const { field, id, sopClassUID, sopInstanceUID } = given;
  const elements = Buffer.concat([
    uid(0x0002, sopClassUID),
    short(0x0100, field),
    short(0x0110, id),
    short(0x0700, 0),
    short(0x0800, sopInstanceUID ? 1 : 0x0101),
    ...(sopInstanceUID ? [uid(0x1000, sopInstanceUID)] : []),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(elements.length);
  return Buffer.concat([element(0, length), elements]);
}

function uid(number: number, value: string): Buffer {
  return element(number, Buffer.from(value.length % 2 === 0 ? value : `${value}\0`));
}

function short(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return element(number, bytes);
}

function element(number: number, value: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(number, 2);
  head.writeUInt32LE(value.length, 4);
  return Buffer.concat([head, value]);
}
