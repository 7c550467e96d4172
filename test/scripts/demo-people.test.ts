import { expect, test } from "bun:test";
import { DEMO_ACCOUNTS, WAITING_ACCOUNT } from "../../scripts/demo/accounts.ts";
import { joinPeople } from "../../scripts/demo/join-people.ts";
import { hashPassword } from "../../src/server/features/accounts/passwords/passwords.ts";
import { insertUser } from "../../src/server/features/accounts/users/users.repo.ts";
import type { CurrentUser } from "../../src/shared/api/users.ts";
import { createTestApp } from "../support/app/test-app.ts";

const TIMEOUT_MS = 120_000;

/** Lets the demo's people join twice, as two starts do, and lists the e-mails of those that are not let in. */
async function unauthorizedAfterTwoStarts(registration: string): Promise<string[]> {
  await using t = await createTestApp({ jobs: false, env: { REGISTRATION: registration } });
  const url = await t.listen();
  const addAccount = async (args: readonly string[]) => {
    const account = Object.values(DEMO_ACCOUNTS).find(({ email }) => args.includes(email));
    if (!account) throw new Error("not one of the demo's people");
    const { name, email, role, password } = account;
    const passwordHash = await hashPassword(password);
    await insertUser(t.deps.db, {
      id: Bun.randomUUIDv7(),
      name,
      email,
      role,
      passwordHash,
      createdAt: new Date(),
    });
  };
  await joinPeople({ url, registration, addAccount });
  const people = await joinPeople({ url, registration, addAccount });
  expect(Object.values(people).map(({ email }) => email)).toEqual(
    Object.values(DEMO_ACCOUNTS).map(({ email }) => email),
  );
  const headers = { Authorization: `Bearer ${people.admin.token}` };
  const users = (await (await fetch(`${url}/api/users`, { headers })).json()) as CurrentUser[];
  return users.filter(({ isAuthorized }) => !isAuthorized).map(({ email }) => email);
}

test(
  "where accounts wait for an admin, the demo's people are let in and one more waits",
  async () => {
    expect(await unauthorizedAfterTwoStarts("approval")).toEqual([WAITING_ACCOUNT.email]);
  },
  TIMEOUT_MS,
);

test(
  "where registration is open or closed, the demo has all its people and nobody waits",
  async () => {
    for (const registration of ["open", "closed"])
      expect(await unauthorizedAfterTwoStarts(registration)).toEqual([]);
  },
  TIMEOUT_MS,
);
