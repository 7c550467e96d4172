import { type ReactNode, useState } from "react";
import { act, fireEvent, screen } from "./dom.ts";

/** A view that can be left and come back to, as by the menu. */
export function Revisited({ view }: { view: ReactNode }) {
  const [isShown, setShown] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setShown(!isShown)}>
        Menu
      </button>
      {isShown && view}
    </>
  );
}

export async function leaveAndComeBack(): Promise<void> {
  for (let press = 0; press < 2; press++) {
    await act(async () => {
      fireEvent.click(screen.getByRole("button", { name: "Menu" }));
    });
  }
}
