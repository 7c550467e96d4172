import { FFIType, ptr } from "bun:ffi";
import { readdirSync, readlinkSync } from "node:fs";
import { isIPv4 } from "node:net";
import type { Context } from "hono";
import { errnoOf } from "../storage/disk/fs-failure.ts";
import { findInLibc } from "../storage/disk/libc.ts";
import { serverOf } from "./server-of.ts";

type GetPeerName = (fd: number, address: Uint8Array, length: Uint32Array) => number;
type Shutdown = (fd: number, how: number) => number;

interface Peer {
  address: string;
  port: number;
}

const DESCRIPTORS = "/proc/self/fd";
/** Of socket.h. */
const [AF_INET, AF_INET6, SHUT_RDWR] = [2, 10, 2];
/** The size of struct sockaddr_storage. */
const ADDRESS_BYTES = 128;

/** The connection on which a request came. */
export interface ClientConnection {
  isOpen(): boolean;
  /** Ends it at once, whatever is being sent on it; the runtime has no such call. */
  end(): void;
}

/** Undefined for a request that no server took, and on systems other than Linux with glibc. It reads this process's open files. */
export function findConnection(c: Context): ClientConnection | undefined {
  const peer = serverOf(c)?.requestIP(c.req.raw);
  const calls = peer && socketCalls();
  if (!calls) return undefined;
  const sender = canonical(peer.address);
  for (const name of readdirSync(DESCRIPTORS)) {
    const fd = Number(name);
    const found = peerOf(fd, calls.getPeerName);
    if (found?.port !== peer.port || canonical(found.address) !== sender) continue;
    // A descriptor's number is used again; the name of its socket is not.
    const socket = socketOf(fd);
    if (socket === undefined) return undefined;
    const isOpen = () => socketOf(fd) === socket;
    return {
      isOpen,
      end() {
        if (isOpen()) calls.shutdown(fd, SHUT_RDWR);
      },
    };
  }
  return undefined;
}

let loaded: { getPeerName: GetPeerName; shutdown: Shutdown } | undefined;
let isLoaded = false;

function socketCalls(): typeof loaded {
  if (isLoaded) return loaded;
  isLoaded = true;
  const { i32, ptr: pointer } = FFIType;
  const getPeerName = findInLibc<(fd: number, address: number, length: number) => number>("getpeername", {
    args: [i32, pointer, pointer],
    returns: i32,
  });
  const shutdown = findInLibc<Shutdown>("shutdown", { args: [i32, i32], returns: i32 });
  if (!getPeerName || !shutdown) return undefined;
  loaded = {
    getPeerName: (fd, address, length) => getPeerName(fd, Number(ptr(address)), Number(ptr(length))),
    shutdown,
  };
  return loaded;
}

/** Who is at the other end of a descriptor; undefined if it is no connection over IP. */
function peerOf(fd: number, getPeerName: GetPeerName): Peer | undefined {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  if (getPeerName(fd, bytes, new Uint32Array([ADDRESS_BYTES])) !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  const family = view.getUint16(0, true);
  const port = view.getUint16(2);
  if (family === AF_INET) return { port, address: bytes.subarray(4, 8).join(".") };
  if (family !== AF_INET6) return undefined;
  const groups = Array.from({ length: 8 }, (_, place) => view.getUint16(8 + 2 * place).toString(16));
  return { port, address: groups.join(":") };
}

/** One way to write an address, as one of IPv6. */
function canonical(address: string): string {
  const [plain = ""] = address.split("%", 1);
  return new URL(`http://[${isIPv4(plain) ? `::ffff:${plain}` : plain}]`).hostname;
}

function socketOf(fd: number): string | undefined {
  try {
    return readlinkSync(`${DESCRIPTORS}/${fd}`);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
