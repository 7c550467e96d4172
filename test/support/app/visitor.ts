import type { TestApp } from "./test-app.ts";

/** Somebody at a browser of their own, behind an address; the app must trust 127.0.0.1 as a proxy. */
export interface Visitor {
  post(path: string, json: unknown): Promise<Response>;
}

/** @param options.cookies `false` for a client that keeps none. */
export function createVisitor(t: TestApp, address: string, { cookies = true } = {}): Visitor {
  const jar = new Map<string, string>();
  return {
    async post(path, json) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await t.call("POST", path, {
        json,
        headers: { "x-forwarded-for": address, ...(cookie && { cookie }) },
      });
      for (const line of cookies ? answer.headers.getSetCookie() : []) {
        const [name = "", value = ""] = line.split(";")[0]?.split("=") ?? [];
        jar.set(name, value);
      }
      return answer;
    },
  };
}
