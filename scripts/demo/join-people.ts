import type { SignedInUser } from "../../src/shared/api/users.ts";
import { DEMO_ACCOUNTS, type DemoAccount, WAITING_ACCOUNT } from "./accounts.ts";
import { call, expectOk } from "./call.ts";

export interface JoinOptions {
  url: string;
  /** `REGISTRATION` of the server. */
  registration: string | undefined;
  /** Runs `user add` with these arguments. */
  addAccount(args: readonly string[]): Promise<void>;
}

export type People = Record<keyof typeof DEMO_ACCOUNTS, SignedInUser>;

/**
 * Signs in the demo's people, and adds those that are missing. If accounts wait for an admin, the admin lets in those that the
 * demo's data need, and one more waits.
 */
export async function joinPeople(options: JoinOptions): Promise<People> {
  const admin = await signInOrJoin(options, DEMO_ACCOUNTS.admin);
  const people = { admin } as People;
  for (const name of Object.keys(DEMO_ACCOUNTS) as (keyof People)[]) {
    people[name] ??= await signInOrJoin(options, DEMO_ACCOUNTS[name], admin);
  }
  if (options.registration === "approval") await keepWaiting(options.url, admin);
  return people;
}

async function signInOrJoin(
  options: JoinOptions,
  account: DemoAccount,
  admin?: SignedInUser,
): Promise<SignedInUser> {
  const { name, email, password, role, registers } = account;
  const { url, registration } = options;
  const known = await signIn(url, account);
  if (known) return known;
  if (registers && registration !== "closed") {
    const { id } = await register(url, account);
    if (admin && registration === "approval")
      await call(url, `/api/users/${id}`, { as: admin, method: "PATCH", json: { isAuthorized: true } });
  } else await options.addAccount(["--email", email, "--name", name, "--role", role, "--password", password]);
  const added = await signIn(url, account);
  if (!added) throw new Error(`${email} can't sign in: were the demo's data made with another password?`);
  return added;
}

async function signIn(url: string, { email, password }: DemoAccount): Promise<SignedInUser | undefined> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  if (answer.status === 401) return undefined;
  return (await (await expectOk(answer)).json()) as SignedInUser;
}

async function register(url: string, account: DemoAccount): Promise<{ id: string }> {
  const { name, email, password, registers } = account;
  const json = { name, email, password, ...registers };
  return (await (await call(url, "/api/auth/register", { json })).json()) as { id: string };
}

async function keepWaiting(url: string, admin: SignedInUser): Promise<void> {
  const { email } = WAITING_ACCOUNT;
  const found = await call(url, `/api/users?search=${encodeURIComponent(email)}`, { as: admin });
  if (((await found.json()) as unknown[]).length === 0) await register(url, WAITING_ACCOUNT);
}
