import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../network/free-port.ts";
import { createTempFolder } from "../temp-folder.ts";

const TRIES = 200;
const PAUSE_MS = 100;

export interface Orthanc extends AsyncDisposable {
  url: string;
  pid: number;
  /** Sends `body` if there is one, objects as JSON, and returns the answer's JSON. */
  call(path: string, body?: Uint8Array | object): Promise<unknown>;
  /** A file that it keeps. */
  file(instance: string): Promise<Uint8Array>;
  deleteStudies(): Promise<void>;
}

/** Where Orthanc is installed, if it is. */
export const ORTHANC = Bun.which("Orthanc", { PATH: `${process.env.PATH}:/usr/sbin` });

/** Debian's place of the plugin that speaks DICOMweb. */
export const ORTHANC_DICOMWEB = "/usr/share/orthanc/plugins/libOrthancDicomWeb.so";
export const hasOrthancDicomweb = ORTHANC !== null && existsSync(ORTHANC_DICOMWEB);

/** Another archive, empty. @param program where it is installed @param options of its configuration @param folder of its data */
export async function startOrthanc(
  program: string,
  options: object = {},
  folder: { path: string } & AsyncDisposable = createTempFolder(),
): Promise<Orthanc> {
  const port = await freePort();
  const configuration = {
    ...{
      StorageDirectory: folder.path,
      IndexDirectory: folder.path,
      HttpPort: port,
      DicomServerEnabled: false,
    },
    ...{ RemoteAccessAllowed: false, AuthenticationEnabled: false, Plugins: [] },
    ...options,
  };
  const path = join(folder.path, "orthanc.json");
  writeFileSync(path, JSON.stringify(configuration));
  const child = Bun.spawn([program, path], { stdout: "ignore", stderr: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const fetched = async (at: string, init?: RequestInit) => {
    const answer = await fetch(url + at, init);
    if (!answer.ok) throw new Error(`Orthanc: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const call: Orthanc["call"] = async (at, body) => {
    const sent = body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body);
    const answer = await fetched(at, body && { method: "POST", body: sent });
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
    url,
    pid: child.pid,
    call,
    file: async (instance) => (await fetched(`/instances/${instance}/file`)).bytes(),
    async deleteStudies() {
      for (const id of (await call("/studies")) as string[])
        await fetched(`/studies/${id}`, { method: "DELETE" });
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}
