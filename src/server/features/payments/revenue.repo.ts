import { type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { devolucoes, payments } from "./payments.table.ts";

export interface MonthRow {
  month: string;
  amountCents: number;
  payments: number;
}

/**
 * Revenue in cents by month, in Brazil's time zone: payments less full and partial returns. Months without either are left
 * out.
 */
export async function sumRevenueByMonth(db: DbOrTx, since: Date): Promise<MonthRow[]> {
  const from = sql`${since.toISOString()}::timestamptz`;
  const monthOf = (at: SQL) => sql`to_char(${at} at time zone 'America/Sao_Paulo', 'YYYY-MM')`;
  // The known devoluções of the Pix that paid. The rest of a refunded payment was returned at its refund.
  const back = sql`select ${devolucoes.paymentId} as id, ${devolucoes.amountCents} as cents,
      coalesce(${devolucoes.settledAt}, ${devolucoes.seenAt}) as at
    from ${devolucoes} join ${payments} on ${payments.id} = ${devolucoes.paymentId}
    where ${devolucoes.status} = 'DEVOLVIDO' and ${payments.endToEndId} = ${devolucoes.endToEndId}
      and ${payments.status} in ('paid', 'refunded') and ${payments.paidAt} is not null`;
  const rows = await db.execute<{ month: string; amount_cents: string; payments: number }>(sql`
    with back as (${back})
    select month, sum(cents)::bigint::text as amount_cents, sum(paid)::int as payments from (
      select ${monthOf(sql`paid_at`)} as month, amount_cents::bigint as cents, 1 as paid
      from ${payments} where status in ('paid', 'refunded') and paid_at >= ${from}
      union all
      select ${monthOf(sql`refunded_at`)},
        coalesce((select sum(back.cents) from back where back.id = ${payments.id}), 0) - amount_cents::bigint, 0
      from ${payments} where status = 'refunded' and paid_at is not null and refunded_at >= ${from}
      union all
      select ${monthOf(sql`at`)}, -cents, 0 from back where at >= ${from}
    ) as movements group by month order by month`);
  return rows.map(({ month, amount_cents, payments: count }) => ({
    month,
    amountCents: Number(amount_cents),
    payments: count,
  }));
}
