import "../../support/client/dom-globals.ts";
import { describe, expect, mock, test } from "bun:test";
import StopForm from "../../../src/client/features/auth/stop-form.tsx";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, problem } from "../../support/client/render-view.tsx";

withDom();

const onSwitch = mock((_form: string) => undefined);
const props = { productName: "Exameteca", registration: "open", trialDays: 14, onSwitch } as const;

async function showStop(locale: "pt-BR" | "en-US" = "pt-BR") {
  onSwitch.mockClear();
  window.history.replaceState(null, "", "/stop-email-change/t0ken");
  await renderClient(<StopForm {...props} stopToken="t0ken" />, locale);
  return userEvent.setup();
}

describe("the page of the warning's link", () => {
  test("changes nothing until its button is pressed, then offers to set a new password", async () => {
    const sent: unknown[] = [];
    answerCalls({
      "POST /api/auth/stop-email-change": ({ body }) => {
        sent.push(body);
        return Response.json({ stopped: true, restored: false });
      },
    });
    const user = await showStop();
    expect(sent).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Impedir a troca" }));
    expect(await screen.findByText(/A troca foi impedida/)).toBeDefined();
    expect(sent).toEqual([{ token: "t0ken" }]);
    expect(window.location.pathname).toBe("/");
    await user.click(screen.getByRole("button", { name: "Escolher uma nova senha" }));
    expect(onSwitch.mock.calls[0]?.[0]).toBe("forgot");
  });

  test("says in English that the former address is back", async () => {
    answerCalls({
      "POST /api/auth/stop-email-change": () => Response.json({ stopped: true, restored: true }),
    });
    const user = await showStop("en-US");
    await user.click(screen.getByRole("button", { name: "Stop the change" }));
    expect(await screen.findByText(/has its former address again/)).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Go to login" }));
    expect(onSwitch.mock.calls[0]?.[0]).toBe("login");
  });

  test("shows why an expired link stops nothing", async () => {
    answerCalls({
      "POST /api/auth/stop-email-change": () => problem(400, "auth.dead_link", "Este link não vale mais."),
    });
    const user = await showStop();
    await user.click(screen.getByRole("button", { name: "Impedir a troca" }));
    expect(await screen.findByText("Este link não vale mais.")).toBeDefined();
    expect(screen.getByRole("button", { name: "Impedir a troca" })).toBeDefined();
  });
});
