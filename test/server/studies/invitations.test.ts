import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { registrationClosed } from "../../../src/server/features/accounts/accounts.errors.ts";
import { acceptInvitation } from "../../../src/server/features/studies/access/accept-invitation.ts";
import type { AcceptedInvitation, Invitation, InvitationOffer } from "../../../src/shared/api/invitations.ts";
import type { Grant } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { linkIn, readOutbox } from "../../support/mail/outbox.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

let owner: Person;
let studyId: string;
let count = 0;
let address: string;
beforeEach(async () => {
  t.advance(2 * 3600_000);
  owner = await t.addPerson("Marina Paciente");
  const { studies } = await t.store(owner, sampleZip({ study: String(++count) }));
  studyId = studies[0]?.id ?? "";
  address = `doutor${count}@example.com`;
});

const invite = (email = address, as = owner, more: object = {}) =>
  t.call("POST", `/api/studies/${studyId}/invitations`, { as, json: { email, ...more } });
async function linkTo(email: string): Promise<URL> {
  await t.settle();
  return linkIn((await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(email)).at(-1));
}
const tokenFor = async (email = address) => (await linkTo(email)).pathname.replace("/invitation/", "");
const newDoctor = { name: "Dr. Paulo Reis", password: "segredo longo" };
const accept = (token: string, as?: Person, made: object = newDoctor) =>
  t.call("POST", "/api/invitations/accept", { as, json: { token, ...made } });
const open = async () =>
  (await (await t.call("GET", `/api/studies/${studyId}/invitations`, { as: owner })).json()) as Invitation[];
const grantees = async () =>
  ((await (await t.call("GET", `/api/studies/${studyId}/grants`, { as: owner })).json()) as Grant[]).map(
    ({ email, role }) => [email, role],
  );

describe("a doctor without an account", () => {
  test("makes one on the mailed link, is signed in, and sees the exam and nothing else; the link works once", async () => {
    expect((await invite(address, owner, { asksForReport: true })).status).toBe(201);
    expect((await open()).map(({ email }) => email)).toEqual([address]);
    const token = await tokenFor();
    const offer = await t.call("POST", "/api/invitations/read", { json: { token } });
    expect((await offer.json()) as InvitationOffer).toEqual({
      ...{ email: address, inviterName: "Marina Paciente", hasAccount: false },
    });
    const accepted = (await (await accept(token)).json()) as AcceptedInvitation;
    expect(accepted.studyId).toBe(studyId);
    expect(accepted.session).toMatchObject({ role: "doctor", email: address, isAuthorized: true });
    const doctor: Person = { id: "", email: address, password: "", token: accepted.session?.token ?? "" };
    const listed = (await (await t.call("GET", "/api/studies", { as: doctor })).json()) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([studyId]);
    const shared = await (await t.call("GET", "/api/shared-with-me", { as: doctor })).json();
    expect(shared).toMatchObject({ freshTotal: 1, awaiting: [{ study: { id: studyId } }] });
    expect(await open()).toEqual([]);
    expect(await grantees()).toEqual([[address, "doctor"]]);
    const told = await (await t.call("GET", "/api/notifications", { as: owner })).json();
    expect(told).toMatchObject({
      notifications: [{ event: "invitation.accepted", actorName: "Dr. Paulo Reis" }],
    });
    expect((await problemOf(await accept(token))).code).toBe("invitation.dead");
  });

  test("gets a mail that names neither patient nor exam", async () => {
    await invite();
    await t.settle();
    const [mail] = (await readOutbox(t.deps.config.dataDir)).filter(({ to }) => to.includes(address));
    expect(`${mail?.subject} ${mail?.text}`).not.toMatch(/Marina|Paciente/);
  });
});

