import type { Socket } from "node:net";
import { WorkTurn } from "../runtime/work-turn.ts";
import {
  type Command,
  CommandField,
  decodeCommand,
  encodeResponse,
  RESPONSE,
  Status,
} from "./command-set.ts";
import { type AcceptedContext, negotiate, VERIFICATION } from "./negotiate.ts";
import {
  AbortReason,
  type AssociateRequest,
  type DataValue,
  dataValuesOf,
  decodeAssociateRequest,
  encodeAbort,
  encodeAssociateAccept,
  encodeAssociateReject,
  encodeCommand,
  encodeReleaseReply,
  type Implementation,
  isKnownRequest,
  PduType,
  ProtocolError,
  type RejectionName,
} from "./pdu.ts";
import { type Pdu, readPdus } from "./read-pdus.ts";

/** What a C-STORE request says of its instance, whose data set follows. */
export interface AnnouncedInstance {
  sopClassUID: string;
  sopInstanceUID: string;
  transferSyntaxUID: string;
}

export interface StoreResult {
  /** As PS3.4 table B.2-1; 0 only if the instance is durable. */
  status: number;
  /** At most 64 ASCII characters. */
  comment?: string;
}

/** Takes one instance. */
export interface InstanceSink {
  /** `bytes` are valid until it resolves. After a failure it takes the rest of the data set and drops it. */
  write(bytes: Buffer): Promise<void>;
  finish(): Promise<StoreResult>;
}

/** Takes the instances of one association. */
export interface AssociationSink {
  begin(instance: AnnouncedInstance): Promise<InstanceSink>;
  /** However it ended; an instance that was not finished is dropped. */
  end(): Promise<void>;
}

export interface AssociationRequest {
  calledAETitle: string;
  callingAETitle: string;
  /** Of the peer. */
  address: string;
}

export interface AssociationOptions {
  implementation: Implementation;
  /** Decides who may store. `cut` ends the connection, now or later. */
  admit(asked: AssociationRequest, cut: () => void): Promise<AssociationSink | RejectionName>;
  /** A connection that has not asked for an association whole by then is cut off (PS3.8 §9.1.5, ARTIM). */
  requestMs: number;
  /** A peer that sends nothing for so long is cut off. */
  idleMs: number;
  /** How long a peer may take to read the last answer and close (30 s). */
  lingerMs?: number;
}

/** The longest P-DATA-TF that a peer may send. */
export const MAX_DATA_BYTES = 128 * 1024;
const MAX_COMMAND_BYTES = 16 * 1024;
const LINGER_MS = 30_000;

/**
 * Serves one connection as the acceptor of an association: C-ECHO and C-STORE, one message at a time. A peer that breaks the protocol
 * gets an A-ABORT. It rejects only if a sink fails for a reason of ours; the peer gets an A-ABORT then too.
 */
export async function serveAssociation(socket: Socket, options: AssociationOptions): Promise<void> {
  socket.on("timeout", () => socket.destroy());
  // A connection that breaks ends the iteration below.
  socket.on("error", () => socket.destroy());
  const association = new Association(socket, options);
  try {
    await association.run();
  } catch (error) {
    if (isBroken(socket, error)) return;
    socket.end(encodeAbort(error instanceof ProtocolError ? error.reason : AbortReason.notSpecified));
    if (!(error instanceof ProtocolError)) throw error;
  } finally {
    await association.close();
    cutOffAfter(socket, options.lingerMs ?? LINGER_MS);
    if (!socket.destroyed) socket.end();
  }
}

/** Ends a connection after so long, whatever its peer sends: the socket's own timeout counts from the last byte. */
function cutOffAfter(socket: Socket, timeoutMs: number): Timer {
  const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
  socket.once("close", () => clearTimeout(timer));
  return timer;
}

function isBroken(socket: Socket, error: unknown): boolean {
  return socket.destroyed && !(error instanceof ProtocolError);
}

