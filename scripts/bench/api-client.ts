import type { Series, Study } from "../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import type { SignedInUser } from "../../src/shared/api/users.ts";
import { rawRequest } from "./raw-http.ts";
import { ADMIN } from "./server-under-test.ts";

const BOUNDARY = "----exameteca-bench-7f3a91c2";
const SETTLE_TIMEOUT_MS = 120_000;

export interface Uploaded {
  answer: UploadAnswer;
  milliseconds: number;
}

/** A person who is signed in at the server under test. */
export interface ApiClient {
  userId: string;
  token: string;
  headers: { Authorization: string };
  json<Answer>(path: string): Promise<Answer>;
  upload(zipPath: string): Promise<Uploaded>;
  /** Resolves once every one of these studies is in the archive store. */
  settle(answer: UploadAnswer): Promise<void>;
  series(studyId: string): Promise<Series[]>;
  /** Path of the DICOMweb service that shows this one study. */
  dicomweb(studyId: string): Promise<string>;
}

let visitors = 0;

/** Registers a person with a trial subscription and signs them in. */
export async function registerClient(url: string): Promise<ApiClient> {
  const number = ++visitors;
  const email = `pessoa${number}-${process.pid}@exameteca.test`;
  const password = "senha da medida";
  const person = { name: "Pessoa Medida", email, cpfcnpj: "529.982.247-25", password };
  // Each from a network of their own: one may not register many.
  await post(url, "/api/auth/register", person, { "X-Forwarded-For": `10.${number >> 8}.${number & 255}.1` });
  return await signIn(url, { email, password });
}

export async function adminClient(url: string): Promise<ApiClient> {
  return await signIn(url, ADMIN);
}

async function signIn(url: string, login: { email: string; password: string }): Promise<ApiClient> {
  const user = (await (await post(url, "/api/auth/login", login)).json()) as SignedInUser;
  const headers = { Authorization: `Bearer ${user.token}` };
  const json = async <Answer>(path: string): Promise<Answer> =>
    (await (await expectOk(await fetch(url + path, { headers }))).json()) as Answer;
  return {
    userId: user.id,
    token: user.token,
    headers,
    json,
    upload: (zipPath) => upload(url, headers, zipPath),
    async settle({ studies }) {
      const deadline = performance.now() + SETTLE_TIMEOUT_MS;
      for (const { id } of studies) {
        while (
          (await json<{ status: Study["storageStatus"] }>(`/api/studies/${id}/status`)).status !== "b2"
        ) {
          if (performance.now() > deadline) throw new Error("a study did not reach the archive store");
          await Bun.sleep(20);
        }
      }
    },
    series: (studyId) => json(`/api/studies/${studyId}/series`),
    async dicomweb(studyId) {
      const data = Buffer.from(JSON.stringify([{ userId: user.id, id: studyId }])).toString("base64url");
      const { token } = await json<{ token: string }>(`/generate-token?data=${data}`);
      return `/dicomweb/t/${token}`;
    },
  };
}

async function upload(url: string, headers: Record<string, string>, zipPath: string): Promise<Uploaded> {
  const part = (disposition: string, text: string) =>
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${text}`);
  const answer = await rawRequest({
    url: `${url}/api/upload-dicom`,
    method: "POST",
    headers: { ...headers, "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: [
      part('name="formData"', "\r\n{}\r\n"),
      part('name="zipFile"; filename="exames.zip"', "Content-Type: application/zip\r\n\r\n"),
      { path: zipPath },
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ],
    keepBody: true,
  });
  const text = new TextDecoder().decode(answer.body);
  if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${text.slice(0, 500)}`);
  return { answer: JSON.parse(text) as UploadAnswer, milliseconds: answer.totalMs };
}

async function post(
  url: string,
  path: string,
  body: object,
  more: Record<string, string> = {},
): Promise<Response> {
  const headers = { "Content-Type": "application/json", ...more };
  return await expectOk(await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function expectOk(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(`${answer.status} from ${new URL(answer.url).pathname}`);
  return answer;
}