test("an address with an account is answered like one without; its account gets the exam and no new password", async () => {
  const known = await t.addPerson("Já Tem Conta");
  const answers = [await invite(), await invite(known.email)];
  const shapes = await Promise.all(
    answers.map(async (answer) => [answer.status, Object.keys(await answer.json())]),
  );
  expect(shapes[0]).toEqual(shapes[1]);
  expect(await grantees()).toEqual([]);
  const accepted = await accept(await tokenFor(known.email), known);
  expect((await accepted.json()) as AcceptedInvitation).toEqual({ studyId, session: null });
  expect(await grantees()).toEqual([[known.email, "user"]]);
  const { email, password } = known;
  expect((await t.call("POST", "/api/auth/login", { json: { email, password } })).status).toBe(200);
});

describe("an account that never confirmed the address", () => {
  const seenBy = async (as: Person) =>
    ((await (await t.call("GET", "/api/studies", { as })).json()) as { id: string }[]).map(({ id }) => id);
  const refused = { status: 403, code: "invitation.sign_in" };

  async function chooseNewPassword({ email }: Person): Promise<void> {
    await t.call("POST", "/api/auth/forgot-password", { json: { email } });
    const token = (await linkTo(email)).pathname.replace("/reset-password/", "");
    const json = { token, password: "a de quem lê" };
    expect((await t.call("POST", "/api/auth/reset-password", { json })).status).toBe(200);
  }

  test("gets no exam by a link that somebody else opens, whoever registered it", async () => {
    const stranger = await t.addPerson("Estranho");
    const reader = await t.addPerson("Outra Pessoa");
    await invite(stranger.email);
    const token = await tokenFor(stranger.email);
    for (const as of [undefined, reader, { ...reader, token: "nothing" }])
      expect(await problemOf(await accept(token, as))).toMatchObject(refused);
    expect(await seenBy(stranger)).toEqual([]);
    await chooseNewPassword(stranger);
    expect((await accept(token)).status).toBe(200);
    expect((await t.call("GET", "/api/studies", { as: stranger })).status).toBe(401);
    expect(await grantees()).toEqual([[stranger.email, "user"]]);
  });

  test("accepts in its own session, and from then on without one", async () => {
    const known = await t.addPerson("Já Tem Conta");
    await invite(known.email);
    expect((await accept(await tokenFor(known.email), known)).status).toBe(200);
    expect(await seenBy(known)).toEqual([studyId]);
    await t.call("DELETE", `/api/studies/${studyId}/grants/${known.id}`, { as: owner });
    await invite(known.email);
    expect((await accept(await tokenFor(known.email))).status).toBe(200);
  });

  test("gets none either if a second factor of its keeps the mailbox's reader out", async () => {
    const stranger = await t.addPerson("Estranho");
    await t.sql`insert into totp_secrets (user_id, sealed_secret, created_at, confirmed_at)
      values (${stranger.id}, 'sealed', now(), now())`;
    await invite(stranger.email);
    const token = await tokenFor(stranger.email);
    await chooseNewPassword(stranger);
    expect(await problemOf(await accept(token))).toMatchObject(refused);
    expect(await grantees()).toEqual([]);
  });
});

describe("an invitation's link ends", () => {
  const endings: [string, (id: string) => Promise<unknown>][] = [
    [
      "when the owner withdraws it",
      (id) => t.call("DELETE", `/api/studies/${studyId}/invitations/${id}`, { as: owner }),
    ],
    ["after 7 days", async () => t.advance(7 * 24 * 3600_000)],
    ["when the address is invited again", () => invite()],
    [
      "when the owner's password changes",
      () => {
        const { email, password } = owner;
        const json = {
          name: "Marina Paciente",
          email,
          currentPassword: password,
          newPassword: "outra senha",
        };
        return t.call("PATCH", "/api/users/profile", { as: owner, json });
      },
    ],
    ["with the exam", () => t.call("DELETE", `/api/studies/${studyId}`, { as: owner })],
    [
      "when the owner may not sign in any more",
      () => t.sql`update users set is_authorized = false where id = ${owner.id}`,
    ],
  ];
  test.each(endings)("%s", async (_, end) => {
    const { id } = (await (await invite()).json()) as Invitation;
    const token = await tokenFor();
    await end(id);
    expect(await problemOf(await accept(token))).toMatchObject({ status: 400, code: "invitation.dead" });
  });

  test("when the admin who sent it is no admin any more", async () => {
    const admin = await t.addPerson("Alice Admin", { role: "admin" });
    expect((await invite(address, admin)).status).toBe(201);
    const token = await tokenFor();
    await t.sql`update users set role = 'user' where id = ${admin.id}`;
    expect((await problemOf(await accept(token))).code).toBe("invitation.dead");
  });
});

