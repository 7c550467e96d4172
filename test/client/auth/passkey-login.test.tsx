import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { usePasskeyLogin, usePasskeyOffer } from "../../../src/client/features/auth/use-passkey-login.ts";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const withoutConnection = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

function LogIn() {
  const { isBusy, logIn } = usePasskeyLogin(withoutConnection);
  return (
    <button type="button" disabled={isBusy} onClick={() => void logIn({ keepConnected: false })}>
      Entrar
    </button>
  );
}

test("a sign-in whose code could not be loaded is not told as a browser without passkeys, and can be tried again", async () => {
  await renderClient(<LogIn />, "en-US");
  await userEvent.setup().click(screen.getByRole("button", { name: "Entrar" }));
  expect(await screen.findByText(/^What this needs could not be loaded\./)).toBeDefined();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Entrar" }).disabled).toBe(false);
});

const keepConnected = () => false;

function Offer({ load }: { load: typeof withoutConnection }) {
  usePasskeyOffer(true, keepConnected, load);
  return null;
}

test("an offer of passkeys whose code could not be loaded is no error of the page", async () => {
  const asked = Promise.withResolvers<void>();
  const isConditionalMediationAvailable = async () => true;
  Object.defineProperty(window, "PublicKeyCredential", {
    value: { isConditionalMediationAvailable },
    configurable: true,
  });
  const failures: unknown[] = [];
  const note = (reason: unknown) => failures.push(reason);
  process.on("unhandledRejection", note);
  const load = () => {
    asked.resolve();
    return withoutConnection();
  };
  try {
    await renderClient(<Offer load={load} />);
    await asked.promise;
    await Bun.sleep(20);
    expect(failures).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
    Reflect.deleteProperty(window, "PublicKeyCredential");
  }
});
