import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { useIsActive } from "../../../src/client/features/session/use-is-active.ts";
import type { CurrentUser } from "../../../src/shared/api/users.ts";
import { screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { type Answer, answerCalls, helena, problem, renderView } from "../../support/client/render-view.tsx";
import { subscription } from "../../support/client/subscriptions.ts";

const MINE = "GET /api/subscriptions/my-subscription";

withDom();
withFakeClock("2026-11-21T12:00:00.000Z");

function Probe({ user }: { user: CurrentUser }) {
  return <p>{useIsActive(user) ? "open" : "closed"}</p>;
}

async function show(answer: Answer, user: Partial<CurrentUser> = {}): Promise<string[]> {
  const calls = answerCalls({ [MINE]: answer });
  await renderView(<Probe user={{ ...helena, ...user }} />);
  await settled();
  return calls;
}

const shown = () => screen.getByText(/open|closed/).textContent;
const answerWith = (changes: object) => () => Response.json({ ...subscription, ...changes });

describe("a feature that needs a subscription is", () => {
  for (const expiresAt of ["2026-12-18T15:00:00.000Z", null]) {
    test(`open while the subscription is active (end: ${expiresAt ?? "never"}), whatever the account's own end date`, async () => {
      await show(answerWith({ expiresAt }), { expiresAt: "2026-01-01T00:00:00.000Z" });
      expect(shown()).toBe("open");
    });
  }

  for (const status of ["pending", "expired"] as const) {
    test(`closed while the subscription is ${status}, whatever the account's own end date`, async () => {
      await show(answerWith({ status, expiresAt: null }), { expiresAt: null });
      expect(shown()).toBe("closed");
    });
  }

  test("closed without a subscription", async () => {
    await show(() => problem(404, "subscription.not_found", "x"), { expiresAt: null });
    expect(shown()).toBe("closed");
  });

  test("closed only after the check has failed twice", async () => {
    const calls = await show(() => problem(500, "internal", "x"), { expiresAt: null });
    expect([shown(), calls.length]).toEqual(["open", 1]);
    await pass(2_000);
    expect([shown(), calls.length]).toEqual(["closed", 2]);
  });

  test("open again within a minute once the server has recovered", async () => {
    let isDown = true;
    await show(() => (isDown ? problem(500, "internal", "x") : Response.json(subscription)));
    await pass(2_000);
    expect(shown()).toBe("closed");
    isDown = false;
    await pass(60_000);
    expect(shown()).toBe("open");
  });

  test("open by the account's own end date until the server has answered", async () => {
    await show(() => new Promise(() => undefined), { expiresAt: "2026-11-21T12:00:01.000Z" });
    expect(shown()).toBe("open");
  });

  test("closed within a minute after the end passes in an open page", async () => {
    await show(answerWith({ expiresAt: "2026-11-21T12:00:30.000Z" }));
    expect(shown()).toBe("open");
    await pass(60_000);
    expect(shown()).toBe("closed");
  });

  test("always open to an admin, without a call", async () => {
    expect(await show(answerWith({}), { role: "admin" })).toEqual([]);
    expect(shown()).toBe("open");
  });
});
