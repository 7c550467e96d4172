import { Socket } from "node:net";

/** Where postgres.js connects to, as it passes it to its option `socket`. */
interface Target {
  host: string[];
  port: number[];
  path: string | false;
  /** Seconds. */
  keep_alive: number | null;
}

interface Received {
  bytes: number;
  /** When that was seen to grow, in milliseconds of the process's own clock. */
  at: number;
}

/** The sockets of a pool, to break those through which nothing comes any more. */
export class PoolSockets {
  readonly #received = new Map<Socket, Received>();
  #connected = 0;

  /** Begins to connect, as postgres.js does by itself. It writes at once, and is told of an error. */
  readonly connect = (target: Target): Socket => {
    const socket = new Socket();
    const { path, host, port } = target;
    const turn = this.#connected++ % port.length;
    // For TLS, which checks the certificate against it.
    if (!path) Object.assign(socket, { host: host[turn], port: port[turn] });
    // A socket file that is gone is an error at once, before postgres.js listens; what it writes comes after this.
    setImmediate(() => {
      if (socket.destroyed) return;
      if (path) socket.connect(path);
      else socket.connect(port[turn] ?? 0, host[turn] ?? "");
    });
    const { keep_alive: keepAlive } = target;
    if (keepAlive) socket.once("connect", () => socket.setKeepAlive(true, keepAlive * 1000));
    this.#forgetEnded();
    this.#received.set(socket, { bytes: 0, at: performance.now() });
    return socket;
  };

  /** Sees what came since the last look. */
  look(now: number): void {
    for (const [{ bytesRead }, received] of this.#received)
      if (bytesRead !== received.bytes) Object.assign(received, { bytes: bytesRead, at: now });
  }

  /** Breaks those through which nothing came for so long. One that waits for no answer is opened again when it is wanted. */
  breakSilent(now: number, silentMs: number): void {
    for (const [socket, { at }] of this.#received) if (now - at >= silentMs) socket.destroy();
  }

  #forgetEnded(): void {
    for (const socket of this.#received.keys()) if (socket.destroyed) this.#received.delete(socket);
  }
}
