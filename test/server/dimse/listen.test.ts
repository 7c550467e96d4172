import { heapStats } from "bun:jsc";
import { describe, expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type DimseListenerOptions, listenForAssociations } from "../../../src/server/dimse/listen.ts";
import { negotiate } from "../../../src/server/dimse/negotiate.ts";
import { PduType } from "../../../src/server/dimse/pdu.ts";
import { readPdus } from "../../../src/server/dimse/read-pdus.ts";
import { withTimeout } from "../../../src/server/runtime/with-timeout.ts";
import { associateRequest, connectSender } from "../../support/dicom/dicom-sender.ts";
import { createAuthority } from "../../support/psp/certificates.ts";

const MAX_OBJECTS = 20_000;

async function listen(options: Partial<DimseListenerOptions> = {}) {
  const listener = await listenForAssociations({
    ...{ host: "127.0.0.1", port: 0, tls: undefined, maxConnections: 3, requestMs: 60_000, idleMs: 60_000 },
    implementation: { classUID: "2.25.1", versionName: "TESTE" },
    admit: async () => ({ begin: () => Promise.reject(new Error("not expected")), end: async () => {} }),
    onFailure: () => {},
    ...options,
  });
  return { port: listener.port, [Symbol.asyncDispose]: () => listener.close() };
}

/** Buffers that are alive. */
function countBuffers(): number {
  Bun.gc(true);
  const { Buffer: buffers = 0, Uint8Array: arrays = 0 } = heapStats().objectTypeCounts;
  return buffers + arrays;
}

test("connections that say nothing keep no sender out", async () => {
  await using listener = await listen();
  const silent = await Promise.all(Array.from({ length: 3 }, () => connectSender(listener.port)));
  for (let i = 0; i < 3; i++) {
    await using sender = await connectSender(listener.port);
    expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
    expect(await sender.echo()).toBe(0);
  }
  for (const sender of silent) await sender[Symbol.asyncDispose]();
});

