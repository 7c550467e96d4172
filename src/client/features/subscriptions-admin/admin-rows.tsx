import type { ReactNode } from "react";
import { Skeleton } from "../../ui/skeleton.tsx";

const SKELETON_ROWS = [1, 2, 3];

interface AdminRowsProps<Row> {
  /** Undefined while they are being loaded. */
  rows: Row[] | undefined;
  /** Shown if there are no rows. */
  none: ReactNode;
  /** Renders a row as an `li` with its key. */
  children: (row: Row) => ReactNode;
}

/** The rows of a tab. */
export function AdminRows<Row>({ rows, none, children }: AdminRowsProps<Row>) {
  if (rows?.length === 0) return <p className="none-found">{none}</p>;
  return (
    <ul className="admin-rows" aria-busy={rows === undefined}>
      {rows
        ? rows.map(children)
        : SKELETON_ROWS.map((row) => (
            <li key={row}>
              <Skeleton className="w-48" />
              <Skeleton className="w-24" />
            </li>
          ))}
    </ul>
  );
}

/** The first cell of a row: the person it belongs to. */
export function RowOwner({
  name,
  email,
  children,
}: {
  name: ReactNode;
  email?: string;
  children?: ReactNode;
}) {
  return (
    <div className="admin-who">
      <b>{name}</b>
      <span>{email}</span>
      {children}
    </div>
  );
}
