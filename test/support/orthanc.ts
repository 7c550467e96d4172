import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createTempFolder } from "./temp-folder.ts";

const TRIES = 200;
const PAUSE_MS = 100;

export interface Orthanc extends AsyncDisposable {
  /** Sends `body` if there is one, and returns the answer's JSON. */
  call(path: string, body?: Uint8Array): Promise<unknown>;
}

/** Another archive, empty, to see that it takes what ours gives. @param program where it is installed */
export async function startOrthanc(program: string): Promise<Orthanc> {
  const folder = createTempFolder();
  const port = await freePort();
  const configuration = {
    ...{
      StorageDirectory: folder.path,
      IndexDirectory: folder.path,
      HttpPort: port,
      DicomServerEnabled: false,
    },
    ...{ RemoteAccessAllowed: false, AuthenticationEnabled: false, Plugins: [] },
  };
  const path = join(folder.path, "orthanc.json");
  writeFileSync(path, JSON.stringify(configuration));
  const child = Bun.spawn([program, path], { stdout: "ignore", stderr: "ignore" });
  const call = async (at: string, body?: Uint8Array) => {
    const answer = await fetch(
      `http://127.0.0.1:${port}${at}`,
      body && { method: "POST", body: body as BodyInit },
    );
    if (!answer.ok) throw new Error(`Orthanc: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as unknown;
  };
  for (let tries = 0; ; tries++) {
    try {
      await call("/system");
      break;
    } catch (error) {
      if (tries === TRIES || child.exitCode !== null) throw error;
      await Bun.sleep(PAUSE_MS);
    }
  }
  return {
    call,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
