import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import {
  RenameButton,
  RenameStudyDialog,
} from "../../../src/client/features/study-list/actions/rename-study.tsx";
import { screen, untilGone, userEvent, withDom } from "../../support/client/dom.ts";
import { answerCalls, renderView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

test("an owner renames an exam, and the dialog says that its images stay as they are", async () => {
  const sent: unknown[] = [];
  answerCalls({
    "PATCH /api/studies/s1": ({ body }) => {
      sent.push(body);
      return Response.json({ renamed: true });
    },
  });
  await renderView(
    <>
      <RenameButton study={{ ...skull, ownerName: null }} />
      <RenameStudyDialog />
    </>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Renomear exame" }));
  expect(await screen.findByText("As imagens não mudam. Só o que aparece na sua lista.")).toBeDefined();
  const field = screen.getByLabelText("Descrição");
  await user.clear(field);
  await user.type(field, "Crânio de controle{Enter}");
  await untilGone(() => screen.queryByRole("dialog"));
  expect(sent).toEqual([{ description: "Crânio de controle" }]);
});

test("an exam that somebody else keeps can't be renamed", async () => {
  await renderView(<RenameButton study={{ ...skull, ownerName: "Helena" }} />);
  expect(screen.queryByRole("button")).toBeNull();
});
