import { Socket } from "node:net";

/** The address to connect to, as postgres.js passes it to its option `socket`. */
interface Target {
  host: string[];
  port: number[];
  path: string | false;
  /** Seconds. */
  keep_alive: number | null;
}

interface Received {
  bytes: number;
  /** When `bytes` last grew. */
  at: number;
}

/** The sockets of a pool; destroys those that receive nothing any more. */
export class PoolSockets {
  readonly #clock: { now(): number };
  readonly #received = new Map<Socket, Received>();
  #connected = 0;

  /** @param clock in milliseconds, as the times that the methods take */
  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /** Begins to connect, as postgres.js would by itself. postgres.js may write to the socket at once, and gets its errors. */
  readonly connect = (target: Target): Socket => {
    const socket = new Socket();
    const { path, host, port } = target;
    const turn = this.#connected++ % port.length;
    // TLS checks the certificate against the host.
    if (!path) Object.assign(socket, { host: host[turn], port: port[turn] });
    // Deferred: a missing socket file fails at once, before postgres.js listens for errors.
    setImmediate(() => {
      if (socket.destroyed) return;
      if (path) socket.connect(path);
      else socket.connect(port[turn] ?? 0, host[turn] ?? "");
    });
    const { keep_alive: keepAlive } = target;
    if (keepAlive) socket.once("connect", () => socket.setKeepAlive(true, keepAlive * 1000));
    this.#forgetEnded();
    this.#received.set(socket, { bytes: 0, at: this.#clock.now() });
    return socket;
  };

  /** Notes which sockets have received bytes since the last look. */
  look(now: number): void {
    for (const [{ bytesRead }, received] of this.#received)
      if (bytesRead !== received.bytes) Object.assign(received, { bytes: bytesRead, at: now });
  }

  /** Destroys the sockets that received nothing for `silentMs`. The pool reopens an idle one when it needs it. */
  breakSilent(now: number, silentMs: number): void {
    for (const [socket, { at }] of this.#received) if (now - at >= silentMs) socket.destroy();
  }

  #forgetEnded(): void {
    for (const socket of this.#received.keys()) if (socket.destroyed) this.#received.delete(socket);
  }
}
