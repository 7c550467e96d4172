import { describe, expect, test } from "bun:test";
import { Hono } from "hono";
import type { HttpEnv } from "../../../src/server/http/http-context.ts";
import { requestContext } from "../../../src/server/http/request-context.ts";
import { trustPeers } from "../../../src/server/http/trusted-peers.ts";

/** The address the app takes a request to come from. */
async function addressOf(peer: string, forwardedFor: string, ...trustProxy: string[]): Promise<string> {
  const app = new Hono<HttpEnv>();
  app.use(requestContext({ trustProxy }));
  app.get("/", (c) => c.text(c.get("address")));
  const server = { requestIP: () => ({ address: peer }) };
  const answer = await app.request("/", { headers: { "x-forwarded-for": forwardedFor } }, { server });
  return await answer.text();
}

describe("a trusted proxy", () => {
  test("may be named by its address or by a range around it, of either family", async () => {
    for (const [peer, trusted] of [
      ["10.1.2.3", "10.0.0.0/8"],
      ["10.1.2.3", "10.1.2.3"],
      ["::ffff:10.1.2.3", "10.0.0.0/8"],
      ["::ffff:10.1.2.3", "::ffff:10.0.0.0/104"],
      ["fd00::5", "fd00::/8"],
      ["FD00:0:0::5", "fd00::5"],
    ] as const) {
      expect([peer, trusted, await addressOf(peer, "203.0.113.7", trusted)]).toEqual([
        peer,
        trusted,
        "203.0.113.7",
      ]);
    }
  });

  test("is skipped, and no other peer is: the nearest other address is the caller's", async () => {
    const chain = "198.51.100.1, 203.0.113.7, 10.9.9.9";
    expect(await addressOf("10.1.2.3", chain, "10.0.0.0/8")).toBe("203.0.113.7");
    expect(await addressOf("192.0.2.1", chain, "10.0.0.0/8")).toBe("192.0.2.1");
    expect(await addressOf("10.1.2.3", chain)).toBe("10.1.2.3");
  });

  test("may add ports, and text that is not an address is never taken for one", async () => {
    expect(await addressOf("10.1.2.3", "203.0.113.7:4711", "10.0.0.0/8")).toBe("203.0.113.7");
    expect(await addressOf("10.1.2.3", "[2001:db8::1]:4711", "10.0.0.0/8")).toBe("2001:db8::1");
    for (const junk of ["unknown", "", "203.0.113.7, <script>", "1.2.3.4.5"]) {
      expect(await addressOf("10.1.2.3", junk, "10.0.0.0/8")).toBe("10.1.2.3");
    }
  });

  test("is refused when it is neither an address nor a range", () => {
    for (const entry of [
      "10.0.0.0/33",
      "fd00::/129",
      "10.0.0.0/-1",
      "proxy",
      "10.0.0/8",
      "",
      "fe80::1%eth0",
    ]) {
      expect(() => trustPeers([entry])).toThrow(RangeError);
    }
  });
});
