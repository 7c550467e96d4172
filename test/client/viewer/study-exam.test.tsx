import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { useLingui } from "@lingui/react";
import { studyExam } from "../../../src/client/features/viewer/study-exam.tsx";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { answerCalls, problem, renderView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

function Save() {
  const { i18n } = useLingui();
  const { laudo } = studyExam(i18n, { ...skull, laudo: true });
  return (
    <button type="button" onClick={laudo?.onDownload}>
      Salvar
    </button>
  );
}

test("a report that can't be saved from the viewer says why", async () => {
  answerCalls({
    "GET /api/studies/laudo/s1": () => problem(503, "study.node_gone", "O servidor deste exame parou."),
  });
  await renderView(<Save />);
  await userEvent.setup().click(screen.getByRole("button", { name: "Salvar" }));
  expect(await screen.findByText("O servidor deste exame parou.")).toBeDefined();
});
