import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { signOutAskedAtom, useCarefulSignOut } from "../../../src/client/features/frame/sign-out-asked.ts";
import SignOutDialog from "../../../src/client/features/frame/sign-out-dialog.tsx";
import { addJobAtom, changeJobAtom } from "../../../src/client/features/upload/tray/upload-jobs.ts";
import { act, screen, userEvent, waitFor, withDom } from "../../support/client/dom.ts";
import { answerCalls, renderView } from "../../support/client/render-view.tsx";

withDom();

function LogOut() {
  const signOut = useCarefulSignOut();
  return (
    <>
      <button type="button" onClick={signOut}>
        Conta
      </button>
      <SignOutDialog />
    </>
  );
}

test("logging out asks while an upload would stop by it, and not otherwise", async () => {
  const user = userEvent.setup();
  const store = getDefaultStore();
  const calls = answerCalls({ "POST /api/auth/logout": () => new Response(null, { status: 204 }) });
  await renderView(<LogOut />);
  const upload = {
    ...{ zip: new Blob(["PK"]), fileName: "exame.zip", prefilled: undefined, contents: undefined },
    ...{ fileCount: 1, keptCount: 1, films: [], dispose: async () => {} },
  };
  const source = { kind: "zip", name: "exame.zip", sizeBytes: 2 } as const;
  const form = {} as never;
  await act(async () => {
    store.set(addJobAtom, { id: "j1", source, counts: {}, upload, form, state: { stage: "queued" } });
  });
  await user.click(screen.getByRole("button", { name: "Conta" }));
  expect(calls).toEqual([]);
  expect(
    await screen.findByText(
      "Os envios param aqui. Eles continuam quando você entrar de novo neste navegador, que guarda o que falta enviar. No aparelho de outra pessoa, cancele-os antes.",
    ),
  ).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Continuar aqui" }));
  await waitFor(() => expect(store.get(signOutAskedAtom)).toBe(false));
  const stopped = { stage: "stopped", percent: 0, interruption: { kind: "connection" } } as const;
  await act(async () => store.set(changeJobAtom, "j1", { state: stopped }));
  await user.click(screen.getByRole("button", { name: "Conta" }));
  await waitFor(() => expect(calls).toEqual(["POST /api/auth/logout"]));
});
