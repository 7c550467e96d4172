import { Hono } from "hono";
import {
  acceptInvitationCall,
  inviteDoctorCall,
  listInvitationsCall,
  readInvitationCall,
  withdrawInvitationCall,
} from "../../../../shared/api/invitations.ts";
import { isUuid } from "../../../../shared/uuid.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { describeIn } from "../../../http/describe.ts";
import { bearerToken, type Guard } from "../../../http/guard.ts";
import { notFound, tooManyRequests } from "../../../http/http.errors.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { originOf } from "../../../http/request-origin.ts";
import { validate } from "../../../http/validate.ts";
import { emailTaken, registrationClosed } from "../../accounts/accounts.errors.ts";
import { keepBrowser, visitorOf } from "../../accounts/sign-in/browser-cookie.ts";
import { findSession } from "../../membership/find-session.ts";
import { presentSession } from "../../membership/present-session.ts";
import {
  deadInvitation,
  signInToAccept,
  studyAmbiguous,
  studyNotFound,
  studyNotOwner,
  tooManyInvitations,
} from "../studies.errors.ts";
import { acceptInvitation, readOffer } from "./accept-invitation.ts";
import { inviteDoctor, readInvitations, withdrawInvitation } from "./invite-doctor.ts";

const describe = describeIn("Studies");
const ownerProblems = [studyNotFound, studyAmbiguous, studyNotOwner];

/** Inviting a doctor who has no account, and accepting that. */
export function createInvitationsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    inviteDoctorCall.path,
    guard({ subscription: "viewing" }),
    describe(inviteDoctorCall, {
      summary: "Invite a doctor to a study, by their e-mail",
      status: 201,
      details:
        "A link is mailed, for 7 days and one use. The answer is the same whether or not the address has an account.",
      problems: [...ownerProblems, tooManyInvitations, registrationClosed, tooManyRequests],
    }),
    validate("json", inviteDoctorCall.body),
    async (c) => {
      const { email, asksForReport = false } = c.req.valid("json");
      const input = { reference: c.req.param("study"), email, asksForReport, locale: c.get("locale") };
      return c.json(await inviteDoctor(deps, c.get("session"), input, originOf(c)), 201);
    },
  );

  routes.get(
    listInvitationsCall.path,
    guard({}),
    describe(listInvitationsCall, {
      summary: "List the open invitations to a study",
      problems: ownerProblems,
    }),
    async (c) => c.json(await readInvitations(deps, c.get("session"), c.req.param("study"))),
  );

  routes.delete(
    withdrawInvitationCall.path,
    guard({}),
    describe(withdrawInvitationCall, {
      summary: "Withdraw an invitation",
      details: "A second time it is 404.",
      status: 204,
      problems: [...ownerProblems, notFound],
    }),
    async (c) => {
      const input = { reference: c.req.param("study"), id: c.req.param("id") };
      if (!isUuid(input.id)) throw new AppError(notFound);
      await withdrawInvitation(deps, c.get("session"), input, originOf(c));
      return c.body(null, 204);
    },
  );

  routes.post(
    readInvitationCall.path,
    guard("public"),
    describe(readInvitationCall, {
      summary: "Read what an invitation's link offers",
      problems: [deadInvitation],
    }),
    validate("json", readInvitationCall.body),
    async (c) => c.json(await readOffer(deps, c.req.valid("json").token)),
  );

  routes.post(
    acceptInvitationCall.path,
    guard("public"),
    describe(acceptInvitationCall, {
      summary: "Accept an invitation",
      details:
        "Makes a doctor's account of `name` and `password` where the address has none, and signs it in. An account that never confirmed its address accepts with its session's token.",
      problems: [deadInvitation, signInToAccept, emailTaken, registrationClosed],
    }),
    validate("json", acceptInvitationCall.body),
    async (c) => {
      const visitor = visitorOf(c, deps.config);
      const token = bearerToken(c.req.header("authorization"));
      const callerId = token && (await findSession(deps, token))?.userId;
      const input = { ...c.req.valid("json"), callerId, locale: c.get("locale") };
      const { studyId, opened } = await acceptInvitation(deps, input, visitor);
      if (opened) keepBrowser(c, visitor, deps.config);
      return c.json({ studyId, session: opened ? await presentSession(deps, opened) : null });
    },
  );

  return routes;
}
