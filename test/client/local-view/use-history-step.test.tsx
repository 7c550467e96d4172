import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { useState } from "react";
import { useHistoryStep } from "../../../src/client/features/local-view/use-history-step.ts";
import { drawn, fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { write } from "../../support/client/travel.ts";

withDom();

function Open({ onClose }: { onClose: () => void }) {
  const leave = useHistoryStep(onClose);
  return (
    <button type="button" onClick={leave()}>
      Close
    </button>
  );
}

function Page() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && <Open onClose={() => setOpen(false)} />}
    </>
  );
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

test("what is open is closed once by two presses, so that the page with its files stays", async () => {
  history.replaceState({ page: "before" }, "");
  history.pushState({ page: "with files" }, "");
  await renderClient(<Page />);
  for (let round = 0; round < 2; round++) {
    press("Open");
    await write(() => {
      press("Close");
      press("Close");
    });
    await drawn();
    expect(screen.queryByText("Close")).toBeNull();
    expect(history.state).toEqual({ page: "with files" });
  }
});