async function connectPlain(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

describe("with TLS", () => {
  const authority = createAuthority("DICOM");
  const tls = authority.certify("exameteca");

  test("connections that never finish its handshake are counted, and keep no sender out", async () => {
    await using listener = await listen({ tls });
    const silent = [];
    for (let i = 0; i < 3; i++) silent.push(await connectPlain(listener.port));
    const gone = silent.slice(0, 1).map((socket) => once(socket, "close"));
    await using sender = await connectSender(listener.port, { ca: authority.cert });
    await Promise.all(gone);
    expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
    expect(await sender.echo()).toBe(0);
    expect(silent.map(({ closed }) => closed)).toEqual([true, false, false]);
    for (const socket of silent) socket.destroy();
  });

  test("a connection that does not finish its handshake in time is cut off", async () => {
    await using listener = await listen({ tls, requestMs: 200 });
    const socket = await connectPlain(listener.port);
    await once(socket, "close");
  });
});

describe("a peer that breaks the protocol is told how (PS3.8 table 9-26)", () => {
  const ECHO = "1.2.840.10008.1.1";
  const asking = (...ids: number[]) =>
    associateRequest(
      "CLINICA",
      "TESTE",
      ids.map((id) => [id, ECHO] as const),
    );
  const release = Buffer.from([5, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
  test.each([
    ["a PDU that does not exist", Buffer.from([9, 0, 0, 0, 0, 0]), 1],
    ["a release before an association", release, 2],
    ["an even number of a presentation context", asking(2), 6],
    ["one number for two presentation contexts", asking(1, 1), 6],
  ])("by %s", async (_, bytes, reason) => {
    await using listener = await listen();
    await using sender = await connectSender(listener.port);
    sender.raw(bytes);
    const pdu = await sender.next();
    expect([pdu?.type, pdu?.body[2], pdu?.body[3]]).toEqual([7, 2, reason]);
  });

  test("by a second request in an association", async () => {
    await using listener = await listen();
    await using sender = await connectSender(listener.port);
    expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
    sender.raw(asking(1));
    expect((await sender.next())?.body[3]).toBe(2);
  });
});

describe("an association ends", () => {
  const dataPduOf = (bytes: number) => {
    const head = Buffer.from([4, 0, 0, 0, 0, 0]);
    head.writeUInt32BE(bytes, 2);
    return head;
  };
  async function answerTo(bytes: Buffer) {
    await using listener = await listen();
    await using sender = await connectSender(listener.port);
    expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
    sender.raw(bytes);
    return await sender.next();
  }

  test("at a P-DATA-TF of one byte more than was agreed, not at one of all of them", async () => {
    const pdus = (bytes: number) => readPdus(chunksOf(dataPduOf(bytes), Buffer.alloc(bytes)), 128 * 1024);
    expect((await pdus(128 * 1024).next()).value?.body).toHaveLength(128 * 1024);
    expect(pdus(128 * 1024 + 1).next()).rejects.toThrow("longer than agreed");
    expect((await answerTo(dataPduOf(128 * 1024 + 1)))?.type).toBe(7);
  });

  test("at a command set of more than 16 KiB", async () => {
    const fragment = dataPdu([Buffer.alloc(8 * 1024 + 1)], 1, 1);
    expect((await answerTo(Buffer.concat([fragment, fragment])))?.type).toBe(7);
  });

  test("at a command in a presentation context that was not accepted", async () => {
    expect((await answerTo(dataPdu([storeCommand()], 3, 9)))?.type).toBe(7);
  });
});

test("an instance of another class than its context has is refused, and its data set is dropped", async () => {
  await using listener = await listen();
  await using sender = await connectSender(listener.port);
  expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
  // Of CT, in the context of secondary captures.
  sender.raw(Buffer.concat([dataPdu([storeCommand()], 3, 5), dataPdu([Buffer.from("data")], 2, 5)]));
  const { body } = (await sender.next()) ?? {};
  expect(body?.includes(Buffer.from([0, 0, 0, 9, 2, 0, 0, 0, 0x22, 0x01]))).toBe(true);
  expect(await sender.echo()).toBe(0);
});

test("a response is cut into PDUs as short as the peer takes", async () => {
  await using listener = await listen();
  await using sender = await connectSender(listener.port);
  const request = associateRequest("CLINICA", "T");
  // The maximum length is the last of its values.
  request.writeUInt32BE(32, request.length - 4);
  sender.raw(request);
  expect((await sender.next())?.type).toBe(2);
  sender.raw(Buffer.concat([dataPdu([storeCommand()], 3, 5), dataPdu([Buffer.from("data")], 2, 5)]));
  const fragments: Buffer[] = [];
  for (let isLast = false; !isLast; ) {
    const { body } = (await sender.next()) ?? {};
    if (!body) throw new Error("the connection ended");
    expect([body.length <= 32, body.length % 2, body.readUInt32BE(0), body[4]]).toEqual([
      true,
      0,
      body.length - 4,
      5,
    ]);
    isLast = body[5] === 3;
    fragments.push(body.subarray(6));
  }
  const response = Buffer.concat(fragments);
  expect(response.readUInt32LE(8)).toBe(response.length - 12);
  expect(response.includes(Buffer.from([0, 0, 0, 9, 2, 0, 0, 0, 0x22, 0x01]))).toBe(true);
});

test("an accepted association repeats the titles and reserved bytes of its request (PS3.8 table 9-17)", async () => {
  await using listener = await listen();
  await using sender = await connectSender(listener.port);
  const request = associateRequest("  CLINICA\0\0", "TESTE");
  request.fill(0xa5, 42, 74);
  sender.raw(request);
  const { type, body } = (await sender.next()) ?? {};
  expect([type, body?.subarray(4, 68)]).toEqual([2, request.subarray(10, 74)]);
});

test("what a sender negotiates beside classes and syntaxes stays at DICOM's defaults, and it may send (PS3.7 annex D.3.3)", async () => {
  await using listener = await listen();
  const ct = Buffer.from("\0\x191.2.840.10008.5.1.4.1.1.2", "latin1");
  const negotiated = [
    [0x53, Buffer.from([0, 0, 0, 0])], // asynchronous operations without a limit
    [0x54, Buffer.concat([ct, Buffer.from([1, 1])])], // both roles
    [0x56, Buffer.concat([ct, Buffer.from([2, 0, 3, 0, 1, 0])])], // levels of storage
    [0x57, Buffer.concat([ct, Buffer.from("\0\x111.2.840.10008.4.2\0\0", "latin1")])], // its service class
    [0x58, Buffer.from("\x02\x01\0\x03ana\0\x05senha", "latin1")], // a user, and a wish to hear that they are known
    [0x5f, Buffer.from("later")],
  ] as const satisfies [number, Buffer][];
  const answerTo = async (more: readonly [number, Buffer][]) => {
    await using sender = await connectSender(listener.port);
    sender.raw(associateRequest("CLINICA", "TESTE", undefined, more));
    const answer = await sender.next();
    expect(await sender.echo()).toBe(0);
    await sender.release();
    return answer;
  };
  const plain = await answerTo([]);
  expect(plain?.type).toBe(PduType.associateAccept);
  expect(await answerTo(negotiated)).toEqual(plain);
});

test("a manufacturer's own classes may be stored, and DICOM's classes that are not of storage may not", () => {
  const results = (...uids: string[]) =>
    negotiate({
      contexts: uids.map((abstractSyntax, index) => ({
        ...{ id: 2 * index + 1, abstractSyntax, transferSyntaxes: ["1.2.840.10008.1.2.1"] },
      })),
    }).answers.map(({ result }) => result);
  const accepted = [
    "1.3.12.2.1107.5.9.1",
    "1.2.840.113619.4.30",
    "1.2.840.10008.5.1.4.1.1.2",
    "1.2.840.10008.1.1",
  ];
  expect(results(...accepted)).toEqual(accepted.map(() => "accepted"));
  const refused = ["1.2.840.10008.5.1.4.1.2.2.1", "1.2.840.10008.5.1.4.1.1.40", "", "no UID"];
  expect(results(...refused)).toEqual(refused.map(() => "abstractSyntaxUnknown"));
});

test("an association goes on when further connections come", async () => {
  await using listener = await listen();
  const served = await Promise.all(Array.from({ length: 3 }, () => connectSender(listener.port)));
  for (const sender of served) expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
  await using further = await connectSender(listener.port);
  expect(await further.next()).toBeUndefined();
  for (const sender of served) expect(await sender.echo()).toBe(0);
  for (const sender of served) await sender[Symbol.asyncDispose]();
});

test("a connection that asks for an association byte by byte is cut off", async () => {
  await using listener = await listen({ requestMs: 200 });
  await using sender = await connectSender(listener.port);
  const request = associateRequest("CLINICA", "TESTE");
  let sentBytes = 0;
  const drip = setInterval(() => sender.raw(request.subarray(sentBytes, ++sentBytes)), 20);
  expect(await sender.next()).toBeUndefined();
  clearInterval(drip);
  expect(sentBytes).toBeLessThan(request.length);
});

test("a peer that does not close when its association is over is cut off", async () => {
  await using listener = await listen({ lingerMs: 200 });
  const socket = connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.on("data", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(Buffer.from([PduType.releaseRequest, 0, 0, 0, 0, 4, 0, 0, 0, 0]));
  await once(socket, "end");
  const talking = setInterval(() => socket.write("?"), 20);
  expect(await withTimeout(closed, 10_000)).toBe(true);
  clearInterval(talking);
});

test("an association that says nothing for a while is cut off", async () => {
  await using listener = await listen({ idleMs: 200 });
  await using sender = await connectSender(listener.port);
  expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
  expect(await sender.echo()).toBe(0);
  expect(await sender.next()).toBeUndefined();
});

test("fragments of a command without content are not kept", async () => {
  await using listener = await listen();
  await using sender = await connectSender(listener.port);
  expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
  const fragments = Buffer.concat(Array(20_000).fill(Buffer.from([0, 0, 0, 2, 1, 1])));
  const head = Buffer.from([4, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(fragments.length, 2);
  using joining = spyOn(Buffer, "concat");
  sender.raw(Buffer.concat([head, fragments]));
  // Its command goes on behind the fragments, in the same context.
  expect(await sender.echo()).toBe(0);
  expect(Math.max(...joining.mock.calls.map(([pieces]) => pieces.length))).toBeLessThan(1_000);
});

test("a PDU that arrives byte by byte takes no more memory than its bytes", async () => {
  const whole = Buffer.concat([Buffer.from([4, 0, 0, 1, 0, 0]), Buffer.alloc(65_536, 7)]);
  const before = countBuffers();
  let mostBuffers = 0;
  async function* bytes() {
    for (const [index, byte] of whole.entries()) {
      if (index === whole.length - 1) mostBuffers = countBuffers() - before;
      yield Buffer.from([byte]);
    }
  }
  const read = [];
  for await (const { type, body } of readPdus(bytes(), 128 * 1024))
    read.push({ type, body: Buffer.from(body) });
  expect(read).toEqual([{ type: 4, body: whole.subarray(6) }]);
  expect(mostBuffers).toBeLessThan(MAX_OBJECTS);
});

test("a sender that cuts its data into very many values keeps no other one waiting", async () => {
  let written = 0;
  const slow = {
    async write() {
      for (const endsAt = performance.now() + 0.5; performance.now() < endsAt; );
      written++;
    },
    finish: async () => ({ status: 0 }),
  };
  await using listener = await listen({
    admit: async () => ({ begin: async () => slow, end: async () => {} }),
  });
  await using hostile = await connectSender(listener.port);
  await using honest = await connectSender(listener.port);
  for (const sender of [hostile, honest])
    expect(await sender.associate({ called: "CLINICA" })).toBe("accepted");
  hostile.raw(Buffer.concat([dataPdu([storeCommand()], 3), dataPdu(Array(2_000).fill(Buffer.from("A")), 0)]));
  while (written === 0) await Bun.sleep(1);
  expect(await honest.echo()).toBe(0);
  expect(written).toBeLessThan(1_000);
});

async function* chunksOf(...chunks: Buffer[]) {
  yield* chunks;
}

/** A P-DATA-TF of values; without another context, in that of CT images. */
function dataPdu(values: readonly Buffer[], control: number, contextId = 3): Buffer {
  const parts = values.map((value) => {
    const head = Buffer.from([0, 0, 0, 0, contextId, control]);
    head.writeUInt32BE(value.length + 2, 0);
    return Buffer.concat([head, value]);
  });
  const body = Buffer.concat(parts);
  const head = Buffer.from([4, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** The command set of a C-STORE request, whose data set follows. */
function storeCommand(): Buffer {
  const element = (number: number, value: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt16LE(number, 2);
    head.writeUInt32LE(value.length, 4);
    return Buffer.concat([head, value]);
  };
  const short = (value: number) => Buffer.from([value, 0]);
  return Buffer.concat([
    element(0x0002, Buffer.from("1.2.840.10008.5.1.4.1.1.2\0")),
    element(0x0100, short(1)),
    element(0x0110, short(1)),
    element(0x0800, short(0)),
    element(0x1000, Buffer.from("2.25.30\0")),
  ]);
}
