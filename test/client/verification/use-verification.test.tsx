import "../../support/client/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import { rootOf } from "../../../src/client/features/verification/receipt-file.ts";
import { useVerification } from "../../../src/client/features/verification/use-verification.ts";
import { act, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls } from "../../support/client/render-view.tsx";

withDom();

const instance = { sopInstanceUID: "1.2", sha256: "a".repeat(64), sizeBytes: 1 };
const receiptOf = (day: string) => ({
  version: 1,
  studyInstanceUID: "2.25.1",
  receivedAt: `${day}T12:00:00.000Z`,
  instances: [instance],
  root: rootOf([instance]),
});

const realWorker = globalThis.Worker;
afterEach(() => {
  globalThis.Worker = realWorker;
});

function Check() {
  const { receipt, check, openFile, checkFiles } = useVerification();
  const bring = (day: string) => void openFile(new Blob([JSON.stringify(receiptOf(day))]));
  return (
    <>
      <p>{`${receipt?.digest.receivedAt.slice(0, 10) ?? "none"}: ${check.state}`}</p>
      <button type="button" onClick={() => bring("2026-11-01")}>
        first
      </button>
      <button type="button" onClick={() => bring("2026-11-02")}>
        second
      </button>
      <button type="button" onClick={() => void checkFiles([{ name: "a", file: new Blob(["a"]) }])}>
        check
      </button>
    </>
  );
}

test("files that were brought while another receipt is read are not shown as compared with that one", async () => {
  const keys = Promise.withResolvers<Response>();
  let asked = 0;
  answerCalls({
    "GET /.well-known/jwks.json": () => (asked++ === 0 ? Response.json({ keys: [] }) : keys.promise),
  });
  globalThis.Worker = class {
    postMessage() {}
    terminate() {}
  } as unknown as typeof Worker;
  await renderClient(<Check />);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "first" }));
  await screen.findByText("2026-11-01: none");
  await user.click(screen.getByRole("button", { name: "second" }));
  await user.click(screen.getByRole("button", { name: "check" }));
  await screen.findByText("2026-11-01: running");
  await act(async () => keys.resolve(Response.json({ keys: [] })));
  expect(await screen.findByText("2026-11-02: none")).toBeDefined();
});
