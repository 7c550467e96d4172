import { open, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { errnoOf } from "../../storage/disk/fs-failure.ts";

/** In the folder `postgres` of the data directory. */
const SOCKET = "keeper";

/**
 * Shows other processes that this one keeps a PostgreSQL on the data, also between two runs of it. That ends when it is disposed, and
 * when the process does, even by kill -9. Call it only while this process's PostgreSQL holds the data.
 */
export async function showKeeper(root: string): Promise<AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const path = opening.use(await socketIn(root)).path;
  await rm(path, { force: true });
  const server = createServer(leaveOpen);
  opening.defer(async () => {
    server.close();
    await rm(path, { force: true });
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(path, listening.resolve);
  server.unref();
  await listening.promise;
  return opening.move();
}

/** Whoever asks closes the connection: one that is closed here at once looks as if nobody answered. */
function leaveOpen(socket: Socket): void {
  socket.on("error", () => {}).unref();
  socket.resume();
}

/** Whether a process keeps a PostgreSQL there. */
export async function isKept(root: string): Promise<boolean> {
  try {
    await using socket = await socketIn(root);
    return await answers(socket.path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** The path of a socket is short (unix(7)), that of a data directory may be long: it is reached through its open folder. */
async function socketIn(root: string): Promise<{ path: string } & AsyncDisposable> {
  const folder = await open(root);
  return { path: `/proc/self/fd/${folder.fd}/${SOCKET}`, [Symbol.asyncDispose]: () => folder.close() };
}
