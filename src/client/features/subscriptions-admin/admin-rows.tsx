import type { ReactNode } from "react";
import { Skeleton } from "../../ui/skeleton.tsx";

const SKELETON_ROWS = [1, 2, 3];

interface AdminRowsProps<Row> {
  /** Undefined while they are being loaded. */
  rows: Row[] | undefined;
  /** Whether these are the rows of the page before, while the asked one is read. */
  isReading?: boolean;
  /** Shown if there are no rows. */
  none: ReactNode;
  /** Renders a row as an `li` with its key. */
  children: (row: Row) => ReactNode;
}

/** The rows of a tab. */
export function AdminRows<Row>({ rows, isReading = false, none, children }: AdminRowsProps<Row>) {
  if (rows?.length === 0 && !isReading) return <p className="none-found">{none}</p>;
  return (
    <ul className={`admin-rows ${isReading ? "is-reading" : ""}`} aria-busy={rows === undefined || isReading}>
      {rows && rows.length > 0
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
