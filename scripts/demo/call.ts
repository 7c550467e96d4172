import type { SignedInUser } from "../../src/shared/api/users.ts";

interface CallOptions {
  as?: SignedInUser;
  /** `POST` with a body and `GET` without one, unless it says otherwise. */
  method?: "PATCH";
  json?: object;
  form?: FormData;
}

/** Asks the demo's server. @throws Error with the status and the answer, unless it succeeds */
export async function call(url: string, path: string, options: CallOptions): Promise<Response> {
  const { as, json, form } = options;
  const body = json ? JSON.stringify(json) : form;
  const method = options.method ?? (body ? "POST" : "GET");
  const headers = {
    ...(as && { Authorization: `Bearer ${as.token}` }),
    ...(json && { "Content-Type": "application/json" }),
  };
  return await expectOk(await fetch(url + path, { method, headers, ...(body && { body }) }));
}

export async function expectOk(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(
    `${answer.status} from ${new URL(answer.url).pathname}: ${(await answer.text()).slice(0, 300)}`,
  );
}