class Association {
  readonly #asking: Timer;
  readonly #turn = new WorkTurn();
  #accepted = new Map<number, AcceptedContext>();
  /** The longest P-DATA-TF that the peer takes; 0: any. */
  #peerMaxLength = 0;
  #sink: AssociationSink | undefined;
  /** Fragments of a command set that is incomplete. */
  #command: { contextId: number; pieces: Buffer[]; bytes: number } | undefined;
  /** A command whose data set is arriving; without a sink, the data set is dropped. */
  #storing:
    | { contextId: number; command: Command; sink: InstanceSink | undefined; status: number }
    | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly options: AssociationOptions,
  ) {
    this.#asking = cutOffAfter(socket, options.requestMs);
  }

  async run(): Promise<void> {
    // The connection outlives the reading, so that an A-ABORT can still be sent.
    const chunks: AsyncIterable<Buffer> = this.socket.iterator({ destroyOnReturn: false });
    for await (const pdu of readPdus(chunks, MAX_DATA_BYTES)) {
      if (!(await (this.#sink ? this.#take(pdu) : this.#open(pdu)))) return;
    }
  }

  async close(): Promise<void> {
    await this.#sink?.end();
  }

  /** @returns whether the association goes on */
  async #open({ type, body }: Pdu): Promise<boolean> {
    if (type === PduType.abort) return false;
    if (type !== PduType.associateRequest)
      throw new ProtocolError("not an A-ASSOCIATE-RQ", AbortReason.unexpectedPdu);
    const request = decodeAssociateRequest(body);
    clearTimeout(this.#asking);
    const sink = await this.#admit(request);
    if (typeof sink === "string") {
      await this.#send(encodeAssociateReject(sink));
      return false;
    }
    this.#sink = sink;
    const { answers, accepted } = negotiate(request);
    this.#accepted = accepted;
    const { repeated, maxLength } = request;
    this.#peerMaxLength = maxLength;
    const { implementation } = this.options;
    this.socket.setTimeout(this.options.idleMs);
    await this.#send(
      encodeAssociateAccept({
        repeated,
        contexts: answers,
        maxLength: MAX_DATA_BYTES,
        implementation,
      }),
    );
    return true;
  }

  async #admit(request: AssociateRequest): Promise<AssociationSink | RejectionName> {
    if (!isKnownRequest(request))
      return (request.protocolVersion & 1) === 0 ? "protocolVersionUnknown" : "applicationContextUnknown";
    const { calledAETitle, callingAETitle } = request;
    const address = this.socket.remoteAddress ?? "";
    const asked = { calledAETitle, callingAETitle, address };
    return await this.options.admit(asked, () => this.socket.destroy());
  }

  async #take({ type, body }: Pdu): Promise<boolean> {
    switch (type) {
      case PduType.data:
        for (const value of dataValuesOf(body)) {
          await this.#takeValue(value);
          // A PDU may be cut into twenty thousand values, and the next one may be here already.
          if (this.#turn.isOver()) await this.#turn.next();
        }
        return true;
      case PduType.releaseRequest:
        await this.#send(encodeReleaseReply());
        return false;
      case PduType.abort:
        return false;
      default:
        throw new ProtocolError("an unexpected PDU", AbortReason.unexpectedPdu);
    }
  }

  async #takeValue(value: DataValue): Promise<void> {
    const { contextId, isCommand, isLast, bytes } = value;
    if (!isCommand) return await this.#takeDataSet(value);
    if (this.#storing) throw new ProtocolError("a command before the data set of the last one has ended");
    this.#command ??= { contextId, pieces: [], bytes: 0 };
    if (this.#command.contextId !== contextId) throw new ProtocolError("a command set in two contexts");
    this.#command.bytes += bytes.length;
    if (this.#command.bytes > MAX_COMMAND_BYTES) throw new ProtocolError("a command set is too long");
    // Copied, since the PDU's memory is used again. Any number of fragments may be empty.
    if (bytes.length > 0) this.#command.pieces.push(Buffer.from(bytes));
    if (!isLast) return;
    const { pieces } = this.#command;
    this.#command = undefined;
    await this.#carryOut(contextId, decodeCommand(Buffer.concat(pieces)));
  }

  async #carryOut(contextId: number, command: Command): Promise<void> {
    const context = this.#accepted.get(contextId);
    if (!context) throw new ProtocolError("a presentation context that was not accepted");
    const { field, hasDataSet } = command;
    if (field === CommandField.cancelRequest) return;
    if ((field & RESPONSE) !== 0) throw new ProtocolError("a response to nothing");
    if (field === CommandField.storeRequest && context.abstractSyntax !== VERIFICATION) {
      if (!hasDataSet) return await this.#answer(contextId, command, { status: Status.cannotUnderstand });
      const { affectedSOPClassUID: sopClassUID, affectedSOPInstanceUID: sopInstanceUID } = command;
      if (sopClassUID !== context.abstractSyntax)
        return this.#drop(contextId, command, Status.sopClassNotSupported);
      const { transferSyntax: transferSyntaxUID } = context;
      const sink = await this.#sink?.begin({ sopClassUID, sopInstanceUID, transferSyntaxUID });
      this.#storing = { contextId, command, sink, status: Status.success };
      return;
    }
    const isEcho = field === CommandField.echoRequest && context.abstractSyntax === VERIFICATION;
    const status = isEcho ? Status.success : Status.unrecognizedOperation;
    if (hasDataSet) return this.#drop(contextId, command, status);
    await this.#answer(contextId, command, { status });
  }

  #drop(contextId: number, command: Command, status: number): void {
    this.#storing = { contextId, command, sink: undefined, status };
  }

  async #takeDataSet({ contextId, isLast, bytes }: DataValue): Promise<void> {
    const storing = this.#storing;
    if (storing?.contextId !== contextId) throw new ProtocolError("a data set without a command");
    await storing.sink?.write(bytes);
    if (!isLast) return;
    const result = (await storing.sink?.finish()) ?? { status: storing.status };
    this.#storing = undefined;
    await this.#answer(contextId, storing.command, result);
  }

  async #answer(contextId: number, command: Command, { status, comment }: StoreResult): Promise<void> {
    const response = encodeResponse(command, status, comment);
    await this.#send(encodeCommand(contextId, response, this.#peerMaxLength));
  }

  #send(bytes: Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.socket.destroyed) throw new Error("the connection is gone");
    this.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    return promise;
  }
}
