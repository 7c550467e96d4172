import { checkQueue } from "../../../src/server/features/payments/payment-queues.ts";
import { defineQueue } from "../../../src/server/jobs/queue.ts";
import type { Subscription } from "../../../src/shared/api/subscriptions.ts";
import { createTestApp, type Person, type TestApp } from "../app/test-app.ts";
import { openPixAtPsp, type PixAtPsp } from "./pix-at-psp.ts";

/** The whole server at a PSP over mutual TLS, whose webhook reaches it. */
export interface AppAtPsp extends AsyncDisposable {
  t: TestApp;
  at: PixAtPsp;
  admin: Person;
  /** Who pays; {@link addPayer} makes another. */
  person: Person;
  /** Makes a new payer, on trial. */
  addPayer(): Promise<Person>;
  /** The payer asks to pay for the plan Essencial. */
  ask(): Promise<Response>;
  /** A payment from the table: asking the app would have it ask the PSP. */
  row(id: string): Promise<Record<string, unknown> | undefined>;
  /**
   * After a test: the PSP works as usual again, and waiting look-ups are dropped. A webhook soon after a look-up puts the next one
   * off by ten seconds of the machine's clock, which would be in another test.
   */
  reset(): Promise<void>;
  /** Time passes for us and the PSP; then payer and admin sign in anew. */
  passes(milliseconds: number): Promise<void>;
  /** Runs the job of every minute. */
  reconcile(): Promise<void>;
  /** The payer's subscription, as the API answers it. */
  subscription(): Promise<Subscription>;
}

export async function openAppAtPsp(env: Record<string, string> = {}): Promise<AppAtPsp> {
  const at = await openPixAtPsp({ startsAt: new Date() });
  const t = await createTestApp({ env: { ...at.psp.env, ...env }, overrides: { pix: at.pix } });
  at.psp.deliver = (url, body) =>
    t.call("POST", new URL(url).pathname, { body, headers: { "content-type": "application/json" } });
  const admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  const addPayer = () => t.addPerson("Pessoa", { plan: "avaliacao" });
  const [plan] = await t.sql`select id from plans where slug = 'essencial'`;
  const app: AppAtPsp = {
    ...{ t, at, admin },
    person: await addPayer(),
    async addPayer() {
      app.person = await addPayer();
      return app.person;
    },
    ask: async () =>
      await t.call("POST", "/api/payments/create", { as: app.person, json: { planId: String(plan?.id) } }),
    row: async (id) => (await t.sql`select * from payments where id = ${id}`)[0],
    async reset() {
      await t.deps.jobs.empty(checkQueue);
      at.psp.reset();
    },
    async passes(milliseconds) {
      t.advance(milliseconds);
      at.advance(milliseconds);
      for (const who of [app.person, admin]) {
        const { email, password } = who;
        const answer = await t.call("POST", "/api/auth/login", { json: { email, password } });
        who.token = ((await answer.json()) as { token: string }).token;
      }
    },
    async reconcile() {
      await t.deps.jobs.enqueue(defineQueue("pix.reconcile"), {});
      await t.settle();
    },
    async subscription() {
      const answer = await t.call("GET", "/api/subscriptions/my-subscription", { as: app.person });
      return (await answer.json()) as Subscription;
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
  await t.settle();
  return app;
}
