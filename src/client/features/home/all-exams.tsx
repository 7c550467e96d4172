import { Plural } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { viewAtom } from "../places/views.ts";

/** Leads to the list. */
export function AllExams({ total }: { total: number }) {
  const setView = useSetAtom(viewAtom);
  return (
    <button type="button" className="link" onClick={() => setView("listaExames")}>
      <Plural id="home.seeAll" value={total} one="See the exam" other="See all # exams" />
    </button>
  );
}