describe("where accounts are not open to everybody", () => {
  const acceptWhere = async (registration: "approval" | "closed") => {
    await invite();
    const deps = { ...t.deps, config: { ...t.deps.config, registration } };
    const input = { token: await tokenFor(), name: "Dr. Paulo Reis", password: "segredo longo" };
    const visitor = { address: "192.0.2.1", requestId: "r", network: "192.0.2.1", browser: "b" };
    return await acceptInvitation(deps, { ...input, locale: "pt-BR" }, visitor);
  };

  test("a new doctor waits for an admin, and has the exam by then", async () => {
    expect(await acceptWhere("approval")).toEqual({ studyId, opened: undefined });
    const [doctor] = await t.sql`select is_authorized from users where email = ${address}`;
    expect(doctor?.is_authorized).toBe(false);
    expect(await grantees()).toEqual([[address, "doctor"]]);
  });

  test("a link that was mailed before makes no account", async () => {
    await expect(acceptWhere("closed")).rejects.toMatchObject({ kind: registrationClosed });
    expect(await t.sql`select 1 from users where email = ${address}`).toHaveLength(0);
  });
});

test("only the exam's owner invites, and nobody mails an address more than 5 times an hour", async () => {
  const stranger = await t.addPerson("Curioso");
  expect((await invite(address, stranger)).status).toBe(404);
  const answers: number[] = [];
  for (let tries = 0; tries < 6; tries++) answers.push((await invite()).status);
  expect(answers).toEqual([201, 201, 201, 201, 201, 429]);
  expect(await open()).toHaveLength(1);
});

test("whoever sees an exam by a grant neither invites to it nor reads or ends its invitations, and nobody ends those of another exam", async () => {
  const { id } = (await (await invite()).json()) as Invitation;
  const grantee = await t.addPerson("Também Vê");
  await t.call("POST", `/api/studies/${studyId}/assign`, { as: owner, json: { userId: grantee.id } });
  const path = `/api/studies/${studyId}/invitations`;
  for (const answer of [
    await invite("outro@example.com", grantee),
    await t.call("GET", path, { as: grantee }),
    await t.call("DELETE", `${path}/${id}`, { as: grantee }),
  ])
    expect((await problemOf(answer)).code).toBe("study.not_owner");
  const [own] = (await t.store(grantee, sampleZip({ study: String(++count) }))).studies;
  const ended = await t.call("DELETE", `/api/studies/${own?.id}/invitations/${id}`, { as: grantee });
  expect(ended.status).toBe(404);
  expect(await open()).toHaveLength(1);
});

test("an account has at most a hundred open invitations", async () => {
  const { id } = (await (await invite()).json()) as Invitation;
  await t.sql`insert into doctor_invitations
    select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'token_hash', n::text, 'email', n))).*
    from doctor_invitations i, generate_series(1, 99) n where i.id = ${id}`;
  const refused = await invite("mais.um@example.com");
  expect((await problemOf(refused)).code).toBe("invitation.too_many");
  await t.sql`update doctor_invitations set expires_at = now() where id = ${id}`;
  expect((await invite("mais.um@example.com")).status).toBe(201);
});

test("a new account needs a name and a password, and a refusal leaves the link alive", async () => {
  await invite();
  const token = await tokenFor();
  expect((await accept(token, undefined, {})).status).toBe(400);
  expect((await accept(token)).status).toBe(200);
});
