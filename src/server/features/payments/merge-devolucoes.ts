import type { ReceivedDevolucao, ReceivedPix } from "../../pix/pix.ts";
import type { DevolucaoRow } from "./payments.table.ts";

type Amount = Pick<DevolucaoRow, "status" | "amountCents">;

/** What is back with the payer. */
export function sumReturnedCents(devolucoes: Amount[]): number {
  return devolucoes.reduce(
    (sum, { status, amountCents }) => sum + (status === "DEVOLVIDO" ? amountCents : 0),
    0,
  );
}

/** What is back or on its way there: a further refund can't ask for it. */
export function leavingCents(devolucoes: Pick<ReceivedDevolucao, "status" | "amountCents">[]): number {
  return devolucoes.reduce(
    (sum, { status, amountCents }) => sum + (status === "NAO_REALIZADO" ? 0 : amountCents),
    0,
  );
}

export type NewDevolucao = Omit<DevolucaoRow, "id" | "paymentId" | "seenAt">;

/** What the PSP's answer changes of the known rows. */
export interface DevolucaoChanges {
  added: NewDevolucao[];
  /** Rows as they are from now on. */
  changed: DevolucaoRow[];
}

/**
 * Compares what is known with what the PSP says. One devolucao is one `rtrId`, and where one of both sides has none yet,
 * one id of one Pix. An answer that comes late never takes a final status back, and one that leaves a devolucao out
 * takes nothing away.
 */
export function mergeDevolucoes(known: DevolucaoRow[], pix: ReceivedPix[]): DevolucaoChanges {
  const added: NewDevolucao[] = [];
  const changed: DevolucaoRow[] = [];
  const left = new Set(known);
  for (const { endToEndId, devolucoes } of pix) {
    for (const devolucao of devolucoes) {
      const seen = rowOf(endToEndId, devolucao);
      const isSame = (row: NewDevolucao) => isSameDevolucao(row, seen);
      if (added.some(isSame)) continue;
      const row = known.find(isSame);
      if (!row) added.push(seen);
      else if (left.delete(row) && differs(row, seen)) changed.push({ ...row, ...laterOf(row, seen) });
    }
  }
  return { added, changed };
}

function rowOf(endToEndId: string, devolucao: ReceivedDevolucao): NewDevolucao {
  const { id, rtrId, amountCents, natureza, status, requestedAt, settledAt } = devolucao;
  return {
    ...{ endToEndId, devolucaoId: id, rtrId: rtrId ?? null, amountCents, natureza, status },
    ...{ requestedAt: requestedAt ?? null, settledAt: settledAt ?? null },
  };
}

function isSameDevolucao(one: NewDevolucao, other: NewDevolucao): boolean {
  if (one.rtrId !== null && other.rtrId !== null) return one.rtrId === other.rtrId;
  return one.endToEndId === other.endToEndId && one.devolucaoId === other.devolucaoId;
}

function differs(row: DevolucaoRow, seen: NewDevolucao): boolean {
  const { status, rtrId, amountCents, settledAt } = laterOf(row, seen);
  const isSameTime = (settledAt?.getTime() ?? null) === (row.settledAt?.getTime() ?? null);
  return status !== row.status || rtrId !== row.rtrId || amountCents !== row.amountCents || !isSameTime;
}

/** Statuses in the order in which they replace each other: money that is back stays back. */
const ranks: Record<DevolucaoRow["status"], number> = { EM_PROCESSAMENTO: 0, NAO_REALIZADO: 1, DEVOLVIDO: 2 };

/** The amount stands with its final status; what the PSP tells later of times and ids is added. */
function laterOf(row: DevolucaoRow, seen: NewDevolucao): NewDevolucao {
  const isKept = ranks[row.status] > ranks[seen.status] || row.status === "DEVOLVIDO";
  return {
    ...seen,
    status: isKept ? row.status : seen.status,
    amountCents: isKept ? row.amountCents : seen.amountCents,
    rtrId: seen.rtrId ?? row.rtrId,
    requestedAt: seen.requestedAt ?? row.requestedAt,
    settledAt: seen.settledAt ?? row.settledAt,
  };
}
