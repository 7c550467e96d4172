import "../../support/client/dom-globals.ts";
import { expect, spyOn, test } from "bun:test";
import InvitationForm from "../../../src/client/features/auth/invitation-form.tsx";
import { beginSession, currentToken } from "../../../src/client/session.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { type Answer, answerCalls, helena, problem } from "../../support/client/render-view.tsx";

withDom();

const token = "t0k3n";
const offer = { email: "paulo@exemplo.com.br", inviterName: "Marina", hasAccount: false };

async function show(answers: Record<string, Answer>, registration: "open" | "approval" = "open") {
  const switched: string[] = [];
  answerCalls({ "POST /api/invitations/read": () => Response.json(offer), ...answers });
  const props = { productName: "Exameteca", registration, trialDays: 14 } as const;
  await renderClient(
    <InvitationForm {...props} invitationToken={token} onSwitch={(form) => switched.push(form)} />,
  );
  return switched;
}

test("a doctor makes an account and comes to the exam, signed in", async () => {
  const sent: unknown[] = [];
  const session = { ...helena, role: "doctor", token: "s3ss10n" };
  await show({
    "POST /api/invitations/accept": ({ body }) => {
      sent.push(body);
      return Response.json({ studyId: "s1", session });
    },
  });
  const reload = spyOn(window.location, "reload").mockImplementation(() => undefined);
  await screen.findByText(/Marina quer mostrar um exame/);
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Nome completo"), "Dr. Paulo Reis");
  await user.type(screen.getByLabelText("Senha"), "segredo");
  await user.click(screen.getByRole("button", { name: "Criar conta e ver o exame" }));
  await waitFor(() => expect(reload).toHaveBeenCalled());
  expect(sent).toEqual([{ token, name: "Dr. Paulo Reis", password: "segredo" }]);
  expect([currentToken(), window.history.state]).toEqual(["s3ss10n", { place: "/viewer/of/s1" }]);
  reload.mockRestore();
});

test("a doctor whom an admin must let in first reads that before they make an account", async () => {
  await show({}, "approval");
  expect(await screen.findByText(/Um administrador autoriza a conta/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Criar conta" })).toBeTruthy();
});

test("an address with an account accepts without a password, and logs in as always", async () => {
  const switched = await show({
    "POST /api/invitations/read": () => Response.json({ ...offer, hasAccount: true }),
    "POST /api/invitations/accept": () => Response.json({ studyId: "s1", session: null }),
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Aceitar" }));
  const logIn = await screen.findByRole("button", { name: "Ir para o login" });
  expect(document.activeElement === logIn).toBe(true);
  await user.click(logIn);
  expect(switched).toEqual(["login"]);
});

test("an address that its account never confirmed leads to the login, and accepts with the session", async () => {
  const switched = await show({
    "POST /api/invitations/read": () => Response.json({ ...offer, hasAccount: true }),
    "POST /api/invitations/accept": () => problem(403, "invitation.sign_in", "Entre nessa conta primeiro."),
  });
  beginSession({ ...helena, token: "s3ss10n" }, { keepConnected: false });
  const fetched = spyOn(globalThis, "fetch");
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Aceitar" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Entre nessa conta primeiro.");
  expect(new Headers(fetched.mock.lastCall?.[1]?.headers).get("Authorization")).toBe("Bearer s3ss10n");
  fetched.mockRestore();
  const logIn = screen.getByRole("button", { name: "Ir para o login" });
  expect(document.activeElement === logIn).toBe(true);
  await user.click(logIn);
  expect(switched).toEqual(["login"]);
});

test("a link that is used up says so", async () => {
  await show({
    "POST /api/invitations/read": () => problem(400, "invitation.dead", "Este convite não vale mais."),
  });
  expect(await screen.findByText("Este convite não vale mais.")).toBeTruthy();
});
