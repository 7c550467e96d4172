import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLogger } from "../../../src/server/runtime/log.ts";
import type { CreatedRequest } from "../../../src/shared/api/deliveries.ts";
import type { CreatedLink, NewLink, Visit } from "../../../src/shared/api/links.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

/** 10,000 for a study of times; it prints the median of each kind. */
const GUESSES = Number(process.env.GUESSES ?? 500);
/** Below the limit of one address. */
const GUESSES_AN_ADDRESS = 90;

const log: string[] = [];
let t: TestApp;
let owner: Person;
let studyId: string;

beforeAll(async () => {
  const kept = createLogger({ level: "debug", write: (line) => void log.push(line) });
  t = await createTestApp({ env: { TRUST_PROXY: "127.0.0.1" }, overrides: { log: kept } });
  owner = await t.addPerson("Marina Souza Gonçalves");
  studyId = (await t.store(owner, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

interface Address {
  id: string;
  secret: string;
}

async function makeLink(link: Partial<NewLink> = {}): Promise<CreatedLink & Address> {
  const answer = await t.call("POST", "/api/links", { as: owner, json: { studyIds: [studyId], ...link } });
  const made = (await answer.json()) as CreatedLink;
  return { ...made, secret: secretIn(made.url) };
}

async function makeRequest(): Promise<Address> {
  const answer = await t.call("POST", "/api/requests", { as: owner, json: { label: "Clínica São João" } });
  const made = (await answer.json()) as CreatedRequest;
  return { id: made.id, secret: secretIn(made.url) };
}

const secretIn = (url: string) => new URL(url).hash.slice(1);
const guessed = () => crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url" });

let sent = 0;
async function ask(path: string, json: object): Promise<Response> {
  const address = Math.floor(sent++ / GUESSES_AN_ADDRESS);
  const from = `2001:db8:${(address >> 16).toString(16)}:${(address & 0xffff).toString(16)}::1`;
  return await t.call("POST", path, { json, headers: { "x-forwarded-for": from } });
}

const visit = ({ id, secret }: Address, more: object = {}) =>
  ask("/api/visits", { link: id, secret, ...more });
const knock = ({ id, secret }: Address) =>
  ask("/api/deliveries", { request: id, secret, from: "Clínica São João" });

test(`${GUESSES} guesses at ids, secrets, passcodes and requests read one answer`, async () => {
  const [living, ended, locked, asked] = [
    await makeLink(),
    await makeLink(),
    await makeLink({ passcode: true }),
    await makeRequest(),
  ];
  await t.call("DELETE", `/api/links/${ended.id}`, { as: owner });
  const far = { id: "ç".repeat(5_000), secret: "x".repeat(50_000) };
  const kinds: Record<string, () => Promise<Response>> = {
    "a living link, another secret": () => visit({ id: living.id, secret: guessed() }),
    "no link, another secret": () => visit({ id: crypto.randomUUID(), secret: guessed() }),
    "no link, a living secret": () => visit({ id: crypto.randomUUID(), secret: living.secret }),
    "an ended link": () => visit(ended),
    "a locked link, another secret": () =>
      visit({ id: locked.id, secret: guessed() }, { passcode: "123456" }),
    "what was never an address": () => visit(far),
    "a request that was never an address": () => knock(far),
    "a living request, another secret": () => knock({ id: asked.id, secret: guessed() }),
    "no request, another secret": () => knock({ id: crypto.randomUUID(), secret: guessed() }),
  };
  const answers = { visits: new Set<string>(), deliveries: new Set<string>() };
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  const names = Object.keys(kinds);
  for (let guess = 0; guess < GUESSES; guess++) {
    const kind = names[guess % names.length] ?? "";
    const from = performance.now();
    const answer = await kinds[kind]?.();
    if (!answer) throw new Error(kind);
    times[kind]?.push(performance.now() - from);
    const { requestId: _, ...problem } = await problemOf(answer);
    const headers = [...answer.headers].filter(([name]) => !/request-id|security-policy|^date$/.test(name));
    answers[kind.includes("request") ? "deliveries" : "visits"].add(
      JSON.stringify([answer.status, problem, headers]),
    );
  }
  expect([...answers.visits].join("\n")).toContain('[404,{"type":"about:blank"');
  expect(answers.visits.size).toBe(1);
  expect([...answers.deliveries].join("\n")).toContain('[404,{"type":"about:blank"');
  expect(answers.deliveries.size).toBe(1);
  if (process.env.GUESSES) process.stdout.write(`${tell(times)}\n`);
}, 600_000);

test("neither the log nor a failure's report holds a secret, a passcode or a token", async () => {
  log.length = 0;
  const link = await makeLink({ passcode: true });
  const request = await makeRequest();
  const visited = (await (await visit(link, { passcode: link.passcode })).json()) as Visit;
  const { token } = (await (await knock(request)).json()) as { token: string };
  await t.call("GET", `/dicomweb/t/${visited.token}/studies`);
  await t.call("GET", "/api/uploads", { headers: { authorization: `Bearer ${token}` } });
  await visit(link, { passcode: "not six digits" });

  await t.sql`alter table share_links rename to share_links_gone`;
  await t.sql`alter table delivery_requests rename to delivery_requests_gone`;
  const failed = [await visit(link, { passcode: link.passcode }), await knock(request)];
  await t.sql`alter table share_links_gone rename to share_links`;
  await t.sql`alter table delivery_requests_gone rename to delivery_requests`;
  expect(failed.map(({ status }) => status)).toEqual([500, 500]);

  const text = [...log, ...(await Promise.all(failed.map((answer) => answer.text())))].join("\n");
  expect(text).toContain('"route":"/api/visits"');
  expect(text).toContain('"event":"request.failed"');
  const [passcode = ""] = [link.passcode];
  const hidden = [link.secret, request.secret, passcode, visited.token, token];
  for (const one of hidden) {
    expect(one.length).toBeGreaterThan(5);
    expect(text).not.toContain(one);
  }
});

function tell(times: Record<string, number[]>): string {
  return Object.entries(times)
    .map(([kind, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(2);
      return `${kind}: ${sorted.length}, median ${at(0.5)} ms, p90 ${at(0.9)} ms`;
    })
    .join("\n");
}
