import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  leavingCents,
  mergeDevolucoes,
  type NewDevolucao,
  sumReturnedCents,
} from "../../../src/server/features/payments/merge-devolucoes.ts";
import type { DevolucaoRow } from "../../../src/server/features/payments/payments.table.ts";
import type { ReceivedDevolucao, ReceivedPix } from "../../../src/server/pix/pix.ts";

const E2E = `E${"1".repeat(31)}`;
const at = new Date("2026-11-21T12:00:00Z");

function devolucao(changes: Partial<ReceivedDevolucao> = {}): ReceivedDevolucao {
  return {
    ...{
      id: "a",
      rtrId: `D${"1".repeat(31)}`,
      amountCents: 500,
      natureza: "MED_FRAUDE",
      status: "DEVOLVIDO",
    },
    ...{ requestedAt: at, settledAt: undefined },
    ...changes,
  };
}

const pix = (...devolucoes: ReceivedDevolucao[]): ReceivedPix[] => [
  { endToEndId: E2E, amountCents: 1990, paidAt: at, devolucoes },
];

/** The table's rows after these answers, in order. */
function rowsAfter(...answers: ReceivedPix[][]): DevolucaoRow[] {
  let rows: DevolucaoRow[] = [];
  for (const answer of answers) {
    const { added, changed } = mergeDevolucoes(rows, answer);
    const whole = (row: NewDevolucao): DevolucaoRow => ({
      ...row,
      id: crypto.randomUUID(),
      paymentId: "p",
      seenAt: at,
    });
    rows = [...rows.map((row) => changed.find(({ id }) => id === row.id) ?? row), ...added.map(whole)];
  }
  return rows;
}

describe("a payment's devolução", () => {
  test("is recorded once, however often the PSP reports it", () => {
    const answer = pix(devolucao(), devolucao(), devolucao({ id: "b", rtrId: `D${"2".repeat(31)}` }));
    expect(rowsAfter(answer, answer, answer)).toHaveLength(2);
    expect(mergeDevolucoes(rowsAfter(answer), answer)).toEqual({ added: [], changed: [] });
  });

  test("is one if its rtrId comes later, and two if two share one id", () => {
    const begun = devolucao({ rtrId: undefined, status: "EM_PROCESSAMENTO" });
    const rows = rowsAfter(pix(begun), pix(devolucao()));
    expect(rows).toMatchObject([{ status: "DEVOLVIDO", rtrId: `D${"1".repeat(31)}` }]);
    expect(rowsAfter(pix(devolucao()), pix(begun))).toMatchObject([{ status: "DEVOLVIDO" }]);
    const sameId = pix(devolucao(), devolucao({ rtrId: `D${"2".repeat(31)}` }));
    expect(sumReturnedCents(rowsAfter(sameId))).toBe(1000);
  });

  test("is never undone by an older answer, or by one that omits it", () => {
    const begun = devolucao({ status: "EM_PROCESSAMENTO", amountCents: 400 });
    expect(rowsAfter(pix(devolucao()), pix(begun), pix())).toMatchObject([
      { status: "DEVOLVIDO", amountCents: 500 },
    ]);
    const refused = devolucao({ status: "NAO_REALIZADO" });
    expect(rowsAfter(pix(refused), pix(begun))).toMatchObject([{ status: "NAO_REALIZADO" }]);
    expect(rowsAfter(pix(refused), pix(devolucao()))).toMatchObject([{ status: "DEVOLVIDO" }]);
  });

  test("adds up to the cent, in any order of the answers", () => {
    const parts = fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(parts, fc.nat(), (amounts, seed) => {
        const all = amounts.map((amountCents, i) =>
          devolucao({ id: `d${i}`, rtrId: `D${String(i).padStart(31, "0")}`, amountCents }),
        );
        const turned = [...all.slice(seed % all.length), ...all.slice(0, seed % all.length)];
        const sum = amounts.reduce((total, cents) => total + cents, 0);
        const rows = rowsAfter(pix(...turned.slice(1)), pix(...all), pix(...turned));
        expect(sumReturnedCents(rows)).toBe(sum);
        expect(leavingCents(rows)).toBe(sum);
      }),
    );
  });

  test("counts as returned only when it is done, and as under way until it fails", () => {
    const all = pix(
      devolucao({ id: "a", rtrId: undefined }),
      devolucao({ id: "b", rtrId: undefined, status: "EM_PROCESSAMENTO", amountCents: 70 }),
      devolucao({ id: "c", rtrId: undefined, status: "NAO_REALIZADO", amountCents: 9 }),
    );
    const rows = rowsAfter(all);
    expect(sumReturnedCents(rows)).toBe(500);
    expect(leavingCents(rows)).toBe(570);
  });
});
