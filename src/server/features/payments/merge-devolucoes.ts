import type { ReceivedDevolucao, ReceivedPix } from "../../pix/pix.ts";
import type { DevolucaoRow } from "./payments.table.ts";

type Amount = Pick<DevolucaoRow, "status" | "amountCents">;

/** The sum of the completed devoluções, in cents. */
export function sumReturnedCents(devolucoes: Amount[]): number {
  return devolucoes.reduce(
    (sum, { status, amountCents }) => sum + (status === "DEVOLVIDO" ? amountCents : 0),
    0,
  );
}

/** The sum of the devoluções that are completed or in progress, in cents. A further refund cannot include it. */
export function leavingCents(devolucoes: Pick<ReceivedDevolucao, "status" | "amountCents">[]): number {
  return devolucoes.reduce(
    (sum, { status, amountCents }) => sum + (status === "NAO_REALIZADO" ? 0 : amountCents),
    0,
  );
}

export type NewDevolucao = Omit<DevolucaoRow, "id" | "paymentId" | "seenAt">;

/** What the PSP's answer changes in the stored rows. */
export interface DevolucaoChanges {
  added: NewDevolucao[];
  /** Existing rows with their new values. */
  changed: DevolucaoRow[];
}

/**
 * Compares the stored devoluções with the PSP's answer. A devolução is identified by its `rtrId` or, while either side has
 * none, by its id within one Pix. A late answer never reverts a final status, and a devolução that is missing in an answer
 * stays.
 */
export function mergeDevolucoes(known: DevolucaoRow[], pix: ReceivedPix[]): DevolucaoChanges {
  const added: NewDevolucao[] = [];
  const changed: DevolucaoRow[] = [];
  const left = new Set(known);
  for (const { endToEndId, devolucoes } of pix) {
    for (const devolucao of devolucoes) {
      const received = rowOf(endToEndId, devolucao);
      const isSame = (row: NewDevolucao) => isSameDevolucao(row, received);
      if (added.some(isSame)) continue;
      const row = known.find(isSame);
      if (!row) added.push(received);
      else if (left.delete(row) && differs(row, received))
        changed.push({ ...row, ...mergeRow(row, received) });
    }
  }
  return { added, changed };
}

function rowOf(endToEndId: string, devolucao: ReceivedDevolucao): NewDevolucao {
  const { id, rtrId, amountCents, natureza, status, requestedAt, settledAt } = devolucao;
  return {
    endToEndId,
    devolucaoId: id,
    rtrId: rtrId ?? null,
    amountCents,
    natureza,
    status,
    requestedAt: requestedAt ?? null,
    settledAt: settledAt ?? null,
  };
}

function isSameDevolucao(one: NewDevolucao, other: NewDevolucao): boolean {
  if (one.rtrId !== null && other.rtrId !== null) return one.rtrId === other.rtrId;
  return one.endToEndId === other.endToEndId && one.devolucaoId === other.devolucaoId;
}

function differs(row: DevolucaoRow, received: NewDevolucao): boolean {
  const { status, rtrId, amountCents, settledAt } = mergeRow(row, received);
  const isSameTime = (settledAt?.getTime() ?? null) === (row.settledAt?.getTime() ?? null);
  return status !== row.status || rtrId !== row.rtrId || amountCents !== row.amountCents || !isSameTime;
}

/** Statuses by rank; a higher one replaces a lower one. Returned money stays returned. */
const ranks: Record<DevolucaoRow["status"], number> = { EM_PROCESSAMENTO: 0, NAO_REALIZADO: 1, DEVOLVIDO: 2 };

/** A final status keeps its amount. Times and ids that the PSP reports later are added. */
function mergeRow(row: DevolucaoRow, received: NewDevolucao): NewDevolucao {
  const isKept = ranks[row.status] > ranks[received.status] || row.status === "DEVOLVIDO";
  return {
    ...received,
    status: isKept ? row.status : received.status,
    amountCents: isKept ? row.amountCents : received.amountCents,
    rtrId: received.rtrId ?? row.rtrId,
    requestedAt: received.requestedAt ?? row.requestedAt,
    settledAt: received.settledAt ?? row.settledAt,
  };
}
