import "../../support/client/dom-globals.ts";
import { expect, setSystemTime, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { MailPanel } from "../../../src/client/features/notifications/mail-panel.tsx";
import NotificationBell from "../../../src/client/features/notifications/notification-bell.tsx";
import { viewAtom } from "../../../src/client/features/places/views.ts";
import { shownStudyAtom } from "../../../src/client/features/viewer/shown-study.ts";
import { act, screen, untilGone, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { answerCalls, renderView, shownView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

const study = { id: "s1", studyDescription: "Tomografia de crânio" };
const told = (id: string, over: object = {}) => ({
  ...{ id: `01900000-0000-7000-8000-0000000000${id}`, event: "study.shared", at: new Date().toISOString() },
  ...{ readAt: null, actorName: "João Gonçalves", study, details: {} },
  ...over,
});

async function show(notifications: object[]) {
  const sent: unknown[] = [];
  answerCalls({
    "GET /api/notifications": () => Response.json({ unread: 0, notifications }),
    "POST /api/notifications/read": ({ body }) => {
      sent.push(body);
      return Response.json({ read: true });
    },
    "GET /api/studies/s1": () => Response.json(skull),
  });
  await renderView(<NotificationBell />);
  return sent;
}

test("the bell counts what is unread; pressing an entry opens what it is about and marks it as read", async () => {
  const sent = await show([told("a1"), told("a2", { readAt: "2026-11-20T12:00:00.000Z" })]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Avisos, 1 não lido" }));
  await user.click(await screen.findByRole("button", { name: /^Compartilhado com você.*Não lido$/ }));
  await waitFor(() => expect(shownView()).toBe("viewer"));
  expect(sent).toEqual([{ ids: [told("a1").id] }]);
  expect(screen.getByRole("button", { name: "Avisos" })).toBeTruthy();
});

test("a delivered exam is opened from its notice", async () => {
  await show([told("c1", { event: "delivery.received", details: { from: "Hospital Santa Clara" } })]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Avisos, 1 não lido" }));
  await user.click(await screen.findByRole("button", { name: /^Entregue a você: Tomografia de crânio/ }));
  await waitFor(() => expect(shownView()).toBe("viewer"));
});

test("a delivery of several exams is one notice, which counts them", async () => {
  await show([
    told("c2", { event: "delivery.received", details: { from: "Hospital Santa Clara", exams: 3 } }),
  ]);
  await userEvent.setup().click(await screen.findByRole("button", { name: "Avisos, 1 não lido" }));
  await screen.findByRole("button", { name: /^Entregue a você: Tomografia de crânio e mais 2 exames/ });
});

test("an exam that is read late opens neither over the one that was pressed after it, nor over another view", async () => {
  const late = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  const other = { ...study, id: "s2", studyDescription: "Ressonância do joelho" };
  await show([told("d1"), told("d2", { study: other })]);
  answerCalls({
    "POST /api/notifications/read": () => Response.json({ read: true }),
    "GET /api/studies/s1": () => late[0]?.promise ?? Response.error(),
    "GET /api/studies/s2": () => late[1]?.promise ?? Response.error(),
  });
  const user = userEvent.setup();
  const open = async (name: RegExp) => {
    await user.click(screen.getByRole("button", { name: /^Avisos/ }));
    await user.click(await screen.findByRole("button", { name }));
  };
  const store = getDefaultStore();
  const shown = () => store.get(shownStudyAtom)?.id;
  await screen.findByRole("button", { name: "Avisos, 2 não lidos" });
  await open(/Tomografia/);
  await open(/Ressonância/);
  late[0]?.resolve(Response.json(skull));
  await act(async () => await Bun.sleep(0));
  expect(shown()).toBeUndefined();
  await act(async () => store.set(viewAtom, "support"));
  late[1]?.resolve(Response.json({ ...skull, id: "s2" }));
  await act(async () => await Bun.sleep(0));
  expect([shownView(), shown()]).toEqual(["support", undefined]);
});

test("what was marked as read stays so, although the list was being read again at that moment", async () => {
  const late = Promise.withResolvers<Response>();
  await show([told("e1")]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Avisos, 1 não lido" }));
  const calls = answerCalls({
    "GET /api/notifications": () => late.promise,
    "POST /api/notifications/read": () => Response.json({ read: true }),
  });
  // What is old is read again with the connection.
  setSystemTime(Date.now() + 60_000);
  await act(async () => {
    window.dispatchEvent(new Event("offline"));
    window.dispatchEvent(new Event("online"));
  });
  setSystemTime();
  expect(calls).toEqual(["GET /api/notifications"]);
  await user.click(screen.getByRole("button", { name: "Marcar tudo como lido" }));
  late.resolve(Response.json({ unread: 1, notifications: [told("e1")] }));
  await act(async () => await Bun.sleep(0));
  expect(screen.queryByRole("button", { name: "Marcar tudo como lido" })).toBeNull();
});

test("all are marked as read at once, and a Pix leads to the subscription", async () => {
  const paid = told("b1", { event: "payment.confirmed", study: null, details: { amount: 3990 } });
  const sent = await show([paid, told("b2")]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Avisos, 2 não lidos" }));
  await user.click(await screen.findByRole("button", { name: "Marcar tudo como lido" }));
  expect(sent).toEqual([{}]);
  await user.click(screen.getByRole("button", { name: /^Pix de R\$.39,90 confirmado/ }));
  expect(shownView()).toBe("subscription");
});

test("the list keeps the focus when the button that marked all as read goes", async () => {
  await show([told("b3")]);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Avisos, 1 não lido" }));
  await user.click(await screen.findByRole("button", { name: "Marcar tudo como lido" }));
  await untilGone(() => screen.queryByRole("button", { name: "Marcar tudo como lido" }));
  expect(document.activeElement?.getAttribute("role")).toBe("dialog");
});

test("the profile switches the mail of an event; one of a newer server is left out", async () => {
  const sent: unknown[] = [];
  const newer = { event: "exam.dreamt", wanted: true };
  answerCalls({
    "GET /api/notifications/mails": () => Response.json([newer, { event: "report.attached", wanted: true }]),
    "PATCH /api/notifications/mails": ({ body }) => {
      sent.push(body);
      return Response.json([newer, { event: "report.attached", wanted: false }]);
    },
  });
  await renderView(<MailPanel />);
  const choice = await screen.findByRole<HTMLInputElement>("checkbox", {
    name: "Um exame meu recebeu laudo",
  });
  await userEvent.setup().click(choice);
  await waitFor(() => expect([choice.checked, choice.disabled]).toEqual([false, false]));
  expect(sent).toEqual([{ event: "report.attached", wanted: false }]);
  expect(screen.getAllByRole("checkbox")).toHaveLength(1);
});
